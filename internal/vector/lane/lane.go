// Package lane defines the bits of the elementary functions of package vector: what
// each is for one lane. A function is a fixed sequence of IEEE operations on float64,
// [math.FMA] where it is fused, and conversions to float64 where a compiler must not
// fuse: every machine computes the same number. What a NaN's sign and payload are is
// left open.
//
// Processors without an instruction for it, such as those for amd64 of before 2013, compute
// math.FMA in software: functions take some twenty times as long there.
//
// The bounds of errors are in units in the last place of the result, as measured by the
// tests of this package where results are normal numbers. Reductions, polynomials and
// parts of constants that are not said to be from elsewhere are of FreeBSD's libm
// (e_log.c, k_sin.c, k_cos.c, s_log1p.c; © 1993 Sun Microsystems, Inc. Permission to
// use, copy, modify, and distribute this software is freely granted, provided that this
// notice is preserved).
package lane

import "math"

// ToInteger plus a number below 2^51 is rounded to an integer, which its low bits are.
const ToInteger = 3 << 51

const (
	smallestNormal = 0x1p-1022
	signBit        = 1 << 63
	bias           = 1023
	fractionBits   = 52
)

func abs(x float64) float64 { return math.Abs(x) }

func bits(x float64) uint64 { return math.Float64bits(x) }

func number(b uint64) float64 { return math.Float64frombits(b) }
