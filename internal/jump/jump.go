// Package jump tells whether an energy jumps along a way, from what slopes promise.
package jump

import "math"

const (
	least    = 0.05 // in units of the temperature: odds that are off by as much
	rounded  = 1e-9 // of the energies, which rounding may take
	halvings = 8    // of a way: over a part so small what is smooth is straight
)

// A Segment is a part of a way: where it begins and ends, in parts of the way, and energies and
// slopes along the way there.
type Segment struct{ At, Energy, Slope [2]float64 }

// Off is the change of the energy less what the slopes promise.
func (s Segment) Off() float64 {
	return s.Energy[1] - s.Energy[0] - (s.Slope[0]+s.Slope[1])/2*(s.At[1]-s.At[0])
}

// Strays reports whether the energy, over a temperature tau, changes by more than slopes that change steadily allow.
func (s Segment) Strays(tau float64) bool {
	slack := math.Abs(s.Slope[1]-s.Slope[0])*(s.At[1]-s.At[0]) + least*tau + rounded*(math.Abs(s.Energy[0])+math.Abs(s.Energy[1]))
	return math.Abs(s.Off()) > slack
}

// Narrow halves the segment eight times, always to the half that strays more. of tells energy and slope at a
// part of the way. A jump is in the segment that is left if that strays.
func (s Segment) Narrow(of func(at float64) (energy, slope float64)) Segment {
	for range halvings {
		at := (s.At[0] + s.At[1]) / 2
		energy, slope := of(at)
		first, second := s, s
		first.At[1], first.Energy[1], first.Slope[1] = at, energy, slope
		second.At[0], second.Energy[0], second.Slope[0] = at, energy, slope
		if s = first; math.Abs(second.Off()) > math.Abs(first.Off()) {
			s = second
		}
	}
	return s
}
