package dynamical

import "github.com/r2sgld/r2sgld/study"

func (m *inquiry) thresholdText() string                                             { return "" }
func (m *inquiry) thresholdRows() [][]string                                         { return nil }
func (m *inquiry) moreSections(some func(...string) []study.Picture) []study.Section { return nil }
