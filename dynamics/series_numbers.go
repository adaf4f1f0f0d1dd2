package dynamics

import (
	"fmt"
	"math"
)

// numbers are what the cells of a column hold.
type numbers interface {
	grow(room int)
	add(v float64) (why string) // says what is wrong with it
	extent() (there int, most float64)
}

// doubles are kept as they are.
type doubles struct{ values []float64 }

func (d *doubles) grow(room int) { d.values = make([]float64, 0, room) }

func (d *doubles) add(v float64) string {
	d.values = append(d.values, v)
	return ""
}

func (d *doubles) extent() (there int, most float64) { return extent(d.values) }

// singles are rounded to float32.
type singles struct {
	values  []float32
	there   int
	lo, hi  float64 // of the numbers themselves
	off     float64 // by how much one was rounded at most
	divided bool    // one is no whole number, or too large to count by
}

func (s *singles) grow(room int) { s.values = make([]float32, 0, room) }

func (s *singles) add(v float64) (why string) {
	kept := float32(v)
	if s.values = append(s.values, kept); v-v != 0 {
		return ""
	}
	if math.IsInf(float64(kept), 0) {
		return fmt.Sprintf("too large for float32 (at most %.7g): change the unit, or take float64", math.MaxFloat32)
	}
	if s.there++; s.there == 1 {
		s.lo, s.hi = v, v
	}
	s.lo, s.hi, s.off = min(s.lo, v), max(s.hi, v), max(s.off, math.Abs(v-float64(kept)))
	s.divided = s.divided || v != math.Trunc(v) || math.Abs(v) > 1<<53
	return ""
}

func (s *singles) extent() (there int, most float64) { return s.there, max(-s.lo, s.hi) }

// shift is the part of their range by which rounding may shift numbers.
const shift = 1e-4

// coarse reports whether float32 is too coarse: whole numbers are not all held, or others no longer told apart.
func (s *singles) coarse() bool {
	reach := s.hi - s.lo
	if reach == 0 {
		reach = math.Abs(s.hi)
	}
	return s.off > 0 && !s.divided || s.off > shift*reach
}
