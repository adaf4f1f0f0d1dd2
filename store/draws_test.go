package store

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// awkward are names that files, Stan or R would stumble over.
var awkward = []string{"alpha", "H.initial", "x.x*y", "β", "a/b", "theta[1]", "theta[2]", "Alpha", "draw", "lp__"}

// autoregressive makes draws of several chains with two hot rungs.
func autoregressive(names []string, chains, n, warm int) *Draws {
	r := rand.New(rand.NewPCG(1, 2))
	make1 := func(n int) Chain {
		c := Chain{Stats: []Column{{"reflections", make([]float64, n)}}}
		for rung := range 3 {
			x, u := make([]float64, n*len(names)), make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64() * float64(rung+1)
				if i >= len(names) {
					x[i] += 0.7 * x[i-len(names)]
				}
			}
			for i := range u {
				u[i] = r.ExpFloat64()
				c.Stats[0].Values[i] = float64(r.IntN(3))
			}
			c.X, c.Energy = append(c.X, x), append(c.Energy, u)
		}
		return c
	}
	d := &Draws{Names: names, Temperature: []float64{0.5, 2, 8}, BurnIn: 10 * warm, Thin: 10, Model: "odd names", Seed: math.MaxUint64, Version: "0.1.0"}
	for range chains {
		d.Chains = append(d.Chains, make1(n))
		if warm > 0 {
			d.Warmup = append(d.Warmup, make1(warm))
		}
	}
	for i := range d.Warmup { // hot rungs are not kept during warm-up
		w := &d.Warmup[i]
		w.X, w.Energy = w.X[:1], w.Energy[:1]
	}
	d.Observed = []Array{
		{Name: "H'", Dims: []string{"year", "side"}, Shape: []int{3, 2}, Values: []float64{1, 2, 3, 4, math.NaN(), 6}},
		{Name: "year", Dims: []string{"year"}, Shape: []int{3}, Values: []float64{1900, 1901, 1902}},
	}
	return d
}

var same = cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateEmpty()}

// The folder of this test is what script/interop reads; R2SGLD_STORE_OUT says
// where to leave it.
func TestRoundTripThroughFolder(t *testing.T) {
	dir := scratch(t)
	if out := os.Getenv("R2SGLD_STORE_OUT"); out != "" {
		dir = out
	}
	f, err := Create(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	d := autoregressive(awkward, 4, 503, 100)
	if err := f.WriteDraws(d); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got, same); diff != "" {
		t.Errorf("through Zarr (-written +read):\n%s", diff)
	}
	if err := os.RemoveAll(f.Path("draws.zarr")); err != nil {
		t.Fatal(err)
	}
	got, err = Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(onlyCold(d), got, same); diff != "" {
		t.Errorf("through Stan CSV (-written +read):\n%s", diff)
	}
	if err := f.WriteDraws(d); err != nil {
		t.Fatal(err)
	}
}

// onlyCold is what Stan CSV keeps of draws.
func onlyCold(d *Draws) *Draws {
	c := *d
	c.Model, c.Temperature = legal(d.Model), []float64{d.tau()}
	c.Warmup, c.Observed, c.Chains = nil, nil, nil
	for _, ch := range d.Chains {
		accept := Column{"accept_stat", make([]float64, d.N())}
		one := Chain{X: ch.X[:1], Stats: []Column{accept}}
		if len(ch.Energy) > 0 {
			one.Energy = ch.Energy[:1]
		} else { // lp__ is 0 for what has no energy
			one.Energy = [][]float64{make([]float64, d.N())}
		}
		c.Chains = append(c.Chains, one)
	}
	return &c
}

func drawsOf(t *rapid.T) *Draws {
	name := rapid.StringMatching(`[a-zαβ][a-zA-Z0-9_.*/\[\]%~=#" \-]{0,6}|\.|\.\.|chain|[xy]\[[123]\]|[xy]\.[12]\.[12]`)
	dist := func(s string) string { return s }
	d := &Draws{
		Names: rapid.SliceOfNDistinct(name, 1, 9, dist).Draw(t, "names"),
		Model: "m", Thin: rapid.IntRange(1, 5).Draw(t, "thin"), BurnIn: rapid.IntRange(0, 9).Draw(t, "burn"),
		Temperature: []float64{rapid.Float64Range(1e-3, 1e3).Draw(t, "tau")}, Version: "1", Seed: rapid.Uint64().Draw(t, "seed"),
	}
	n := rapid.IntRange(0, 4).Draw(t, "draws")
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 5e-324, math.MaxFloat64}))
	for range rapid.IntRange(1, 3).Draw(t, "chains") {
		d.Chains = append(d.Chains, Chain{
			X:      [][]float64{rapid.SliceOfN(number, n*len(d.Names), n*len(d.Names)).Draw(t, "x")},
			Energy: [][]float64{rapid.SliceOfN(number, n, n).Draw(t, "u")},
		})
	}
	return d
}

