package store

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// awkward are names that files, Stan or R would stumble over.
var awkward = []string{"alpha", "H.initial", "x.x*y", "β", "a/b", "theta[1]", "theta[2]", "Alpha", "draw", "lp__"}

// ladders are draws of every rung, to be written.
type ladders struct {
	Run
	X [][][]float64 // X[chain][rung] is n × d
	U [][][]float64 // U[chain][rung], n of them
}

func (l *ladders) n() int { return len(l.U[0][0]) }

// cold is what there is to read of them.
func (l *ladders) cold() *Draws {
	d := &Draws{Names: l.Names, Kept: l.n(), Stride: 1}
	for j := range l.Names {
		x := make([][]float64, len(l.X))
		for i := range x {
			for k := range l.n() {
				x[i] = append(x[i], l.X[i][0][k*len(l.Names)+j])
			}
		}
		d.X = append(d.X, x)
	}
	return d
}

// keep writes draws, in chunks of so many, or as usual for 0.
func keep(f *Folder, l *ladders, chunk int) error {
	at := &layout{names: l.arrayNames(), chains: len(l.X), hot: len(l.X[0]) - 1, chunk: chunk, buffer: max(1, chunk/2)}
	if chunk == 0 {
		at.fit()
	}
	s, err := newWriter(f, &l.Run, at)
	if err != nil {
		return err
	}
	dim := len(l.Names)
	for i := range l.X {
		x, u := make([][]float64, len(l.X[i])), make([]float64, len(l.X[i]))
		for k := range l.n() {
			for r := range x {
				x[r], u[r] = l.X[i][r][k*dim:(k+1)*dim], l.U[i][r][k]
			}
			if err := s.Chain(i).Keep(x, u); err != nil {
				return err
			}
		}
	}
	return s.Finish(2)
}

// autoregressive makes draws of several chains with two hot rungs.
func autoregressive(names []string, chains, n int) *ladders {
	r := rand.New(rand.NewPCG(1, 2))
	d := &ladders{Run: Run{Names: names, Temperature: []float64{0.5, 2, 8}, BurnIn: 100, Thin: 10, Model: "odd names",
		Seed: math.MaxUint64, Version: "0.1.0",
		Groups: []Group{{Name: "observed_data", Arrays: []Array{
			{Name: "H'", Dims: []string{"year", "side"}, Shape: []int{3, 2}, Values: []float64{1, 2, 3, 4, math.NaN(), 6}},
			{Name: "year", Dims: []string{"year"}, Shape: []int{3}, Values: []float64{1900, 1901, 1902}},
		}}}}}
	for range chains {
		var xs, us [][]float64
		for rung := range d.Temperature {
			x, u := make([]float64, n*len(names)), make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64() * float64(rung+1)
				if i >= len(names) {
					x[i] += 0.7 * x[i-len(names)]
				}
			}
			for i := range u {
				u[i] = r.ExpFloat64()
			}
			xs, us = append(xs, x), append(us, u)
		}
		d.X, d.U = append(d.X, xs), append(d.U, us)
	}
	return d
}

var same = cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateEmpty()}

// numbers reads an array of a store.
func numbers(path string) ([]float64, error) {
	from, err := originalOf(path)
	if err != nil {
		return nil, err
	}
	a := zarrArray{from: from}
	_, dims, err := a.describe(path)
	if err == nil {
		err = a.check(len(dims))
	}
	if err != nil {
		return nil, err
	}
	return a.read(path, 1)
}

