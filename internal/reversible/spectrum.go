package reversible

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// A Spectrum holds the slowest modes of a chain: −L f = λ f.
type Spectrum struct {
	Values     []float64   // λ, rising, repeated ones as often as they occur
	Functions  [][]float64 // orthonormal in L²(π), of mean 0; the first value of at least half the largest size is positive
	Residual   []float64   // ‖Lf + λf‖/√λ in the dual norm of the form: the relative error of λ is about its square
	Iterations int
}

const (
	guard          = 4     // modes iterated beyond those asked for
	mostIterations = 300   // of the eigensolver
	sharp          = 1e-8  // residual aimed at
	fair           = 1e-6  // residual accepted where rounding allows no better
	patience       = 20    // iterations in which rounding may keep it from halving
	panel          = 192   // columns of a block handled at once
	lost           = 1e-12 // part of a vector, outside a space, that is rounding alone
)

// Spectrum returns the k smallest non-zero eigenvalues of −L, right to about
// 1e-10 relative to each, by the locally optimal block preconditioned conjugate
// gradient method (Knyazev 2001; the basis of Hetmaniuk and Lehoucq 2006). It
// needs about 60(k+4) + 50 bytes per state, 65 more per thread, and 12 per edge
// beside the chain. It fails if k is not in 1 … Len−1, if ctx ends, or if
// rounding keeps a mode from converging.
func (c *Chain) Spectrum(ctx context.Context, k int) (*Spectrum, error) {
	n := c.Len()
	if k < 1 || k >= n {
		return nil, fmt.Errorf("%d eigenvalues of a chain of %d states: ask for 1 to %d", k, n, n-1)
	}
	if unit := c.unit(); unit != 1 { // squares of rates would overflow, or vanish
		s, err := c.slowed(unit).Spectrum(ctx, k)
		if err == nil {
			floats.Scale(unit, s.Values)
		}
		return s, err
	}
	s := newSearch(c, min(k+guard, n-1))
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	best, since := math.Inf(1), 0
	for iteration := 1; ; iteration++ {
		worst, err := s.residuals(ctx, k)
		if err != nil {
			return nil, err
		}
		if since++; worst < 0.5*best {
			best, since = worst, 0
		}
		s.complete()
		if worst <= sharp || s.w == 0 || since == patience && best <= fair || iteration == mostIterations {
			if !(worst <= fair) {
				return nil, fmt.Errorf("after %d iterations a mode's residual is %.1e, not %.1e: rates may be too far apart",
					iteration, worst, sharp)
			}
			return s.result(k, iteration), nil
		}
		if err := s.step(ctx); err != nil {
			return nil, err
		}
	}
}

// unit is 1, or near the mean rate where that is far from 1, a power of two.
func (c *Chain) unit() float64 {
	mean, _ := c.rates()
	if mean > 1e-60 && mean < 1e60 || !(mean > 0) || math.IsInf(mean, 1) {
		return 1
	}
	_, e := math.Frexp(mean)
	return math.Ldexp(1, min(max(e, -1000), 1000))
}

// slowed is c in another unit of time.
func (c *Chain) slowed(unit float64) *Chain { return &Chain{c.mass, c.net.times(1 / unit)} }

// A search is a block of b trial modes X, their last changes P and their
// preconditioned residuals W, in the coordinates y = √π f in which −L is the
// symmetric A = M^−½ K M^−½ and L²(π) is Euclidean.
type search struct {
	chain    *Chain
	n, b     int
	p, w     int       // rows of P and W
	y, ay    []float64 // rows of X, P, W and of A times each
	value    []float64 // Ritz values of X
	residual []float64
	root     []float64 // √π, the mode of 0
	mg       *multigrid
	scratch  []*scratch // one per thread
	f, g     [][]float64
}

func newSearch(c *Chain, b int) *search {
	n := c.Len()
	s := &search{chain: c, n: n, b: b,
		y: make([]float64, 3*b*n), ay: make([]float64, 3*b*n),
		value: make([]float64, b), residual: make([]float64, b),
		root: make([]float64, n), mg: newMultigrid(c.net, c.mass, 0)}
	for i, m := range c.mass {
		s.root[i] = math.Sqrt(m)
	}
	for range min(runtime.GOMAXPROCS(0), b) {
		s.scratch = append(s.scratch, s.mg.scratch())
		s.f, s.g = append(s.f, make([]float64, n)), append(s.g, make([]float64, n))
	}
	return s
}

func (s *search) row(i int) []float64  { return s.y[i*s.n : (i+1)*s.n] }
func (s *search) arow(i int) []float64 { return s.ay[i*s.n : (i+1)*s.n] }

