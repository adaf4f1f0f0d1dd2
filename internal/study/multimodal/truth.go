package multimodal

import (
	"fmt"
	"math"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/quadrature"
)

// bowl is U of the multi-modal target within r² = 20: 25 modes on the whole points
// of [-2,2]² and a bowl over them.
const bowl = "((x^2+y^2)/10 - (cos(2*pi*x)+cos(2*pi*y)))/0.5"

// formula is U, with a wall that no domain of the study reaches.
const formula = bowl + " + max(0, x^2+y^2-20)"

// A shape is a domain of the study.
type shape struct {
	name       string
	yaml       string // of the key domain
	definition string
	area       string // exact, "" where there is no short form
	radius     float64
	target     *mixture // nil is the 25 modes of the released code
}

// shapes are the five domains of the paper, at the radius of its code.
func shapes() []shape {
	return []shape{
		{"flower", "{flower: {petals: 5, offset: 3, radius: 2}}", "polar curve r(θ) = (radius/3.5)(sin 5θ + 3)", "9.5 pi (2/3.5)^2", 2, nil},
		{"octagon", "{octagon: {radius: 2}}", "regular, circumradius radius, a vertex at (0, radius)", "8 sqrt 2", 2, nil},
		{"heart", "{heart: {radius: 2}}", "(16 sin³θ, 13 cos θ − 5 cos 2θ − 2 cos 3θ − cos 4θ)·radius/10", "", 2, nil},
		{"cross", "{cross: {radius: 2}}", "union of |x| ≤ radius·sin 18°, |y| ≤ radius·sin 72° and its transpose",
			"16 sin 18 (2 sin 72 - sin 18) degrees", 2, nil},
		{"star", "{star: {radius: 2}}", "tips P_i at 90° + 72°i, after each the vertex 0.618 P_i + 0.382 P_(i+2), times radius", "", 2, nil},
	}
}

// more are the domains that a mirror map is known of.
func more() []shape {
	return []shape{
		{"box", "{box: {x: [-1.5, 1.5], y: [-1.5, 1.5]}}", "[-1.5, 1.5]²", "9", 1.5, nil},
		{"triangle", "{simplex: [x, y]}", "x, y ≥ 0, x + y ≤ 1", "1/2", 1, nil},
	}
}

// A scene is a domain with the exact law on it.
type scene struct {
	shape
	domain domain.Domain
	region *quadrature.Region
	*measure
}

// cellWidth is the side of the cells of the study.
const cellWidth = 0.2

// newScene computes the truth on a shape.
func newScene(s shape) (*scene, error) {
	d, r, err := law(s)
	if err != nil {
		return nil, err
	}
	m, err := newMeasure(r, membership(d), cellWidth)
	if err != nil {
		return nil, fmt.Errorf("exact law on %s: %w", s.name, err)
	}
	return &scene{s, d, r, m}, nil
}

// law returns a shape and the law of the target on it, as a configuration has them.
func law(s shape) (domain.Domain, *quadrature.Region, error) {
	run, err := plan{scene: &scene{shape: s}, method: "r-sgld", quiet: true, runs: 1,
		protocol: protocol{name: "law", iterations: 100, thin: 1}}.load()
	if err != nil {
		return nil, nil, err
	}
	r, err := quadrature.New(run.Problem.Potential, run.Problem.Domain)
	if err != nil {
		return nil, nil, fmt.Errorf("exact law on %s: %w", s.name, err)
	}
	return run.Problem.Domain, r, nil
}

// membership returns a membership test with a workspace of its own.
func membership(d domain.Domain) func(x, y float64) bool {
	p := make([]float64, 2)
	return func(x, y float64) bool {
		p[0], p[1] = x, y
		return d.Contains(p)
	}
}

// own returns s for a goroutine of its own.
func (s *scene) own() *measure {
	c := *s.cells
	c.inside = membership(s.domain)
	m := *s.measure
	m.cells = &c
	return &m
}

// scenes computes the truth on several shapes, threads at once.
func scenes(all []shape, threads int) ([]*scene, error) {
	out := make([]*scene, len(all))
	var g errgroup.Group
	g.SetLimit(threads)
	for i, s := range all {
		g.Go(func() (err error) {
			out[i], err = newScene(s)
			return err
		})
	}
	return out, g.Wait()
}

// moments are the moments of the law at one temperature.
type moments struct {
	Z     float64 `json:"Z"`
	MeanU float64 `json:"mean_U"`
	SDU   float64 `json:"sd_U"`
	MeanX float64 `json:"mean_x"`
	MeanY float64 `json:"mean_y"`
	SDX   float64 `json:"sd_x"`
	SDY   float64 `json:"sd_y"`
	R2    float64 `json:"mean_r2"`
}

// uniform is what is told of the uniform law.
type uniform struct {
	R2    float64 `json:"mean_r2"`
	MeanU float64 `json:"mean_U"`
}

// Exact is the truth on one domain.
type Exact struct {
	Definition string             `json:"definition"`
	Radius     float64            `json:"radius"`
	Area       float64            `json:"area"`
	Perimeter  float64            `json:"perimeter"`
	Tau1       moments            `json:"tau1"`
	Tau10      moments            `json:"tau10"`
	Swap       float64            `json:"swap_acceptance_tau1_tau10"`
	Barrier    float64            `json:"Lambda_tau10_to_tau1"`
	Local      map[string]float64 `json:"lambda_local_at_beta"`
	Modes      [5][5]float64      `json:"mode_mass_tau1_rows_y_-2..2_cols_x_-2..2"`
	Elsewhere  float64            `json:"mass_outside_25_cells"`
	Uniform    uniform            `json:"uniform_on_domain"`
	AreaExact  string             `json:"area_exact,omitempty"`
}

// Truth returns, by the name of each domain of the paper, what quadrature says of
// the multi-modal target on it.
func Truth() (any, error) {
	all := shapes()
	found := make([]*Exact, len(all))
	var g errgroup.Group
	for i, s := range all {
		g.Go(func() error {
			_, r, err := law(s)
			if err == nil {
				found[i] = exact(s, r)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := make(map[string]*Exact)
	for i, s := range all {
		out[s.name] = found[i]
	}
	return out, nil
}

// exact asks r for everything.
func exact(s shape, r *quadrature.Region) *Exact {
	at := func(tau float64) moments {
		m := r.Moments(tau)
		return moments{m.Z, m.MeanU, m.SDU, m.MeanX, m.MeanY, m.SDX, m.SDY, m.MeanR2}
	}
	flat := r.Moments(math.Inf(1))
	e := &Exact{Definition: s.definition, Radius: s.radius, Area: r.Area(), Perimeter: r.Perimeter(), Tau1: at(1), Tau10: at(10),
		Swap: r.SwapProbability(1, 10), Barrier: r.Barrier(1, 10), Local: make(map[string]float64),
		Uniform: uniform{flat.MeanR2, flat.MeanU}, AreaExact: s.area, Elsewhere: 1}
	for _, beta := range []float64{0.1, 0.325, 0.55, 0.775, 1} {
		e.Local[strconv.FormatFloat(beta, 'g', -1, 64)] = r.LocalBarrier(beta)
	}
	for i, m := range r.Masses(1, modeGrid()) {
		e.Modes[i/5][i%5] = m
		e.Elsewhere -= m
	}
	if math.Abs(e.Elsewhere) < 1e-10 { // rounding
		e.Elsewhere = 0
	}
	return e
}
