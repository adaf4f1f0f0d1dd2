package mesh

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// A wall is g ≤ 0 of a function of one or two variables with its gradient.
type wall struct {
	d    int
	g    func(x []float64) float64
	grad func(g, x []float64)
}

func (w wall) Dim() int                  { return w.d }
func (w wall) Bind() domain.SurfaceEval  { return w }
func (w wall) Value(x []float64) float64 { return w.g(x) }
func (w wall) Gradient(g, x []float64) float64 {
	w.grad(g, x)
	return w.g(x)
}

// slit leaves out |cos(a)·x + sin(a)·y − c| < half of the square [−1, 1]², where y > from.
func slit(t *testing.T, a, c, half, from float64) domain.Domain {
	sin, cos := math.Sincos(a)
	off := func(x []float64) float64 { return cos*x[0] + sin*x[1] - c }
	g := func(x []float64) float64 { return min(half-math.Abs(off(x)), x[1]-from) }
	grad := func(g, x []float64) {
		v := off(x)
		if half-math.Abs(v) > x[1]-from {
			g[0], g[1] = 0, 1
			return
		}
		g[0], g[1] = -math.Copysign(cos, v), -math.Copysign(sin, v)
	}
	d := must[domain.Domain](t)(domain.NewImplicit([]domain.Surface{wall{2, g, grad}}, []string{"slit"}, []float64{-1, -1}, []float64{1, 1}))
	box := must[domain.Domain](t)(domain.NewBox([]float64{-1, -1}, []float64{1, 1}))
	return must[domain.Domain](t)(domain.NewIntersection(box, d))
}

// A barrier thinner than the cells is refused where it parts the domain, whatever its
// place, slope and width, and told where it does not.
func TestThinBarriers(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(5, 8))
	for range 60 {
		a, c := (rng.Float64()-0.5)*math.Pi, rng.Float64()-0.5
		half := math.Pow(10, -2.5-3*rng.Float64())
		m, err := New(t.Context(), slit(t, a, c, half, -2), 24)
		if err == nil || !strings.Contains(err.Error(), "parts") {
			t.Errorf("a barrier at %.3g, %.3g, half as thick as %.2g goes unseen: %v %v", a, c, half, m.Note, err)
		}
	}
	m, err := New(t.Context(), slit(t, 0.1, 0.22, 1e-3, 0.3), 24)
	if err != nil || !strings.Contains(m.Note, "barrier 0.002 thick") {
		t.Errorf("half a barrier: %q, %v", m.Note, err)
	}
	disc := must[domain.Domain](t)(domain.NewBall([]float64{0, 0}, 1))
	if m, err := New(t.Context(), blind{disc}, 24); err != nil || m.Note != "" {
		t.Errorf("a disc: %q, %v", m.Note, err)
	}
	line := wall{1, func(x []float64) float64 { return 1e-7 - math.Abs(x[0]-0.123) },
		func(g, x []float64) { g[0] = -math.Copysign(1, x[0]-0.123) }}
	gap := must[domain.Domain](t)(domain.NewImplicit([]domain.Surface{line}, []string{"gap"}, []float64{-1}, []float64{1}))
	if _, err := New(t.Context(), gap, 100); err == nil || !strings.Contains(err.Error(), "a gap 2e-07 wide at 0.123") {
		t.Errorf("a gap of an interval: %v", err)
	}
}
