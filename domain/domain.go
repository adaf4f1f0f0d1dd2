// Package domain answers where a state may be and how it comes back.
//
// A [Domain] is a closed set Ω ⊂ R^d with exact membership. A [Reflector]
// brings the end of a straight step back into Ω under one of four rules, or
// lets it go under a fifth; it knows nothing of energies or temperatures.
//
// # A domain of one's own
//
// A type with the four methods of [Domain], and one with those of [Tracer], are enough for
// it to be sampled. Whatever else it can do it says by further methods, each of which is
// told at the function that asks for it, and without which that does what holds for any:
//
//	Convex() bool                           Convex: false
//	ExactWalls() bool                       ExactWalls: false
//	KnowsNearest() bool                     NewReflector: true
//	Uniform(ctx) (*Law, error)              Uniform: by rejection from the bounds, or paths
//	Volume(ctx, rng) (log, se, err)         Volume: by counting
//	Interior(ctx, rng) ([]float64, error)   Interior: by search
//	HalfSpaces() (HalfSpaces, bool)         linear walls: Interior, NewSlice, WallNames …
//	Inequalities() (*Inequalities, error)   InequalitiesOf: from its half-spaces, if they are all
//	Surfaces() []Surface                    constraints g(x) ≤ 0: Excursions, thin sets, shells
//	Members() []Domain                      it is their intersection
//	Reflector(rule, cap) (Reflector, error) NewReflector: by its tracer
//	Glance() Glance                         GlanceOf: each step by itself
//	Projection() (…, error)                 Projection: by its tracer
//	Image(c, l) (Domain, error)             Affine: traced through the map
//	Mirror() (Mirror, error)                NewMirror: none
//	Section(i, j) func(x, y float64) bool   Section: itself in the plane
//	Pieces() []Piece                        Boundary: none
//	Through(c *Crowd) Domain                NewCrowd: its surfaces are asked one by one
//	Err() error                             Err: it tells its states for good
//	WallName(w Wall) string                 WallNames: "wall N"
//	Name() string                           messages: "this domain"
//
// A domain that embeds a [Found] is looked at once. A tracer may count its labour, project
// and descend: Labour() int, Project(p, n, x []float64) bool, Lower(x []float64) bool.
package domain

import (
	"math"
	"slices"
)

// A Wall names one smooth piece of the boundary of a domain, 0 ≤ w < Walls().
type Wall int

// None is no wall.
const None Wall = -1

// A Domain is a closed set Ω ⊂ R^d. Its methods may be called from several
// goroutines at once; a Tracer belongs to one.
type Domain interface {
	// Dim is d ≥ 1.
	Dim() int
	// Contains reports exactly whether x (length d) lies in Ω: the wall belongs
	// to Ω; NaN and ±Inf do not.
	Contains(x []float64) bool
	// Bounds writes a box that holds Ω into lo and hi (length d); ±Inf where Ω
	// is unbounded.
	Bounds(lo, hi []float64)
	// Tracer returns a tracer with its own workspace.
	Tracer() Tracer
}

// BoundsOf returns the bounds of d, of length n = d.Dim(). d may be nil, all of
// R^n: its bounds are ±Inf.
func BoundsOf(d Domain, n int) (lo, hi []float64) {
	lo, hi = make([]float64, n), make([]float64, n)
	if d != nil {
		d.Bounds(lo, hi)
		return lo, hi
	}
	for i := range n {
		lo[i], hi[i] = math.Inf(-1), math.Inf(1)
	}
	return lo, hi
}

// kindOf tells messages what d is, by its method Name() string if it has one.
func kindOf(d Domain) string {
	if n, ok := d.(interface{ Name() string }); ok {
		return "this domain (" + n.Name() + ")"
	}
	return "this domain"
}

// all reports whether every one of some domains is so.
func all(domains []Domain, is func(d Domain) bool) bool {
	return !slices.ContainsFunc(domains, func(d Domain) bool { return !is(d) })
}

// Convex reports whether d is certainly convex, as a domain tells by a method Convex()
// bool. It is exact for boxes, balls, ellipsoids, simplices, half-spaces, polytopes and
// polygons, and follows from the parts for affine images, products and intersections. A
// curve is convex when its curvature is positive all along, by bounds that leave no gap,
// and its corners point outwards; where the curvature comes to nothing, as on a straight
// piece, the answer is false, as it is for domains of other kinds.
func Convex(d Domain) bool {
	c, ok := d.(interface{ Convex() bool })
	return ok && c.Convex()
}

