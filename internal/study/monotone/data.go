package monotone

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/r2sgld/r2sgld/diag"
)

// table has the growth of the duckweed Lemna minor under mixtures of acifluorfen and diquat,
// measured by Nina Cedergreen (Royal Veterinary and Agricultural University, Denmark), analysed
// by Sørensen, Cedergreen, Skovgaard & Streibig (2007), Environmental and Ecological Statistics
// 14, 383–397, and distributed as acidiq in the R package drcData (1.1-3, GPL-2): seven mixtures in eight
// dilutions with three replicates, and twelve controls. A row is the dose of both chemicals
// together, the percentage of it that is the first of them, 999 for the controls, whose dose is
// 0, and the relative growth rate.
//
//go:embed acidiq.csv
var table string

// control is the percentage in the rows of the controls.
const control = 999

// least is the smallest dose above 0, and the unit of doses under the logarithm.
const least = 39.0625

// A row is a vessel.
type row struct {
	dose   float64 // of both chemicals
	pct    int     // of the first in it
	growth float64 // relative growth rate
}

// rows are all vessels.
var rows = sync.OnceValue(func() []row {
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(err)
	}
	var out []row
	for i, l := range lines[1:] {
		r := row{}
		for k, into := range []*float64{&r.dose, nil, &r.growth} {
			if into == nil {
				r.pct, err = strconv.Atoi(l[k])
			} else {
				*into, err = strconv.ParseFloat(l[k], 64)
			}
			if err != nil {
				panic(fmt.Sprintf("acidiq.csv:%d: %v", i+2, err))
			}
		}
		out = append(out, r)
	}
	return out
})

// A form is what a net is told of a row.
type form int

const (
	// mixture is told log(1 + dose/least) of both chemicals together and the share of the first in it,
	// one half of the controls. What has a wall makes growth fall with the dose of a mixture.
	mixture form = iota
	// each is told log(1 + dose/least) of each chemical, and has walls for both.
	each
)

// inputs are what is told of a dose of both chemicals of which a percentage is the first.
func (f form) inputs(dose float64, pct int) [2]float64 {
	share := float64(pct) / 100
	if pct == control {
		share = 0.5
	}
	if f == mixture {
		return [2]float64{math.Log1p(dose / least), share}
	}
	return [2]float64{math.Log1p(dose * share / least), math.Log1p(dose * (1 - share) / least)}
}

// of are the inputs of a row.
func (f form) of(r row) [2]float64 { return f.inputs(r.dose, r.pct) }

// design are the distinct inputs, those of the controls first.
func (f form) design() [][2]float64 {
	var out [][2]float64
	for _, r := range rows() {
		if a := f.of(r); !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// doses is how many of the inputs are doses that growth is to fall with.
func (f form) doses() int {
	if f == mixture {
		return 1
	}
	return 2
}

// A split is rows to learn from and rows to predict, in units that the former give: inputs have
// mean 0 there, inputs and growth the standard deviation 1.
type split struct {
	form        form
	train, test []point
	rows        []row // of train
	centre      [2]float64
	spread      [2]float64
	sd          float64 // of growth
}

// A point is a row in these units.
type point struct {
	z [2]float64
	y float64
}

// splitOf draws so many rows to learn from.
func splitOf(of form, rng *rand.Rand, learn int) *split {
	all := slices.Clone(rows())
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	s := &split{form: of, rows: all[:learn]}
	column := func(value func(row) float64) (mean, sd float64) {
		var v []float64
		for _, r := range s.rows {
			v = append(v, value(r))
		}
		return diag.Mean(v), diag.SD(v)
	}
	for k := range 2 {
		s.centre[k], s.spread[k] = column(func(r row) float64 { return of.of(r)[k] })
	}
	_, s.sd = column(func(r row) float64 { return r.growth })
	for i, r := range all {
		p := point{s.standard(of.of(r)), r.growth / s.sd}
		if i < learn {
			s.train = append(s.train, p)
		} else {
			s.test = append(s.test, p)
		}
	}
	return s
}

// standard are inputs in the units of the split.
func (s *split) standard(a [2]float64) (z [2]float64) {
	for k := range z {
		z[k] = (a[k] - s.centre[k]) / s.spread[k]
	}
	return z
}
