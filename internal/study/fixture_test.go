package study

import (
	"bytes"
	"fmt"
	"image"
	"image/color/palette"
	"image/gif"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/job"
)

func inFlower(x, y float64) bool {
	return math.Hypot(x, y) <= 2/3.5*(math.Sin(5*math.Atan2(y, x))+3)
}

// walkOf is a picture of a walk that is reflected in the flower.
func walkOf(t testing.TB) *figure.Figure {
	t.Helper()
	q := figure.Trajectory{Axes: [2]figure.Axis{{Name: "x"}, {Name: "y"}}, View: [2][2]float64{{-2.5, 2.5}, {-2.5, 2.5}},
		Inside: inFlower, Temperature: [2]float64{1, 10}}
	for k := range 200 {
		a := float64(k)
		at := [2]float64{0.8*math.Sin(a/9) + 0.1*math.Sin(a*a), 0.8*math.Cos(a/7) + 0.1*math.Cos(3*a*a)}
		if n := len(q.Cold); n > 0 {
			q.Cold = append(q.Cold, figure.Step{From: q.Cold[n-1].X, X: at})
		} else {
			q.Cold = append(q.Cold, figure.Step{X: at})
		}
	}
	q.Hot = q.Cold
	f, err := figure.TrajectoryPlot(q)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tracesOf is a picture that is large if there are many draws.
func tracesOf(t testing.TB, draws int) *figure.Figure {
	t.Helper()
	var l []figure.Ladders
	for _, name := range []string{"x", "y"} {
		chains := make([][]float64, 4)
		for c := range chains {
			for k := range draws {
				chains[c] = append(chains[c], math.Sin(float64(k*(c+3)))+math.Cos(float64(k*k)))
			}
		}
		l = append(l, figure.Ladders{Axis: figure.Axis{Name: name}, Draws: chains})
	}
	f, err := figure.Traces(l)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// with is p with a figure.
func (p Picture) with(t testing.TB, f *figure.Figure) Picture {
	t.Helper()
	var err error
	if p.SVG, p.PNG, err = job.Draw(f); err != nil {
		t.Fatal(err)
	}
	return p
}

// animation is a dot that moves to the right.
func animation(t testing.TB) []byte {
	t.Helper()
	var g gif.GIF
	for k := range 24 {
		m := image.NewPaletted(image.Rect(0, 0, 320, 240), palette.WebSafe)
		for i := range m.Pix {
			x, y := i%320, i/320
			m.Pix[i] = 215 // white
			if (x-20-12*k)*(x-20-12*k)+(y-120)*(y-120) < 150 {
				m.Pix[i] = 20
			} else if (x-160)*(x-160)+(y-120)*(y-120) > 110*110 {
				m.Pix[i] = 172
			}
		}
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 6)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inventedStudies are two studies with numbers that were made up.
func inventedStudies(t testing.TB) []*Study {
	t.Helper()
	nan := math.NaN()
	score := Table{Title: "KL divergence to the truth", Caption: "After 40,000 draws, ten runs; draws outside the domain count as lost mass.",
		Columns: []string{"method", "flower", "octagon", "heart", "cross", "star", "draws outside"}}
	for i, m := range []string{"SGLD", "cycSGLD", "reSGLD", "P-SGLD", "P-cycSGLD", "P-reSGLD", "R-SGLD", "R-cycSGLD", "r2SGLD"} {
		row := []string{m}
		for d := range 5 {
			row = append(row, fmt.Sprintf("%.3f ± %.3f", 1.9/float64(i+d+1), 0.08/float64(i+1)))
		}
		score.Rows = append(score.Rows, append(row, []string{"34.1 %", "1.2 %", "0"}[i/3]))
	}
	score.Best = [][2]int{{8, 1}}
	many := []Number{{"KL of r2SGLD, flower", 0.0312, 0.0291, 0.0334, false}, {"KL of the next, flower", 0.452, 0.31, 0.61, false}}
	for _, d := range []string{"octagon", "heart", "cross", "star"} {
		many = append(many, Number{"KL of r2SGLD, " + d, 0.0417, 0.0388, 0.0449, false})
	}
	multimodal := &Study{
		Name: "multimodal", Title: "The multi-modal target on five domains", Scale: "paper", Seed: 1, Seconds: 47.31,
		Command: "r2sgld reproduce multimodal --scale paper --seed 1",
		Effort:  "10 runs of 50,000 iterations", Rule: "A claim that a is below b holds if it is so everywhere.", Hint: "All draws are kept.",
		Sections: []Section{{
			Title: "Distance to the truth",
			Text: "Nine methods draw from the same density on five domains. The truth is known by quadrature to 1e-6, so every distance is to " +
				"exact masses of cells 0.2 wide.\n\nDraws outside the domain are counted as lost mass unless a column says otherwise.",
			Tables: []Table{score},
			Pictures: []Picture{Picture{Name: "traces",
				Caption: "Draws of four ladders of r2SGLD on the flower. All ladders visit the whole range."}.with(t, tracesOf(t, 40))},
		}, {
			Title: "How a replica moves",
			Pictures: []Picture{Picture{Name: "walk", Caption: "Two replicas on the flower. The cold one stays in a mode until a swap; the hot " +
				"one is reflected at the wall.", GIF: animation(t)}.with(t, walkOf(t))},
		}},
		Claims: []Claim{
			{"multimodal-best", "5.2", "r2SGLD comes closest to the truth among the nine methods.",
				"KL divergence of the cells' masses after 40,000 draws, ten runs, all five domains.", many, Holds,
				"On every domain its interval lies below those of all others as long as draws outside count.", "protocol paper, invented", ""},
			{"multimodal-cyc", "5.2, figure 4", "R-cycSGLD improves on R-SGLD.", "Difference of log KL at equal mean step size, 200 seeds.",
				[]Number{{"difference of log KL", 0.021, -0.09, 0.13, false}}, Fails,
				"At equal diffusion time the interval holds zero; the paper's gain is that of the larger step.", "", ""},
			{"multimodal-swap", "5.2", "Swaps are accepted in 5 to 20 % of attempts.",
				"Share of accepted swaps with rule metropolis and with rule threshold.",
				[]Number{{"rate, metropolis", 0.296, 0.2955, 0.2965, false}, {"rate, threshold", 0.121, 0.12, 0.122, false}}, Depends,
				"Only the threshold rule, which is biased, gets there; exact swaps are accepted more often.", "", ""},
		},
		Settings: []Setting{{"r2sgld on the flower", "name: flower\nvariables: [x, y]\npotential: \"((x^2 + y^2)/10 - (cos(2*pi*x) + " +
			"cos(2*pi*y)))/0.5\"   # a long line that must scroll in a box of its own on a phone\nsampler:\n  method: r2sgld\n"}},
		Results: map[string]any{"kl": []float64{0.0312, nan}},
	}
	diameter := &Study{
		Name: "diameter", Title: "Convergence against the diameter", Scale: "paper", Seed: 1, Seconds: 131.4,
		Command: "r2sgld reproduce diameter --scale paper --seed 1",
		Sections: []Section{{Title: "Relaxation time", Text: "Octagons of circumradius 1.5 to 3.",
			Tables: []Table{{Title: "Relaxation time", Columns: []string{"radius", "time"}, Rows: [][]string{{"1.5", "0.91"}, {"2", "1.62"}}}}}},
		Claims: []Claim{
			{"diameter-slope", "5.3", "The time to converge grows with the square of the diameter.",
				"Slope of log relaxation time against log diameter.", []Number{{"slope, U = 0", 2.004, 1.97, 2.04, false}}, Holds,
				"The interval holds 2.", "", ""},
			{"diameter-cifar", "5.4", "Bounded weights allow larger steps.", "Training of a ResNet20 on CIFAR-100.", nil, Untestable,
				"The images are not part of this study.", "", ""},
		},
		Results: map[string]any{"slope": 2.004},
	}
	return []*Study{multimodal, diameter}
}
