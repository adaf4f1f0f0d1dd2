package region

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/prior"
)

// InChart is the region in the coordinates of a chart: of the parameters what the chart does
// not hold already is mapped to its coordinates.
func (r *Region) InChart(chart *prior.Chart) (domain.Domain, error) {
	out := &Region{Names: r.Names, labels: slices.Clone(r.labels)}
	for _, s := range r.surfaces {
		out.surfaces = append(out.surfaces, inChart(s, chart))
	}
	for i, row := range r.rows {
		bent := slices.ContainsFunc(every(r.dim()), func(j int) bool { return row[j] != 0 && chart.Logarithmic(j) })
		j := r.axis(i)
		switch {
		case !bent:
			out.Add(row, r.bounds[i], r.texts[i])
		case j < 0:
			out.surfaces = append(out.surfaces, inChart(planeOf(row, r.bounds[i]), chart))
			out.labels = append(out.labels, r.texts[i])
		case row[j] > 0:
			out.Add(r.Unit(j, 1), math.Log(r.bounds[i]/row[j]), r.texts[i])
		} // below, a logarithmic coordinate is bounded by 0 alone
	}
	return out.Build()
}

// Walls are all inequalities, each with its text, as functions that are 0 and less inside.
func (r *Region) Walls() (texts []string, walls []domain.SurfaceEval) {
	texts = append(slices.Clone(r.texts), r.labels...)
	for i, row := range r.rows {
		walls = append(walls, planeOf(row, r.bounds[i]).Bind())
	}
	for _, s := range r.surfaces {
		walls = append(walls, s.Bind())
	}
	return texts, walls
}

// Room is the box of the region, with the upper bounds that constraints on several
// parameters imply: a + b <= 1 of positive ones leaves little of wide priors.
func (r *Region) Room() (lo, hi []float64) {
	lo, hi = r.Box()
	if r.Domain == nil {
		return lo, hi
	}
	_, implied := domain.BoundsOf(r.Domain, r.dim())
	for j, h := range implied {
		hi[j] = min(hi[j], h+1e-9*math.Abs(h)) // beyond rounding of the linear program
	}
	return lo, hi
}

// planeOf is a·x ≤ b as a surface.
func planeOf(a []float64, b float64) domain.Surface {
	q, err := domain.NewQuadric(make([]float64, len(a)), -b, a, nil)
	if err != nil {
		panic(err) // rows are finite
	}
	return q
}

// inChart is a surface in the coordinates of a chart.
func inChart(s domain.Surface, chart *prior.Chart) domain.Surface {
	if q, ok := s.(interface {
		InLogarithms(logarithm func(j int) bool) domain.Surface
	}); ok {
		return q.InLogarithms(chart.Logarithmic)
	}
	return chartedSurface{s, chart}
}

// A chartedSurface is one whose formula is evaluated at the parameters.
type chartedSurface struct {
	domain.Surface
	chart *prior.Chart
}

func (s chartedSurface) Bind() domain.SurfaceEval {
	return &chartedEval{s.Surface.Bind(), s.chart, make([]float64, s.Dim())}
}

type chartedEval struct {
	g     domain.SurfaceEval
	chart *prior.Chart
	x     []float64
}

func (e *chartedEval) Value(u []float64) float64 {
	e.chart.Point(e.x, u)
	return e.g.Value(e.x)
}

func (e *chartedEval) Gradient(g, u []float64) float64 {
	e.chart.Point(e.x, u)
	v := e.g.Gradient(g, e.x)
	e.chart.Covector(g, e.x)
	return v
}