// ExactWalls reports whether the crossings of the walls of d are found without
// fail and to rounding, so that specular reflection keeps the uniform law exactly, as a
// domain tells by a method ExactWalls() bool: not so for a set of constraints with a
// surface that neither is a [CurvedSurface] nor has a [Bender], which is probed along a
// path, nor for domains that do not tell.
func ExactWalls(d Domain) bool {
	e, ok := d.(interface{ ExactWalls() bool })
	return ok && e.ExactWalls()
}

// A Tracer follows straight paths inside Ω and finds the wall. One goroutine at
// a time.
type Tracer interface {
	// Walls is the number of smooth pieces of the boundary.
	Walls() int
	// Clear reports that the whole segment from → to certainly lies in Ω. It is
	// the quick test of every step and may say false when unsure. from ∈ Ω.
	Clear(from, to []float64) bool
	// Exit finds where the path x + t·dir, 0 < t ≤ 1, first leaves Ω, and the
	// wall it meets there. on is the wall that x lies on, treated as having
	// slack exactly zero (so that the path does not leave at t = 0 by
	// rounding), or None. No exit: t = 1 and None.
	Exit(x, dir []float64, on Wall) (t float64, w Wall)
	// Normal writes the outward unit normal of wall w at x, a point that the
	// last Exit or Nearest led to.
	Normal(n, x []float64, w Wall)
	// Nearest writes the boundary point nearest to x into p and the outward
	// unit normal of Ω there into n. x may lie outside or inside. It reports
	// false when the nearest point is not known for this kind of domain.
	Nearest(p, n, x []float64) bool
}

// A Rule says what becomes of a step that leaves the domain.
type Rule string

// The boundary rules.
const (
	// Specular follows the step to the first crossing of the boundary, mirrors
	// it there, and so on until its length is used up. It keeps the uniform law
	// on every domain.
	Specular Rule = "specular"
	// Nearest mirrors the end of the step at the tangent of the nearest
	// boundary point until it lies inside (the rule of the r2SGLD paper). It is
	// biased near curved walls and in corners.
	Nearest Rule = "nearest"
	// Refuse does not take a step that ends outside.
	Refuse Rule = "refuse"
	// Project moves the end of the step to the nearest point of Ω. It leaves
	// atoms on the wall and has weak order ½.
	Project Rule = "project"
	// Free lets every step go: no reflection at all.
	Free Rule = "free"
)

// A Reflector ends steps inside its domain under one rule. It holds a
// workspace: one goroutine at a time. It allocates nothing.
type Reflector interface {
	// Reflect ends the straight step from → to, from ∈ Ω, inside Ω: on return
	// to ∈ Ω, exactly. v is nil or the momentum (length d), mirrored at every
	// mirroring. It returns the number of mirrorings, 0 when the step stayed
	// inside and to is untouched bit for bit.
	//
	// When the step cannot be ended inside (more than cap mirrorings, or to is
	// not finite) to becomes from, v is reversed and ok is false: a fallback,
	// for the caller to count. Under Refuse a refused step is the rule itself:
	// it returns hits = 1, ok = true, to = from and v reversed.
	Reflect(from, to, v []float64) (hits int, ok bool)
}

// A Tally counts what a boundary did to the steps of one replica or rung.
type Tally struct {
	Steps       int64 `json:"steps"`       // steps taken
	Reflected   int64 `json:"reflected"`   // steps that met the wall at least once
	Reflections int64 `json:"reflections"` // mirrorings (or refusals, or projections)
	Fallbacks   int64 `json:"fallbacks"`   // steps given up (the caller decides what then)
	Outside     int64 `json:"outside"`     // recorded draws outside Ω, under any rule; of the coldest rung
}

// Add adds u to t.
func (t *Tally) Add(u Tally) {
	t.Steps += u.Steps
	t.Reflected += u.Reflected
	t.Reflections += u.Reflections
	t.Fallbacks += u.Fallbacks
	t.Outside += u.Outside
}