// each calls f for every i < count, from as many threads as there are scratches.
func (s *search) each(ctx context.Context, count int, f func(thread, i int)) error {
	g, ctx := errgroup.WithContext(ctx)
	threads := len(s.scratch)
	for t := range threads {
		g.Go(func() error {
			for i := t; i < count; i += threads {
				if err := ctx.Err(); err != nil {
					return err
				}
				f(t, i)
			}
			return nil
		})
	}
	return g.Wait()
}

// begin fills X from fixed random numbers, smoothed. Where a slow mode outshines
// the others they are told apart only once it is taken out: in the next round.
func (s *search) begin(ctx context.Context) error {
	r := rand.New(rand.NewPCG(1, 2))
	for have, round := 0, 0; have < s.b; round++ {
		if round == 2*s.b {
			return fmt.Errorf("%d of %d trial modes are independent: rates may be too far apart", have, s.b)
		}
		for i := have; i < s.b; i++ {
			for j := range s.row(i) {
				s.row(i)[j] = s.root[j] * r.NormFloat64()
			}
		}
		rows := s.project(have, s.b-have)
		if err := s.each(ctx, rows, func(t, i int) { s.precondition(t, s.row(have+i), s.row(have+i)) }); err != nil {
			return err
		}
		for range 2 {
			rows = s.orthonormalise(have, s.project(have, rows))
		}
		have += rows
	}
	if err := s.each(ctx, s.b, func(t, i int) { s.apply(t, i) }); err != nil {
		return err
	}
	s.rayleighRitz(0)
	return nil
}

// apply sets AY for a row.
func (s *search) apply(thread, i int) {
	f, y, ay := s.f[thread], s.row(i), s.arow(i)
	floats.DivTo(f, y, s.root)
	for j, r := range s.root {
		ay[j] = -s.chain.net.flow(j, f) / r
	}
}

// precondition sets dst to about A⁻¹ src; they may be the same.
func (s *search) precondition(thread int, dst, src []float64) {
	f, g := s.f[thread], s.g[thread]
	floats.MulTo(f, s.root, src)
	s.mg.cycle(s.scratch[thread], 0, g, f)
	floats.MulTo(dst, s.root, g)
}

// residuals sets W to the preconditioned residuals of the modes that have not
// converged, and returns the largest residual of the first k.
func (s *search) residuals(ctx context.Context, k int) (worst float64, err error) {
	first := s.b + s.p
	err = s.each(ctx, s.b, func(t, i int) {
		y, ay, w := s.row(i), s.arow(i), s.row(first+i)
		s.apply(t, i)
		for j, v := range y {
			w[j] = ay[j] - s.value[i]*v
		}
		s.precondition(t, s.arow(first+i), w)
		s.residual[i] = math.Sqrt(max(0, floats.Dot(w, s.arow(first+i))) / s.value[i])
	})
	s.w = 0
	for i, r := range s.residual {
		if i < k {
			worst = max(worst, r)
		}
		if r > sharp {
			copy(s.row(first+s.w), s.arow(first+i))
			s.w++
		}
	}
	return worst, err
}

// complete makes W orthonormal to X, P and itself; what depends on them goes.
func (s *search) complete() {
	first := s.b + s.p
	for range 2 {
		s.w = s.orthonormalise(first, s.project(first, s.w))
	}
}

// project takes the constants and all earlier rows from count rows from first
// on, and scales those of which more than rounding is left, whose number it
// returns, to length 1.
func (s *search) project(first, count int) (kept int) {
	before := make([]float64, count)
	for i := range before {
		y := s.row(first + i)
		before[i] = floats.Dot(y, y)
		floats.AddScaled(y, -floats.Dot(y, s.root), s.root)
	}
	if first > 0 && count > 0 {
		part := s.products(s.y, first, count, 0, first)
		for j := 0; j < s.n; j += panel {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, part, s.part(s.y, 0, first, j), 1, s.part(s.y, first, count, j))
		}
	}
	for i, size := range before {
		y := s.row(first + i)
		if after := floats.Dot(y, y); after > lost*lost*size {
			floats.ScaleTo(s.row(first+kept), 1/math.Sqrt(after), y)
			kept++
		}
	}
	return kept
}

// orthonormalise turns count rows from first on into an orthonormal basis of
// what they span and returns its size.
func (s *search) orthonormalise(first, count int) int {
	if count == 0 {
		return 0
	}
	value, vector := eigen(s.gram(s.y, first, count), count)
	kept := 0
	for i := range count {
		if value[i] > lost*value[count-1] {
			scale := 1 / math.Sqrt(value[i])
			for j := range count {
				vector[kept*count+j] = vector[i*count+j] * scale
			}
			kept++
		}
	}
	s.combine(s.y, first, count, vector, first, kept)
	return kept
}

