package domain

import "context"

// Crowded is how many points a crowd looks at side by side where it has the choice.
const Crowded = 250

// A glimpse looks which of some points lie in d: of one, or of many in a crowd.
type glimpse struct {
	crowd *Crowd
	d     Domain
	x     [][]float64
	in    []bool
}

func newGlimpse(d Domain) *glimpse {
	g, n := &glimpse{crowd: NewCrowd(d), d: d}, 1
	if g.crowd != nil {
		g.d, n = g.crowd.Domain(), Crowded
	}
	g.x, g.in = make([][]float64, n), make([]bool, n)
	for i := range g.x {
		g.x[i] = make([]float64, d.Dim())
	}
	return g
}

// look tells of the first n points.
func (g *glimpse) look(n int) []bool {
	g.crowd.Do(n, func(i int) { g.in[i] = g.d.Contains(g.x[i]) })
	return g.in[:n]
}

// Count draws up to n points, until enough of them lie in d, and returns how many do, and of
// how many. Where points of d are told many at once it may draw more than it counts.
func Count(ctx context.Context, d Domain, n, enough int, draw func(x []float64) error) (in, of int, err error) {
	g := newGlimpse(d)
	for of < n && in < enough {
		if of%heard < len(g.x) {
			if err := ended(ctx, d); err != nil {
				return in, of, err
			}
		}
		some := g.x[:min(len(g.x), n-of)]
		for _, x := range some {
			if err := draw(x); err != nil {
				return in, of, err
			}
		}
		for _, is := range g.look(len(some)) {
			if in == enough {
				break
			}
			if of++; is {
				in++
			}
		}
	}
	return in, of, Err(d)
}
