package figure

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
	"gonum.org/v1/plot/cmpimg"
)

// bell is the density of a normal law, cut at its lower bound.
func bell(name, unit string, mean, sd, lower float64) Marginal {
	m := Marginal{
		Axis: Axis{name, unit}, Mode: math.Max(mean, lower),
		Interval: [2]float64{math.Max(mean-1.6*sd, lower), mean + 1.6*sd},
		Bounds:   [2]float64{lower, math.Inf(1)},
	}
	for k := -60; k <= 60; k++ {
		if x := mean + sd*float64(k)/15; x >= lower {
			m.X = append(m.X, x)
			m.Density = append(m.Density, math.Exp(-0.5*math.Pow((x-mean)/sd, 2)))
		}
	}
	return m
}

func flower(x, y float64) bool {
	return math.Hypot(x, y) <= 2+0.8*math.Sin(5*math.Atan2(y, x))
}

// flowerDraws are n draws near nine modes, those in the flower.
func flowerDraws(n int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([][]float64, 2)
	for len(out[0]) < n {
		x := 1.2*float64(r.IntN(3)-1) + 0.3*r.NormFloat64()
		y := 1.2*float64(r.IntN(3)-1) + 0.3*r.NormFloat64()
		if flower(x, y) {
			out[0], out[1] = append(out[0], x), append(out[1], y)
		}
	}
	return out
}

// walks are autoregressive ladders of n draws.
func walks(parameters, ladders, n int) []Ladders {
	r := rand.New(rand.NewPCG(3, 4))
	names := [...]string{"α", "β′", "γ_HL", "a name of many letters, longer than its panel", "σ̃²"}
	out := make([]Ladders, parameters)
	for i := range out {
		out[i].Axis = Axis{names[i%len(names)], "1/yr"}
		for range ladders {
			v, x := make([]float64, n), 0.0
			for k := range v {
				x = 0.9*x + r.NormFloat64()
				v[k] = 0.02 + 0.001*x
			}
			out[i].Draws = append(out[i].Draws, v)
		}
	}
	return out
}

// responses are two sines with noise.
func responses() []Response {
	r := rand.New(rand.NewPCG(5, 6))
	out := []Response{{Axis: Axis{"d log H/dt", "1/yr"}}, {Axis: Axis{"d log L/dt", "1/yr"}}}
	for i := range out {
		q := &out[i]
		q.SD = 0.2 * float64(1-i) // of the second it is not known
		for k := range 19 {
			t := 1901 + float64(k)
			f := math.Sin(t + float64(i))
			q.Time, q.Fitted = append(q.Time, t), append(q.Fitted, f)
			q.Low, q.High = append(q.Low, f-0.15), append(q.High, f+0.15)
			q.Observed = append(q.Observed, f+0.2*r.NormFloat64())
		}
	}
	return out
}

func marginals() []Marginal {
	m := []Marginal{
		bell("α_H", "1/yr", 0.55, 0.03, 0), bell("β", "1/(kpelt yr)", 0.028, 0.002, 0.0265),
		bell("θ′ ± a very long name that does not fit", "µm²", 1.2e6, 1e4, math.Inf(-1)),
	}
	m[0].Truth = []float64{0.57}
	return m
}

// triple is three parameters with two modes, and their densities.
func triple() Pairs {
	r := rand.New(rand.NewPCG(15, 16))
	q := Pairs{Draws: make([][]float64, 3), Sample: Sample{Draws: 3000, Ladders: 2}, Bandwidth: []float64{0.06, 0.06, 0.06}}
	for k := range 3000 {
		side := float64(2*(k%3/2) - 1)
		for j := range q.Draws {
			q.Draws[j] = append(q.Draws[j], 0.5*side*float64(3-j)+0.3*math.Abs(r.NormFloat64()))
		}
	}
	for j, name := range [...]string{"α", "β", "γ"} {
		q.Axes = append(q.Axes, Axis{Name: name})
		m := Marginal{Axis: q.Axes[j], Mode: -0.5 * float64(3-j), Bounds: [2]float64{-0.5 * float64(3-j), math.Inf(1)}}
		for k := range 200 {
			x, f := m.Mode+0.02*float64(k), 0.0
			for i, weight := range [...]float64{2, 1} {
				if d := x - 0.5*float64(3-j)*float64(2*i-1); d >= 0 {
					f += weight * math.Exp(-0.5*d*d/0.09)
				}
			}
			m.X, m.Density = append(m.X, x), append(m.Density, f)
		}
		q.Marginals = append(q.Marginals, m)
	}
	return q
}

