package mixing

import (
	"context"
	"math"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/study"
)

// Exact is a gap that is known, on finer and finer grids.
type Exact struct {
	Name    string    `json:"name"`
	Formula string    `json:"formula"`
	Gap     float64   `json:"exact"`
	Cells   []int     `json:"cells"` // along the longest side
	Found   []float64 `json:"gap"`
	Error   []float64 `json:"relative_error"`
	Order   Power     `json:"order"` // of the side of a cell in the error
}

// A known problem has a gap that is known.
type known struct {
	problem
	formula string
	gap     float64
	cells   []int
}

// besselSlope is j′₁,₁, the first positive zero of the derivative of J₁.
const besselSlope = 1.841183781340659302

// knowns are the problems with known gaps.
func (e effort) knowns() ([]known, error) {
	type shape func() (domain.Domain, error)
	var out []known
	var err error
	add := func(name, formula string, gap, tau float64, bowl bool, cells []int, s shape) {
		d, fault := s()
		if fault != nil {
			err = fault
			return
		}
		p := problem{name: name, domain: d, tau: []float64{tau}}
		if bowl {
			p.potential = half(d.Dim())
		}
		out = append(out, known{p, formula, gap, cells})
	}
	add("interval of length 2, U = 0, τ = 1", "τπ²/ℓ²", math.Pi*math.Pi/4, 1, false, e.exactLine,
		func() (domain.Domain, error) { return interval(0, 2) })
	add("[−8, 8], U = x²/2, τ = 1", "1", 1, 1, true, e.exactLine,
		func() (domain.Domain, error) { return interval(-8, 8) })
	add("[−16, 16], U = x²/2, τ = 4", "1", 1, 4, true, e.exactLine,
		func() (domain.Domain, error) { return interval(-16, 16) })
	add("rectangle of 2 by 1, U = 0, τ = 1", "τπ²/ℓ²", math.Pi*math.Pi/4, 1, false, e.exactPlane,
		func() (domain.Domain, error) { return rectangle([2]float64{0, 2}, [2]float64{0, 1}) })
	add("disk of radius 1, U = 0, τ = 1", "τ(j′₁,₁/R)²", square(besselSlope), 1, false, e.exactPlane,
		func() (domain.Domain, error) { return disk(1) })
	add("equilateral triangle of side 1, U = 0, τ = 1", "τ·16π²/(9ℓ²)", 16*math.Pi*math.Pi/9, 1, false, e.exactPlane,
		func() (domain.Domain, error) {
			return polygon([2]float64{0, 0}, [2]float64{1, 0}, [2]float64{0.5, math.Sqrt(3) / 2})
		})
	return out, err
}

// exact compares gaps with closed forms.
func (e effort) exact(ctx context.Context, o study.Options) ([]Exact, error) {
	all, err := e.knowns()
	if err != nil {
		return nil, err
	}
	return each(ctx, o, "exact values", len(all), func(ctx context.Context, i int) (Exact, error) {
		k := all[i]
		x := Exact{Name: k.name, Formula: k.formula, Gap: k.gap, Cells: k.cells}
		var side []float64
		for _, n := range k.cells {
			found, err := k.problem.gap(ctx, n)
			if err != nil {
				return x, err
			}
			x.Found, x.Error = append(x.Found, found), append(x.Error, math.Abs(found/k.gap-1))
			side = append(side, 1/float64(n))
		}
		x.Order = powerOf(side, x.Error)
		return x, nil
	})
}