// Every bit of every draw comes back, under its own name, from both formats.
func TestRoundTripAnything(t *testing.T) {
	root := scratch(t)
	rapid.Check(t, func(t *rapid.T) {
		d := drawsOf(t)
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		f := &Folder{dir: dir, files: quick{}}
		if err := f.WriteDraws(d); err != nil {
			t.Fatal(err)
		}
		got, err := ReadZarr(f.Path("draws.zarr"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(bits(d), bits(got)); diff != "" {
			t.Fatalf("Zarr:\n%s", diff)
		}
		var paths []string
		for i := range d.Chains {
			paths = append(paths, f.Path("draws-"+string(rune('1'+i))+".csv"))
		}
		got, err = ReadStanCSV(paths...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Chains {
			got.Chains[i].Stats = nil // accept_stat__
		}
		if diff := cmp.Diff(bits(d), bits(got)); diff != "" {
			t.Fatalf("Stan CSV:\n%s", diff)
		}
	})
}

// bits is d with every NaN alike and negative zero told from zero.
func bits(d *Draws) any {
	type plain struct {
		Names   []string
		Chains  [][2][]uint64
		Numbers []any
	}
	p := plain{Names: d.Names, Numbers: []any{d.Temperature, d.BurnIn, max(1, d.Thin), d.Seed, d.Version, d.Model}}
	for _, c := range d.Chains {
		var k [2][]uint64
		for i, s := range [][]float64{c.X[0], c.Energy[0]} {
			k[i] = []uint64{}
			for _, v := range s {
				if v != v {
					v = math.NaN()
				}
				k[i] = append(k[i], math.Float64bits(v))
			}
		}
		p.Chains = append(p.Chains, k)
	}
	return p
}

// Names of arrays differ even where case is ignored, stay within their folder
// and are the names themselves where they can be; Stan's are legal and differ.
func TestNames(t *testing.T) {
	if got, want := strings.Join(arrayNames(awkward, "draw"), " "), "alpha H.initial x.x*y β a%2Fb theta[1] theta[2] Alpha~2 draw~2 lp__"; got != want {
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
			if seen["stan "+n] || strings.Trim(n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != "" || strings.HasSuffix(n, "__") {
				t.Fatalf("Stan name %q", n)
			}
			seen["stan "+n] = true
		}
	})
}

func TestDrawsThatDoNotFit(t *testing.T) {
	f, err := Create(t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	one := func(change func(*Draws)) *Draws {
		d := autoregressive([]string{"x", "y"}, 2, 5, 2)
		change(d)
		return d
	}
	for want, d := range map[string]*Draws{
		"without parameters":             one(func(d *Draws) { d.Names = nil }),
		"parameter 2 has no name":        one(func(d *Draws) { d.Names[1] = "" }),
		"both named \"x\"":               one(func(d *Draws) { d.Names[1] = "x" }),
		"without chains":                 one(func(d *Draws) { d.Chains = nil }),
		"cut the chains":                 one(func(d *Draws) { d.Chains[1].X[0] = d.Chains[1].X[0][2:] }),
		"4 energies for 5":               one(func(d *Draws) { d.Chains[1].Energy[2] = d.Chains[1].Energy[2][1:] }),
		"not those of chain 1":           one(func(d *Draws) { d.Chains[1].Stats = nil }),
		"no draws of the cold rung":      one(func(d *Draws) { d.Chains[0].X = nil }),
		"\"reflections\" has 0 values":   one(func(d *Draws) { d.Chains[0].Stats[0].Values = nil }),
		"2 chains, but 1 of warm-up":     one(func(d *Draws) { d.Warmup = d.Warmup[:1] }),
		"temperature NaN":                one(func(d *Draws) { d.Temperature[1] = math.NaN() }),
		"shape [3] holds 3 numbers":      one(func(d *Draws) { d.Observed[1].Values = nil }),
		"warm-up: chain 2: rung 1 has 0": one(func(d *Draws) { d.Warmup[1].X[0] = nil }),
	} {
		err := f.WriteDraws(d)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(f.dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// statistic is a column of that name, one slice per chain.
func statistic(d *Draws, name string) (chains [][]float64) {
	for _, c := range d.Chains {
		for _, s := range c.Stats {
			if s.Name == name {
				chains = append(chains, s.Values)
			}
		}
	}
	return chains
}
