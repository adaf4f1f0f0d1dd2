package multimodal

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/kernel"
)

// densities are the figures of densities, each of which makes the runs whose draws it shows.
func (m *multimodal) densities() []density {
	return []density{{"multimodal-flower", m.flowerFigure}, {"multimodal-domains", m.gridFigure}, {"multimodal-gaussians", m.mixtureFigure}}
}

// A density is a figure of densities.
type density struct {
	name string
	draw func(context.Context) (*figure.Figure, error)
}

// pictures draws the KL curves by protocol; the others are drawn.
func (m *multimodal) pictures() (out map[string]study.Picture, err error) {
	jobs := map[string]func() (*figure.Figure, error){}
	for _, p := range m.protocols() {
		jobs["multimodal-kl-"+p.name] = func() (*figure.Figure, error) { return m.klFigure(p) }
	}
	err = m.timed("figures", func() (int64, error) {
		out, err = study.Drawn(jobs)
		return 0, err
	})
	if err == nil {
		for _, p := range append(m.drawn, m.path[0].Picture) {
			out[p.Name] = p
		}
	}
	return out, err
}

const pathName = "multimodal-path"

// A pathway is the path on the flower, told and drawn.
type pathway struct {
	Swapped, All string // of the part that is drawn, and of all
	Picture      study.Picture
}

// pathway runs and draws the path, still and, but at scale smoke, moving.
func (m planner) pathway(ctx context.Context) (p pathway, err error) {
	all, err := FlowerPath(ctx, m.Seed, pathFirst, pathEnd)
	if err != nil {
		return p, err
	}
	some := until(all, pathDrawn-pathFirst+1)
	drawn, err := study.Draw(pathName, func() (*figure.Figure, error) { return figure.TrajectoryPlot(some) })
	p = pathway{swapped(some), swapped(all), drawn}
	if err == nil && m.Scale != study.Smoke {
		var b bytes.Buffer
		err = all.WriteGIF(&b)
		p.Picture.GIF = b.Bytes()
	}
	return p, err
}

func axes() [2]figure.Axis { return [2]figure.Axis{{Name: "x"}, {Name: "y"}} }

// truthMap is the exact density on s.
func (s *scene) truthMap(title string) figure.DensityMap {
	z := s.region.Moments(1).Z
	return figure.DensityMap{Title: title, Inside: membership(s.domain), Value: func(x, y float64) float64 {
		return math.Exp(-s.target.energy(x, y)) / z
	}}
}

// energy is U.
func energy(x, y float64) float64 {
	r2 := x*x + y*y
	return r2/5 - 2*(math.Cos(2*math.Pi*x)+math.Cos(2*math.Pi*y)) + max(0, r2-20)
}

// drawsMaps are the densities of the draws of one run of each of the methods, by label; those of a
// method that leaves the domain are shown outside as well.
func (m planner) drawsMaps(ctx context.Context, s *scene, p protocol, labels []string, view [2][2]float64) (out []figure.DensityMap, err error) {
	nine := m.nine(s, p, nil)
	for _, l := range labels {
		of := nine[slices.IndexFunc(nine, func(p plan) bool { return p.label == l })]
		draws, err := of.shown(ctx)
		if err != nil {
			return nil, err
		}
		x, y := make([]float64, len(draws)/2), make([]float64, len(draws)/2)
		for i := range x {
			x[i], y[i] = draws[2*i], draws[2*i+1]
		}
		d := figure.DensityMap{Title: l, Inside: membership(s.domain), Beyond: of.group == groupPlain}
		inside := d.Inside
		if d.Beyond {
			inside = nil
		}
		d.Value = figure.DrawsDensity(x, y, inside, view)
		out = append(out, d)
	}
	return out, nil
}

// plain and reflected are labels of the nine methods whose densities are shown.
func plain() []string     { return labels(func(a sampler) string { return a.Plain }) }
func reflected() []string { return labels(func(a sampler) string { return a.Reflected }) }

