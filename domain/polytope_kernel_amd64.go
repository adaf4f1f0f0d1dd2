package domain

import "golang.org/x/sys/cpu"

// wide reports that rows can be taken four at a time.
func wide() bool { return cpu.X86.HasAVX }

// panelsAVX writes (b − a·x)·inv for panels·panelRows rows of d coefficients, laid
// out coordinate by coordinate in each panel, sums in index order. It returns 0
// when every b − a·x ≥ 0. panels, d > 0.
//
//go:noescape
func panelsAVX(s, a, x, b, inv *float64, panels, d int) (outside int)

// turnAVX is turnRows, n > 0 a multiple of 8.
//
//go:noescape
func turnAVX(s, r, gram *float64, n int, t, rest, c float64)

// nearAVX returns the first of i, i + 8, … < n such that one of the eight rows from
// there has not t·r + margin ≤ s, n if there is none. n is a multiple of 8.
//
//go:noescape
func nearAVX(s, r *float64, i, n int, t, margin float64) int