// gallery draws the pictures that are kept, by file name.
func gallery(t *testing.T) map[string]*Figure {
	out := map[string]*Figure{}
	keep := func(name string) func(*Figure, error) {
		return func(f *Figure, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out[name] = f
		}
	}
	keep("marginals.png")(Marginals(marginals(), 90, Sample{Draws: 12000, Ladders: 8}))
	keep("marginals.svg")(Marginals(marginals(), 90, Sample{Draws: 12000, Ladders: 8}))
	keep("flower.png")(PairPlot(Pairs{
		Axes: []Axis{{"x", ""}, {"y", ""}}, Draws: flowerDraws(4000), Sample: Sample{Draws: 4000, Ladders: 4},
		View:   [][2]float64{{-2.8, 2.8}, {-2.8, 2.8}},
		Inside: func(i, j int) func(x, y float64) bool { return flower },
	}))
	keep("pairs.png")(PairPlot(triple()))
	keep("basins.png")(Disconnectivity(valleys()))
	keep("basins.svg")(Disconnectivity(valleys()))
	keep("basins-steep.png")(Disconnectivity(steep()))
	keep("traces.svg")(Traces(walks(2, 2, 300)))
	keep("traces.png")(Traces(walks(3, 4, 1000)))
	keep("ranks.png")(Ranks(walks(3, 4, 1000), []float64{100, 100, 100}))
	keep("fit.png")(Fit(responses(), Axis{"time", "yr"}, 90))
	keep("predictive.png")(Predictive(predictions(120, 200), 90)) // shares of ones run flatter than the diagonal
	keep("residuals.svg")(Residuals(responses(), Axis{"time", "yr"}))
	ladderGallery(t, keep)
	studyGallery(keep)
	dynamicalGallery(keep)
	forecastGallery(keep)
	trainingGallery(keep)
	mixingGallery(keep)
	return out
}

// TestGolden compares pictures with those in testdata; -regen renews them. The
// tolerance for PNG, a hundredth of the largest difference of colours, allows
// for fused multiplication on other machines; a line moved by half a pixel
// differs by more.
func TestGolden(t *testing.T) {
	pace.Slow(t)
	for name, f := range gallery(t) {
		var b bytes.Buffer
		write := f.WritePNG
		if strings.HasSuffix(name, ".svg") {
			write = f.WriteSVG
		}
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *cmpimg.GenerateTestData {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		same, err := cmpimg.EqualApprox(filepath.Ext(name)[1:], b.Bytes(), want, 0.01)
		if err != nil {
			t.Fatal(err)
		}
		if !same {
			got := filepath.Join(os.TempDir(), "figure-"+name)
			if err := os.WriteFile(got, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Errorf("%s differs from testdata: the new one is %s; if it is as it should be, run go test -regen", name, got)
		}
	}
}

// TestSameBytes draws twice: map order or a date would show.
func TestSameBytes(t *testing.T) {
	draw := func() (svg, png []byte) {
		f, err := PairPlot(Pairs{
			Axes: []Axis{{"x", ""}, {"y", ""}}, Draws: flowerDraws(500),
			Inside: func(i, j int) func(x, y float64) bool { return flower },
		})
		if err != nil {
			t.Fatal(err)
		}
		var a, b bytes.Buffer
		if err := f.WriteSVG(&a); err != nil {
			t.Fatal(err)
		}
		if err := f.WritePNG(&b); err != nil {
			t.Fatal(err)
		}
		return a.Bytes(), b.Bytes()
	}
	svg, png := draw()
	svg2, png2 := draw()
	if !bytes.Equal(svg, svg2) || !bytes.Equal(png, png2) {
		t.Error("equal data gave different bytes")
	}
}

// TestFileSizes draws the largest figures that are allowed.
func TestFileSizes(t *testing.T) {
	pace.Slow(t)
	check := func(name string) func(*Figure, error) {
		return func(f *Figure, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			for kind, c := range map[string]struct {
				write func(io.Writer) error
				most  int
			}{"SVG": {f.WriteSVG, 600_000}, "PNG": {f.WritePNG, 400_000}} {
				if name == "densities" {
					c.most = 400_000
				}
				var b bytes.Buffer
				if err := c.write(&b); err != nil {
					t.Fatal(err)
				}
				if b.Len() > c.most {
					t.Errorf("%s: %s of %d bytes, want at most %d", name, kind, b.Len(), c.most)
				}
			}
		}
	}
	large := walks(20, 16, 500)
	check("traces")(Traces(large))
	check("traces of 8 ladders")(Traces(walks(5, 8, 3000)))
	check("ranks")(Ranks(large, nil))
	q := Pairs{}
	for _, p := range walks(8, 1, 4000) {
		q.Axes, q.Draws = append(q.Axes, p.Axis), append(q.Draws, p.Draws[0])
	}
	q.Inside = func(i, j int) func(x, y float64) bool {
		return func(x, y float64) bool { return x+y < 0.042 }
	}
	check("pairs")(PairPlot(q))
	check("index process")(IndexProcess(index(32, 20000)))
	check("trajectory")(TrajectoryPlot(flowerWalk(t, MostSteps)))
	four := densityMaps()
	four.RowNames = nil
	four.Rows = append(four.Rows, four.Rows[0], four.Rows[1])
	check("densities")(Densities(four))
	check("curves")(Curves(divergences()))
	check("learning curves")(LearningCurves(lessons(1000, netMethods)))
	check("layers")(LayerTemperatures(netLayers(18, 1), 1, ""))
	check("modes")(ModePanels(flowerModes(400)))
	check("reflections")(ReflectionMap(reflections(18, 1000)))
}