// Draws of more than a chunk are in both formats, those of hot rungs and the
// energies in the Zarr store.
func TestRoundTripThroughFolder(t *testing.T) {
	pace.Slow(t)
	f, err := Create(quick{}, scratch(t), anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	d := autoregressive(awkward, 4, 0)
	s, err := f.NewWriter(&d.Run, len(d.X))
	if err != nil {
		t.Fatal(err)
	}
	d = autoregressive(awkward, 4, s.layout.chunk+3)
	if err := keep(f, d, 0); err != nil {
		t.Fatal(err)
	}
	if !exists(f.Path("draws.zarr/tempered/β/3.0.1")) {
		t.Error("the second chunk is missing")
	}
	hot(t, f, d)
	for _, format := range []string{"Zarr", "Stan CSV"} {
		got, err := Read(0, f.dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d.cold(), got); diff != "" {
			t.Errorf("through %s (-written +read):\n%s", format, diff)
		}
		if err := os.RemoveAll(f.Path("draws.zarr")); err != nil {
			t.Fatal(err)
		}
	}
}

// hot compares energies, lp = −U/τ and the rungs beside the cold one with what
// is in the store.
func hot(t *testing.T, f *Folder, d *ladders) {
	t.Helper()
	want := map[string][]float64{}
	for i := range d.X {
		want["sample_stats/energy"] = append(want["sample_stats/energy"], d.U[i][0]...)
		for _, u := range d.U[i][0] {
			want["sample_stats/lp"] = append(want["sample_stats/lp"], -u/d.Temperature[0])
		}
		for r := 1; r < len(d.X[i]); r++ {
			want["tempered_stats/energy"] = append(want["tempered_stats/energy"], d.U[i][r]...)
			for j, name := range d.arrayNames() {
				for k := range d.n() {
					want["tempered/"+name] = append(want["tempered/"+name], d.X[i][r][k*len(d.Names)+j])
				}
			}
		}
	}
	for name, v := range want {
		if got, err := numbers(f.Path("draws.zarr/" + name)); err != nil || !slices.Equal(v, got) {
			t.Errorf("%s: other numbers %v", name, err)
		}
	}
}

func drawsOf(t *rapid.T) *ladders {
	name := rapid.StringMatching(`[a-zαβ][a-zA-Z0-9_.*/\[\]%~=#" \-]{0,6}|\.|\.\.|chain|[xy]\[[123]\]|[xy]\.[12]\.[12]`)
	dist := func(s string) string { return s }
	d := &ladders{Run: Run{Names: rapid.SliceOfNDistinct(name, 1, 9, dist).Draw(t, "names"), Model: "m",
		Thin: rapid.IntRange(0, 5).Draw(t, "thin"), Version: "1"}}
	n := rapid.IntRange(0, 9).Draw(t, "draws")
	number := rapid.OneOf(rapid.Float64(),
		rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 5e-324, math.MaxFloat64}))
	for range rapid.IntRange(1, 3).Draw(t, "chains") {
		d.X = append(d.X, [][]float64{rapid.SliceOfN(number, n*len(d.Names), n*len(d.Names)).Draw(t, "x")})
		d.U = append(d.U, [][]float64{rapid.SliceOfN(number, n, n).Draw(t, "u")})
	}
	return d
}