func labels(of func(sampler) string) (out []string) {
	for _, a := range samplers() {
		out = append(out, of(a))
	}
	return out
}

func (m *multimodal) flowerFigure(ctx context.Context) (*figure.Figure, error) {
	s := m.five[0]
	p, _ := protocols(m.Scale)
	view := [2][2]float64{{-2.6, 2.6}, {-2.6, 2.6}}
	inside, err := m.drawsMaps(ctx, s, p, reflected(), view)
	if err != nil {
		return nil, err
	}
	beyond, err := m.drawsMaps(ctx, s, p, plain(), view)
	if err != nil {
		return nil, err
	}
	top := s.truthMap("truth")
	return figure.Densities(figure.DensityMaps{Axes: axes(), View: view, Max: 1.25 * top.Value(0, 0), Rows: [][]figure.DensityMap{
		append([]figure.DensityMap{top}, inside...), append([]figure.DensityMap{{}}, beyond...)},
		Caption: m.oneRun()})
}

// mixtureFigure has a row for each mixture.
func (m *multimodal) mixtureFigure(ctx context.Context) (*figure.Figure, error) {
	view := [2][2]float64{{-2.6, 2.6}, {-2.6, 2.6}}
	q := figure.DensityMaps{Axes: axes(), View: view, Caption: m.oneRun()}
	for _, g := range mixtures() {
		s := m.mixedOn(g)[0]
		row, err := m.drawsMaps(ctx, s, m.anywhere(), reflected(), view)
		if err != nil {
			return nil, err
		}
		top := s.truthMap("truth")
		q.Max = max(q.Max, top.Value(0, 0))
		q.Rows, q.RowNames = append(q.Rows, append([]figure.DensityMap{top}, row...)), append(q.RowNames, g.String())
	}
	return figure.Densities(q)
}

// oneRun says what the densities are of.
func (m *multimodal) oneRun() string {
	p, _ := protocols(m.Scale)
	return fmt.Sprintf("One run of %s draws each, the first fifth dropped.", text.Count(p.draws()))
}

func (m *multimodal) gridFigure(ctx context.Context) (*figure.Figure, error) {
	p, _ := protocols(m.Scale)
	view := [2][2]float64{{-3.4, 3.4}, {-3.6, 2.8}}
	q := figure.DensityMaps{Axes: axes(), View: view, Caption: m.oneRun()}
	labels := reflected()
	slices.Reverse(labels)
	for _, s := range m.five[1:] {
		row, err := m.drawsMaps(ctx, s, p, labels, view)
		if err != nil {
			return nil, err
		}
		top := s.truthMap("truth")
		q.Max += top.Value(0, 0) / 4 // the mean of the largest: one scale for light and heavy domains
		q.Rows, q.RowNames = append(q.Rows, append([]figure.DensityMap{top}, row...)), append(q.RowNames, s.name)
	}
	return figure.Densities(q)
}

// klFigure shows KL against the number of draws on all domains.
func (m *multimodal) klFigure(p protocol) (*figure.Figure, error) {
	q := figure.Lines{X: figure.Axis{Name: "draws"}, Y: figure.Axis{Name: "KL(truth‖draws)", Unit: "nats"}, LogX: true, LogY: true,
		Caption: fmt.Sprintf("Means and 95 %% intervals of %d runs, the first fifth of the draws dropped, draws outside the domain counted as "+
			"lost.", runsOf(m.Scale))}
	for _, s := range m.five {
		panel := figure.LinePanel{Title: s.name}
		for _, l := range nine() {
			panel.Lines = append(panel.Lines, klLine(m.trials.of(s.name, p.name, l)))
		}
		floor := klLine(m.trials.find(s.name, "paper", groupIID, "iid"))
		floor.Low, floor.High = nil, nil
		panel.Lines = append(panel.Lines, floor)
		q.Panels = append(q.Panels, panel)
	}
	return figure.Curves(q)
}

