package main

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

// A target is a law whose exact numbers do not come from this program.
type target struct {
	Mean, SD []float64
	LogZ     float64
	Modes    []mode
}

// A mode is a part of the domain and its probability.
type mode struct {
	name string
	in   func(x []float64) bool
	mass float64
}

func reference(t *testing.T, file string, v any) {
	t.Helper()
	b, err := os.ReadFile("../../testdata/reference/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// cell is the unit square around (i, j).
func cell(i, j int) func(x []float64) bool {
	return func(x []float64) bool { return math.Round(x[0]) == float64(i) && math.Round(x[1]) == float64(j) }
}

// planeTruth is multimodal.json's: moments, Z and the masses of the 25 unit cells.
func planeTruth(t *testing.T, name string) target {
	var all map[string]json.RawMessage
	reference(t, "multimodal.json", &all)
	var v struct {
		Cold struct {
			Z    float64
			X, Y float64 `json:"-"`
			MX   float64 `json:"mean_x"`
			MY   float64 `json:"mean_y"`
			SX   float64 `json:"sd_x"`
			SY   float64 `json:"sd_y"`
		} `json:"tau1"`
		Cells [5][5]float64 `json:"mode_mass_tau1_rows_y_-2..2_cols_x_-2..2"`
	}
	if err := json.Unmarshal(all[name], &v); err != nil {
		t.Fatal(err)
	}
	c := v.Cold
	out := target{Mean: []float64{c.MX, c.MY}, SD: []float64{c.SX, c.SY}, LogZ: math.Log(c.Z)}
	for j, row := range v.Cells {
		for i, mass := range row {
			out.Modes = append(out.Modes, mode{string(rune('a'+i)) + string(rune('1'+j)), cell(i-2, j-2), mass})
		}
	}
	return out
}

// heartTruth is by the cone over the boundary curve γ: ∫ f = ∫∫ f(ργ) ρ (γ×γ′) dρ dt
// in the midpoint rule. The cells cut through the cones, so that their masses have
// only the accuracy of the rule, 1e-5 (half the points: equal within that).
func heartTruth() target {
	const nt, nr = 3000, 1500
	var out target
	var z float64
	var m, s [2]float64
	cells := [7][7]float64{}
	for a := range nt {
		t := 2 * math.Pi * (float64(a) + 0.5) / nt
		gx := 0.2 * 16 * math.Pow(math.Sin(t), 3)
		gy := 0.2 * (13*math.Cos(t) - 5*math.Cos(2*t) - 2*math.Cos(3*t) - math.Cos(4*t))
		dx := 0.2 * 48 * math.Pow(math.Sin(t), 2) * math.Cos(t)
		dy := 0.2 * (-13*math.Sin(t) + 10*math.Sin(2*t) + 6*math.Sin(3*t) + 4*math.Sin(4*t))
		w := math.Abs(gx*dy-gy*dx) * 2 * math.Pi / nt / nr
		for b := range nr {
			r := (float64(b) + 0.5) / nr
			x, y := r*gx, r*gy
			p := w * r * math.Exp(-((x*x+y*y)/10-(math.Cos(2*math.Pi*x)+math.Cos(2*math.Pi*y)))/0.5)
			z += p
			m[0], m[1] = m[0]+p*x, m[1]+p*y
			s[0], s[1] = s[0]+p*x*x, s[1]+p*y*y
			cells[int(math.Round(x))+3][int(math.Round(y))+3] += p
		}
	}
	for i := range m {
		m[i] /= z
		out.Mean, out.SD = append(out.Mean, m[i]), append(out.SD, math.Sqrt(s[i]/z-m[i]*m[i]))
	}
	for i := range cells {
		for j, mass := range cells[i] {
			out.Modes = append(out.Modes, mode{string(rune('a'+i)) + string(rune('1'+j)), cell(i-3, j-3), mass / z})
		}
	}
	out.LogZ = math.Log(z)
	return out
}

// modesTruth is by quadrature over x1 and the radius of the other four
// coordinates, of which the law only knows that.
func modesTruth() target {
	const n = 400
	x, wx := make([]float64, n), make([]float64, n)
	r, wr := make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(x, wx, -8, 8)
	var z, right, m, s, other float64
	for i, x := range x {
		quad.Legendre{}.FixedLocations(r, wr, 0, math.Sqrt(64-x*x))
		for j, r := range r {
			p := wx[i] * wr[j] * 2 * math.Pi * math.Pi * r * r * r *
				(0.3*math.Exp(-((x+4)*(x+4)+r*r)/2) + 0.7*math.Exp(-((x-4)*(x-4)+r*r)/2))
			z, m, s, other = z+p, m+p*x, s+p*x*x, other+p*r*r/4
			if x > 0 {
				right += p
			}
		}
	}
	m, s, other = m/z, s/z, math.Sqrt(other/z)
	return target{Mean: []float64{m, 0, 0, 0, 0}, SD: []float64{math.Sqrt(s - m*m), other, other, other, other}, LogZ: math.Log(z),
		Modes: []mode{{"left", func(x []float64) bool { return x[0] < 0 }, 1 - right/z}}}
}

// chainTruth is that of chain.yaml, a Gaussian autoregressive chain of ten in a
// box: the law is a product of factors of neighbours, and so the quadrature runs
// forward and backward along the chain, 96 nodes for each coordinate.
func chainTruth() target {
	const n, d = 96, 10
	mu := [d]float64{0.5, -0.2, 1, 0, -0.5, 0.3, 0, 1, 0.1, -1}
	sd := [d]float64{1, 0.5, 2, 0.3, 1.5, 0.7, 3, 1, 0.4, 1}
	a := [d]float64{0, 0.8, -0.6, 0.7, 0.5, -0.8, 0.6, 0.9, -0.5, 0.7}
	lo := [d]float64{-0.5, -1.2, 0, -0.45, -5, -0.4, -6, -0.2, -0.02, -3}
	hi := [d]float64{2.5, 0.15, 5, 0.9, 0.25, 1.7, 3, 2.5, 1.1, -0.2}
	var x, w [d][]float64
	for i := range d {
		x[i], w[i] = make([]float64, n), make([]float64, n)
		quad.Legendre{}.FixedLocations(x[i], w[i], lo[i], hi[i])
	}
	factor := func(i int, before, at float64) float64 { // of coordinate i given the one before
		e := (at - mu[i]) / sd[i]
		if i > 0 {
			e -= a[i] * (before - mu[i-1]) / sd[i-1]
		}
		return math.Exp(-e * e / (2 * (1 - a[i]*a[i])))
	}
	var forward, backward [d][n]float64
	for k := range n {
		forward[0][k], backward[d-1][k] = factor(0, 0, x[0][k]), 1
	}
	for i := 1; i < d; i++ {
		for k := range n {
			for l := range n {
				forward[i][k] += w[i-1][l] * forward[i-1][l] * factor(i, x[i-1][l], x[i][k])
				backward[d-1-i][k] += w[d-i][l] * backward[d-i][l] * factor(d-i, x[d-1-i][k], x[d-i][l])
			}
		}
	}
	var out target
	for i := range d {
		var z, m, s float64
		for k, x := range x[i] {
			p := w[i][k] * forward[i][k] * backward[i][k]
			z, m, s = z+p, m+p*x, s+p*x*x
		}
		m /= z
		out.Mean, out.SD, out.LogZ = append(out.Mean, m), append(out.SD, math.Sqrt(s/z-m*m)), math.Log(z)
	}
	return out
}

// fileTruth is that of a reference file.
func fileTruth(t *testing.T, file, key string) target {
	var all map[string]json.RawMessage
	reference(t, file, &all)
	var v struct {
		Mean, SD []float64
		LogZ     float64 `json:"log_Z"`
	}
	if err := json.Unmarshal(all[key], &v); err != nil || len(v.Mean) == 0 {
		t.Fatalf("%s: %v", file, err)
	}
	return target{Mean: v.Mean, SD: v.SD, LogZ: v.LogZ}
}
