package mixing

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/r2sgld/r2sgld/internal/study"
)

//go:embed text.tmpl
var words string

// prose is what the study says.
var prose = sync.OnceValue(func() *study.Prose {
	return study.NewProse(words, template.FuncMap{
		"signed": signed, "slope": func(p Power) study.Number { return p.number("") }, "nearSlope": func() float64 { return nearSlope },
		"duration": func() float64 { return duration }, "least": slices.Min[[]float64], "most": slices.Max[[]float64],
		"rate": func(d Decay) float64 { return d.Slope / (2 * d.Gap) }, "all": spread, "curvature": curvature,
		"gain": func(s Sweep) float64 { return s.gain() }, "alone": func(s Sweep) float64 { return s.alone() },
		"sweeps": func(a Acceleration) []Sweep { return slices.Concat(a.Intensity, a.Hot, a.Diameter) },
		"over":   Family.over, "laws": laws,
	})
})

// spread tells numbers one after the other.
func spread(v []float64) string {
	var out []string
	for _, x := range v {
		out = append(out, show(x))
	}
	return strings.Join(out, ", ")
}

// curvature tells a least curvature.
func curvature(c Curvature) string {
	if !c.Known {
		return "corners"
	}
	return show(math.Round(c.Value*1e6) / 1e6)
}

// over are gap·diameter²/(τπ²) of the sizes.
func (f Family) over() []float64 {
	out := make([]float64, len(f.Gap))
	for i := range out {
		out[i] = f.Gap[i] * square(f.Diameter[i]/math.Pi) / f.Tau[0]
	}
	return out
}

// A law is what convex polygons have over the bound with a potential.
type law struct {
	Name  string
	Over  []float64
	Below int // the bound
}

// laws are those of the polygons.
func laws(all []Polygon) []law {
	out := []law{{Name: "U = 0"}, {Name: "U = |x|²/2"}, {Name: "25 modes"}}
	for _, p := range all {
		for i, v := range []float64{p.Free, p.Convex, p.Modes} {
			out[i].Over = append(out[i].Over, v)
			if v < 1 {
				out[i].Below++
			}
		}
	}
	return out
}