// klLine is the curve of an outcome.
func klLine(o *outcome) figure.Line {
	l := figure.Line{Name: o.label, Method: o.method}
	for i, n := range o.At {
		v := interval(o.values(i, true, klAll))
		l.X, l.Y = append(l.X, float64(n)), append(l.Y, v.Mean)
		l.Low, l.High = append(l.Low, max(v.Mean-v.Half, v.Mean/1e3)), append(l.High, v.Mean+v.Half)
	}
	return l
}

// A path records the steps of the cold and the hot rung in a plane.
type path struct {
	first, last int   // iterations
	now         []int // labels after the iteration before
	steps       [2][]figure.Step
}

// Record implements r2sgld.Recorder.
func (p *path) Record(k int, b *kernel.Block) error {
	if k >= p.first && k <= p.last && p.now != nil {
		for i, r := range p.now {
			p.steps[r] = append(p.steps[r], figure.Step{From: [2]float64{b.From[i], b.From[b.Stride+i]}, X: [2]float64{b.X[i], b.X[b.Stride+i]},
				Mirrorings: b.Hits[i], Swapped: b.Rung[i] != r})
		}
	}
	p.now = append(p.now[:0], b.Rung...)
	return nil
}

// pathEvery is the number of iterations between the swaps that a path tries, so
// that the eye can follow what lies between them.
const pathEvery = 10

// The path of the report: its first iteration, the last that is drawn, and the last.
// No swap is tried in the last ones: it would lead out of what is shown.
const pathFirst, pathDrawn, pathEnd = 1001, 1501, 2201

// pathPlan is the run of which a path is shown, to iteration last.
func pathPlan(seed uint64, last int) plan {
	return plan{scene: &scene{shape: shapes()[0]}, label: "r2SGLD", method: "r2sgld", rungs: 2, runs: 1, seed: seed,
		protocol: protocol{name: "path", iterations: last, thin: 1},
		keys:     fmt.Sprintf("swap: {%s, every: %d, variance: %g}", everySweep, pathEvery, swapVariance)}
}

// FlowerPath runs r2SGLD on the flower and returns iterations first to last of
// its two replicas: the paper's steps and temperatures, energies and gradients
// with noise, swaps tried in every tenth iteration so that paths can be seen.
func FlowerPath(ctx context.Context, seed uint64, first, last int) (figure.Trajectory, error) {
	run, err := config.Parse("sample", "path", []byte(pathPlan(seed, last).text()), nil)
	if err != nil {
		return figure.Trajectory{}, fmt.Errorf("path on the flower: %w", err)
	}
	rec := &path{first: first, last: last}
	run.Settings.Recorder = func(int) r2sgld.Recorder { return rec }
	if _, err := r2sgld.Sample(ctx, run.Problem, run.Settings); err != nil {
		return figure.Trajectory{}, fmt.Errorf("path on the flower: %w", err)
	}
	return figure.Trajectory{Axes: axes(), View: [2][2]float64{{-2.4, 2.4}, {-2.4, 2.4}}, Inside: membership(run.Problem.Domain),
		Dense: func(x, y float64) float64 { return math.Exp(-energy(x, y)) }, First: first,
		Cold: rec.steps[0], Hot: rec.steps[1], Temperature: [2]float64{1, 10}}, nil
}

// until returns the path of both replicas to its n-th iteration.
func until(t figure.Trajectory, n int) figure.Trajectory {
	t.Cold, t.Hot = t.Cold[:n], t.Hot[:n]
	return t
}

// swapped says how many of the swaps tried in a path were made.
func swapped(t figure.Trajectory) string {
	made, tried := 0, 0
	for i, s := range t.Cold {
		if s.Swapped {
			made++
		}
		if (t.First+i)%pathEvery == 0 {
			tried++
		}
	}
	return fmt.Sprintf("%d of %d swaps tried", made, tried)
}

// toldPath is what is told of the path.
func (m *multimodal) toldPath() any {
	return struct {
		First, Drawn, End int
		Swapped, All      string
		Moves             bool
	}{pathFirst, pathDrawn, pathEnd, m.path[0].Swapped, m.path[0].All, m.Scale != study.Smoke}
}
