package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/expression"
)

// A correlation is the Cholesky factor L of a correlation matrix of k rows, Ω = L Lᵀ, with the law of
// Lewandowski, Kurowicka and Joe (2009), whose density by the entries of Ω is proportional to det(Ω)^(η−1).
//
// Its coordinates are the entries of L below the diagonal, and those of row i are a point r of the unit
// ball: the row has length 1, so that L_ii = √(1 − |r|²). With the rows above given, entries i of Ω are
// their triangle times r, a determinant of L_11···L_(i−1)(i−1): over all rows that is ∏ L_ii^(k−i). The
// density by the coordinates thus is proportional to ∏ L_ii^(k−i+2(η−1)), that of Stan's
// lkj_corr_cholesky: rows are independent of each other, row i with a density proportional to
// (1 − |r|²)^a, a = (k−i)/2 + η − 1.
type correlation struct {
	rows [][]int // coordinates of rows 2 … k
	eta  float64
}

// lkj is the name of the law of a Cholesky factor of correlations.
const lkj = "lkj_corr_cholesky"

// power is a of a row, which has so many coordinates.
func (c *correlation) power(coordinates int) float64 {
	return float64(len(c.rows)-coordinates)/2 + c.eta - 1
}

func (c *correlation) coordinates() (all []int) {
	for _, row := range c.rows {
		all = append(all, row...)
	}
	return all
}

func (c *correlation) logArea() float64 { return 0 }
func (c *correlation) peaked() bool     { return c.eta < 1 }

// draw writes rows: of a point in d dimensions with that density |r|² has a beta law of d/2 and a + 1,
// and its direction is uniform.
func (c *correlation) draw(x []float64, rng *rand.Rand) {
	for _, row := range c.rows {
		square := 0.0
		for _, j := range row {
			x[j] = rng.NormFloat64()
			square += x[j] * x[j]
		}
		d := float64(len(row))
		scale := math.Sqrt(distuv.Beta{Alpha: d / 2, Beta: c.power(len(row)) + 1, Src: rng}.Rand() / square)
		for _, j := range row {
			x[j] *= scale
		}
	}
}

// density are the terms of the log density, normalised: ∫(1 − |r|²)^a over the unit ball of d dimensions
// is π^(d/2)·Γ(a + 1)/Γ(a + 1 + d/2).
func (c *correlation) density(names []string) (terms []string) {
	log := 0.0
	for _, row := range c.rows {
		d, a := float64(len(row)), c.power(len(row))
		above, _ := math.Lgamma(a + 1 + d/2)
		below, _ := math.Lgamma(a + 1)
		if log += above - below - d/2*math.Log(math.Pi); a == 0 {
			continue
		}
		var entries []string
		for _, j := range row {
			entries = append(entries, names[j])
		}
		terms = append(terms, fmt.Sprintf("%s*log1m(%s)", number(a), squares(entries)))
	}
	return append(terms, number(log))
}

func number(v float64) string { return "(" + strconv.FormatFloat(v, 'g', -1, 64) + ")" }

// squares is the sum of the squares of names.
func squares(names []string) string {
	var all []string
	for _, n := range names {
		all = append(all, expression.Quoted(n)+"^2")
	}
	return strings.Join(all, " + ")
}

// correlated gives a Cholesky factor of correlations its prior.
func (b *builder) correlated(path []string, v *array, text string) (terms []string) {
	if text == "" || text == "flat" {
		text = lkj + "(1)"
	}
	with, ok := strings.CutPrefix(text, lkj+"(")
	eta, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(with, ")")), 64)
	switch {
	case v.corr == 0:
		b.fault(path, -1, "%s is the prior of a cholesky_corr(k), and %s is none", lkj, v.bare)
	case !ok || !strings.HasSuffix(with, ")"):
		b.fault(path, -1, "the prior of a cholesky_corr(k) is %s(eta); found %s", lkj, text)
	case err != nil || !(eta > 0) || math.IsInf(eta, 1):
		b.fault(path, -1, "eta of %s is a positive number; found %q", lkj, strings.TrimSuffix(with, ")"))
	default:
		c := &correlation{v.triangle(), eta}
		first := v.order[0] // whose ball is an interval
		b.out.Prior.Lower[first], b.out.Prior.Upper[first] = max(v.Min, -1), min(v.Max, 1)
		b.out.blocks = append(b.out.blocks, c)
		return c.density(b.out.Names)
	}
	return nil
}

// below are the labels of the entries below the diagonal, by rows.
func (v *array) below() (all [][]string) {
	for i := range v.corr {
		for j := range i {
			all = append(all, []string{strconv.Itoa(i + 1), strconv.Itoa(j + 1)})
		}
	}
	return all
}

// triangle are the coordinates of the rows of a Cholesky factor, from the second on.
func (v *array) triangle() (rows [][]int) {
	at := 0
	for i := 1; i < v.corr; i++ {
		rows = append(rows, v.order[at:at+i])
		at += i
	}
	return rows
}

// derived is an entry of a Cholesky factor of correlations that is no coordinate: 0 above the diagonal, on
// it what leaves the row with length 1. It is "" of others; ok is false of what is no entry.
func (v *array) derived(index string) (text string, ok bool) {
	at := append(v.at(index), "", "")
	i, _ := strconv.Atoi(at[0])
	j, _ := strconv.Atoi(at[1])
	switch {
	case i < 1 || j < 1 || i > v.corr || j > v.corr:
		return "", false
	case i < j:
		return "0", true
	case i == 1:
		return "1", true
	case i > j:
		return "", true
	}
	var row []string
	for k := range i - 1 {
		row = append(row, entry(v.bare, i-1, k))
	}
	return "sqrt(1 - (" + squares(row) + "))", true
}

// factor is what stands for a name in a formula that is an entry of a Cholesky factor of correlations, and
// no coordinate; "" of other names.
func (b *builder) factor(path []string, at int, name string) string {
	bare, index, indexed := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	v := b.vectors[bare]
	if v == nil || v.corr == 0 || !indexed {
		return ""
	}
	text, ok := v.derived(index)
	if !ok {
		b.fault(path, at, "%s is no entry of %s, which has %d rows and columns: write %s[2,1]", name, bare, v.corr, bare)
		return "0"
	}
	return text
}

// Correlates reports whether a coordinate is an entry of a Cholesky factor of correlations.
func (p *Posterior) Correlates(j int) bool {
	return slices.ContainsFunc(p.from.sorted, func(v *array) bool { return v.corr > 0 && slices.Contains(v.order, j) })
}

// Fixed says why there can be no constraint on a name: it is an entry of a Cholesky factor of correlations
// that is a number, or follows from others. It is "" of other names.
func (p *Posterior) Fixed(name string) string {
	bare, index, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	v := p.from.vectors[bare]
	if v == nil || v.corr == 0 {
		return ""
	}
	switch text, _ := v.derived(index); text {
	case "":
		return ""
	case "0", "1":
		return fmt.Sprintf("%s is fixed: it is %s in every %s", name, text, v.Shape)
	default:
		return fmt.Sprintf("%s is fixed by its row, which has length 1: write %s", name, text)
	}
}
