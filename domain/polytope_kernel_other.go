//go:build !amd64

package domain

func wide() bool { return false }

func panelsAVX(_, _, _, _, _ *float64, _, _ int) int { return 0 }

func turnAVX(_, _, _ *float64, _ int, _, _, _ float64) {}

func nearAVX(_, _ *float64, _, n int, _, _ float64) int { return n }
