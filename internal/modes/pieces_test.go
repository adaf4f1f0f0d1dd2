package modes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// separate is min over balls of |x − c|² − r², a surface that tells nothing but its values and
// slopes. A ball is its centre and its radius.
type separate [][]float64

func (a separate) Dim() int                 { return len(a[0]) - 1 }
func (a separate) Bind() domain.SurfaceEval { return a }

func (a separate) Value(x []float64) float64 { return a.Gradient(make([]float64, len(x)), x) }

func (a separate) Gradient(g, x []float64) float64 {
	least := math.Inf(1)
	for _, b := range a {
		r := b[len(x)]
		v := -r * r
		for j, c := range b[:len(x)] {
			v += (x[j] - c) * (x[j] - c)
		}
		if v < least {
			least = v
			for j, c := range b[:len(x)] {
				g[j] = 2 * (x[j] - c)
			}
		}
	}
	return least
}

// Descents go round the walls of small pieces, and across no gap: starts in one of five discs,
// of which three are a fiftieth as wide as the domain and two lie 0.02 apart, end at the
// minimum there, c − r g/|g| for U = g·x.
//
// Mutants: a direction along a curved wall that goes nowhere; walls that are left for another
// piece.
func TestFindInPieces(t *testing.T) {
	discs := separate{{0.89, 2.75, 0.096}, {0.37, -2.44, 0.155}, {0.55, 0.92, 0.112}, {-2.2, 0, 0.7}, {-0.78, 0, 0.7}}
	g := []float64{-1.45, -0.23}
	tilt := potential.Func(2, func(grad, x []float64) float64 {
		copy(grad, g)
		return g[0]*x[0] + g[1]*x[1]
	})
	target, draw := boxed(t, tilt, -4, 4, 1)
	var err error
	target.Domain, err = domain.NewImplicit([]domain.Surface{discs}, []string{"discs"}, []float64{-4, -4}, []float64{4, 4})
	if err != nil {
		t.Fatal(err)
	}
	in := make([]int, len(discs))
	s, err := Find(t.Context(), target, func(x []float64) error {
		for {
			if err := draw(x); err != nil {
				return err
			}
			for i, b := range discs {
				if (separate{b}).Value(x) <= 0 {
					in[i]++
					return nil
				}
			}
		}
	}, 1000, 1000, 0)
	if err != nil || len(s.Modes) != len(discs) {
		t.Fatalf("%d modes of %d pieces, %v", len(s.Modes), len(discs), err)
	}
	for i, b := range discs {
		k := slices.IndexFunc(s.Modes, func(m Mode) bool {
			far := 0.0
			for j := range g {
				far = math.Hypot(far, m.X[j]-(b[j]-b[2]*g[j]/math.Hypot(g[0], g[1])))
			}
			return far < 0.01*b[2]
		})
		if k < 0 || s.Modes[k].Starts < in[i]*9/10 {
			t.Errorf("of %d starts in piece %d mode %d has those of %+v", in[i], i, k, s.Modes)
		}
	}
}

// The fitted law draws from every piece, however little its normal law has inside: of four
// balls in four dimensions, whose weights are by quadrature, each has at least 0.4 of its share
// of the draws inside. Weights are within 6 standard errors (chance: 2e-9 each).
//
// Mutants: parts that are no longer drawn; weights that do not make up for draws outside.
func TestFitInPieces(t *testing.T) {
	balls := separate{{-1.57, -3.01, 1.92, 0.86, 0.272}, {-2.81, -1.76, -0.66, -0.79, 0.522}, {-2.13, -1.42, 0.36, 1.52, 0.189},
		{3.33, 2.7, -0.26, -1.89, 0.408}}
	want := []float64{0.0193, 0.5462, 0.2884, 0.1461}
	g := []float64{-3.68, 2.40, 1.77, -0.79}
	const k = 2.03
	energy := potential.Func(4, func(grad, x []float64) float64 {
		sum := 0.0
		for j, v := range x {
			grad[j] = g[j] + k*v
			sum += g[j]*v + k*v*v/2
		}
		return sum
	})
	target, _ := boxed(t, energy, -4, 4, 1)
	var err error
	target.Domain, err = domain.NewImplicit([]domain.Surface{balls}, []string{"balls"}, []float64{-4, -4, -4, -4}, []float64{4, 4, 4, 4})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(12) {
		rng, i := rand.New(rand.NewPCG(seed, 5)), 0
		s, err := Find(t.Context(), target, func(x []float64) error {
			b := balls[i%len(balls)]
			for i++; ; {
				for j := range x {
					x[j] = b[j] + b[4]*(2*rng.Float64()-1)
				}
				if (separate{b}).Value(x) <= 0 {
					return nil
				}
			}
		}, 100, 100, 0)
		if err != nil || len(s.Modes) != len(balls) {
			t.Fatalf("seed %d: %d modes, %v", seed, len(s.Modes), err)
		}
		f, err := s.Fit(t.Context(), target, rng)
		if err != nil {
			t.Fatal(err)
		}
		in, x := make([]float64, len(balls)), make([]float64, 4)
		for n := 0; n < 4000; {
			f.Mixture.Draw(x, rng)
			for i, b := range balls {
				if (separate{b}).Value(x) <= 0 {
					in[i]++
					n++
				}
			}
		}
		for p, m := range s.Modes {
			i := slices.IndexFunc(balls, func(b []float64) bool { return (separate{b}).Value(m.X) <= 0 })
			if in[i] < 0.4*4000*want[i] {
				t.Errorf("seed %d: piece %d has %.4f of the draws of the law that are inside, want %.4f", seed, i, in[i]/4000, want[i])
			}
			if z := (f.Weight[p] - want[i]) / f.WeightSE[p]; !(math.Abs(z) < 6) {
				t.Errorf("seed %d: piece %d has %.4f ± %.4f, want %.4f", seed, i, f.Weight[p], f.WeightSE[p], want[i])
			}
		}
	}
}