// Every bit of every draw comes back, under its own name, from both formats; and
// of at most so many draws those that a power of two leaves. Kills draws 1,
// 1 + m, … instead of m, 2m, ….
func TestRoundTripAnything(t *testing.T) {
	root := scratch(t)
	rapid.Check(t, func(t *rapid.T) {
		d := drawsOf(t)
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		f := onRecord(t, dir, quick{})
		if err := keep(f, d, rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "chunk")); err != nil {
			t.Fatal(err)
		}
		most := rapid.IntRange(0, 9).Draw(t, "most")
		want := thinned(d.cold(), most)
		for _, format := range []string{"Zarr", "Stan CSV"} {
			got, err := Read(most, dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(bits(want), bits(got)); diff != "" {
				t.Fatalf("%s, at most %d:\n%s", format, most, diff)
			}
			if err := os.RemoveAll(f.Path("draws.zarr")); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// thinned is d without every second draw until there are at most so many.
func thinned(d *Draws, most int) *Draws {
	out := *d
	for n := d.Kept; most > 0 && n > most; n /= 2 {
		out.Stride *= 2
		x := make([][][]float64, len(out.X))
		for j := range x {
			for _, c := range out.X[j] {
				var half []float64
				for i := 1; i < len(c); i += 2 {
					half = append(half, c[i])
				}
				x[j] = append(x[j], half)
			}
		}
		out.X = x
	}
	return &out
}

// bits is d with every NaN alike and negative zero told from zero.
func bits(d *Draws) any {
	numbers := []any{d.Names, d.Kept, d.Stride}
	for _, chains := range d.X {
		for _, c := range chains {
			k := []uint64{}
			for _, v := range c {
				if v != v {
					v = math.NaN()
				}
				k = append(k, math.Float64bits(v))
			}
			numbers = append(numbers, k)
		}
	}
	return numbers
}

// Names of arrays differ even where case is ignored, stay within their folder
// and are the names themselves where they can be; Stan's are legal and differ.
func TestNames(t *testing.T) {
	if got, want := strings.Join(arrayNames(awkward, "draw"),
		" "), "alpha H.initial x.x*y β a%2Fb theta[1] theta[2] Alpha~2 draw~2 lp__"; got != want {
		t.Errorf("array names\n%s, want\n%s", got, want)
	}
	if got, want := strings.Join(stanNames(awkward), " "), "alpha H_initial x_x_y beta a_b theta.1 theta.2 Alpha draw_2 lp"; got != want {
		t.Errorf("Stan names\n%s, want\n%s", got, want)
	}
	for _, c := range []struct{ in, want string }{
		{"x[1,1] x[2,1] x[1,2] x[2,2]", "x.1.1 x.2.1 x.1.2 x.2.2"}, // first index fastest
		{"x[1,1] x[1,2] x[2,1] x[2,2]", "x_1_1 x_1_2 x_2_1 x_2_2"}, // not Stan's order
		{"x[1] x[3]", "x_1 x_3"},                                   // a hole
		{"x[1] y x[2]", "x_1 y x_2"},                               // in two pieces
		{"x x[1]", "x x_1"},                                        // scalar and array
		{"x[0]", "x_0"},                                            // Stan counts from 1
		{"a*b a+b a_b_2", "a_b a_b_3 a_b_2"},                       // legal names keep theirs
		{"β beta ς σ Ω", "beta_2 beta sigma sigma_2 Omega"},        // likewise
		{"1 _ été", "p1 p_ p_t"},
		{"b[A,1] b[B,1] b[A,2] b[B,2] b_1_2", "b.1.1 b.2.1 b.1.2 b.2.2 b_1_2"},
		{"b[A,u] b[B,u] b[A,v] b[B,v] b", "b_A_u b_B_u b_A_v b_B_v b"},                   // beside a scalar
		{"b[A,1] b[B,1] b[A,2] c b[B,2]", "b_A_1 b_B_1 b_A_2 c b_B_2"},                   // in two pieces
		{"b[A,1] b[B,1] b[A,2] b[C,2]", "b_A_1 b_B_1 b_A_2 b_C_2"},                       // not the same rows
		{"b[A,1] b[B,1] b[A,1] b[B,1]", "b_A_1 b_B_1 b_A_1_2 b_B_1_2"},                   // twice the same column
		{"c[a,x] c[a,y] c[b,x] c[b,y]", "c_a_x c_a_y c_b_x c_b_y"},                       // a vector, sorted
		{"L[2,1] L[3,1] L[3,2] L_2_1", "L_2_1_2 L_3_1 L_3_2 L_2_1"},                      // a triangle, beside a scalar
		{"b[1,1] b[2,1] b[1,2] b[2,2] b_1_2 b.1", "b_1_1 b_2_1 b_1_2_2 b_2_2 b_1_2 b_1"}, // in two pieces, beside a scalar
	} {
		if got := strings.Join(stanNames(strings.Fields(c.in)), " "); got != c.want {
			t.Errorf("stanNames(%s) = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestNamesAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.String(), 1, 12, func(s string) string { return s }).Draw(t, "names")
		seen := map[string]bool{"chain": true}
		for _, n := range arrayNames(names, "chain") {
			if l := strings.ToLower(n); seen[l] || n != filepath.Base("./"+n) && n != "" || n == "." || n == ".." {
				t.Fatalf("array name %q", n)
			} else {
				seen[l] = true
			}
		}
		for _, n := range stanNames(names) {
			if seen["stan "+n] || strings.Trim(n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != "" ||
				strings.HasSuffix(n, "__") {
				t.Fatalf("Stan name %q", n)
			}
			seen["stan "+n] = true
		}
	})
}
