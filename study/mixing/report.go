package mixing

import "github.com/r2sgld/r2sgld/study"

func (r *Results) sections() ([]study.Section, error) { return nil, nil }