// step replaces X by the best modes in the span of X, P and W.
func (s *search) step(ctx context.Context) error {
	if err := s.each(ctx, s.w, func(t, i int) { s.apply(t, s.b+s.p+i) }); err != nil {
		return err
	}
	s.rayleighRitz(s.p + s.w)
	return nil
}

// rayleighRitz sets X to the best modes in the span of X and the more rows after
// it, and P to the changes, orthonormal to X.
func (s *search) rayleighRitz(more int) {
	all := s.b + more
	value, vector := eigen(s.gram(s.ay, 0, all), all)
	copy(s.value, value)
	c := vector[:s.b*all]
	c = append(c, vector[:s.b*all]...) // the eigenvectors beyond b are needed no more
	p := s.b
	for i := s.b; i < 2*s.b; i++ {
		change := c[p*all : (p+1)*all]
		copy(change, c[i*all:(i+1)*all])
		clear(change[:s.b])
		if independent(change, c[:p*all]) {
			p++
		}
	}
	s.p, s.w = p-s.b, 0
	s.combine(s.y, 0, all, c, 0, p)
	s.combine(s.ay, 0, all, c[s.b*all:], s.b, s.p) // A X is made afresh
}

// independent makes v orthonormal to rows and says whether anything was left.
func independent(v, rows []float64) bool {
	before := floats.Dot(v, v)
	for range 2 {
		for k := 0; k < len(rows); k += len(v) {
			floats.AddScaled(v, -floats.Dot(v, rows[k:k+len(v)]), rows[k:k+len(v)])
		}
	}
	after := floats.Dot(v, v)
	if !(after > 1e-8*before) || after == 0 {
		return false
	}
	floats.Scale(1/math.Sqrt(after), v)
	return true
}

// gram returns the symmetric Y Bᵀ for count rows from first on, of Y and of b.
func (s *search) gram(b []float64, first, count int) []float64 {
	g := s.products(b, first, count, first, count).Data
	for i := range count {
		for j := range i {
			g[i*count+j] = 0.5 * (g[i*count+j] + g[j*count+i])
			g[j*count+i] = g[i*count+j]
		}
	}
	return g
}

// products are those of count rows of Y from first on with others of b.
func (s *search) products(b []float64, first, count, other, others int) blas64.General {
	out := blas64.General{Rows: count, Cols: others, Stride: others, Data: make([]float64, count*others)}
	for j := 0; j < s.n; j += panel {
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, s.part(s.y, first, count, j), s.part(b, other, others, j), 1, out)
	}
	return out
}

// combine sets kept rows of y, at place to, to the combinations in c of count
// rows from first on.
func (s *search) combine(y []float64, first, count int, c []float64, to, kept int) {
	if kept == 0 {
		return
	}
	out := blas64.General{Rows: kept, Cols: panel, Stride: panel, Data: make([]float64, kept*panel)}
	factor := blas64.General{Rows: kept, Cols: count, Stride: count, Data: c}
	for j := 0; j < s.n; j += panel {
		in := s.part(y, first, count, j)
		out.Cols = in.Cols
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, factor, in, 0, out)
		for i := range kept {
			copy(y[(to+i)*s.n+j:][:in.Cols], out.Data[i*panel:])
		}
	}
}

// part is a panel of count rows of y, from column j on.
func (s *search) part(y []float64, first, count, j int) blas64.General {
	return blas64.General{Rows: count, Cols: min(panel, s.n-j), Stride: s.n, Data: y[first*s.n+j : (first+count)*s.n]}
}

// result turns X, with A X made afresh, into functions.
func (s *search) result(k, iterations int) *Spectrum {
	value, vector := eigen(s.gram(s.ay, 0, s.b), s.b)
	s.combine(s.y, 0, s.b, vector, 0, s.b)
	out := &Spectrum{Values: value[:k:k], Residual: s.residual[:k:k], Iterations: iterations}
	for i := range k {
		f := make([]float64, s.n)
		floats.DivTo(f, s.row(i), s.root)
		orient(f)
		out.Functions = append(out.Functions, f)
	}
	return out
}

// orient fixes the sign of a function.
func orient(f []float64) {
	largest := 0.0
	for _, v := range f {
		largest = max(largest, math.Abs(v))
	}
	for _, v := range f {
		if math.Abs(v) >= 0.5*largest {
			if v < 0 {
				for j := range f {
					f[j] = -f[j]
				}
			}
			return
		}
	}
}
