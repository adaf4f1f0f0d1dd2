package dynamics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/potential"
)

// Conditions of a design with columns of equal length, after Belsley, Kuh and
// Welsch (1980): above the first its parameters are hard to tell apart, above
// the second the data do not tell.
const (
	conditionHigh  = 30
	conditionBlind = 1e8
)

// collinear warns if the terms of an equation, its design by rows, are nearly
// dependent. A prior of any of the terms that take part is what the warning asks
// for, and it is not given then unless the data tell nothing.
func (p *Problem) collinear(e equation, design []float64, n int) {
	if n == 0 {
		return
	}
	condition, rank, part := dependence(design, n)
	terms := make([]string, len(part))
	held := false
	for i, k := range part {
		terms[i] = e.parameters[k]
		held = held || slices.ContainsFunc(p.model.Priors, func(q Prior) bool { return q.Parameter == terms[i] })
	}
	among := strings.Join(terms, ", ")
	switch {
	case rank < n:
		p.Warnings = append(p.Warnings, fmt.Sprintf("the data determine only %d of the %d parameters of %q: "+
			"the terms of %s depend on each other; pin one (fixed: {%s: …}), or bounds or priors must hold the rest.",
			rank, n, e.state, among, terms[0]))
	case condition > conditionBlind:
		p.Warnings = append(p.Warnings, fmt.Sprintf("the data do not tell %s of %q apart (condition number %.0e): "+
			"pin one (fixed: {%s: …}) or give a prior (priors: {%s: \"normal(0, 1)\"}).", among, e.state, condition, terms[0], terms[0]))
	case condition > conditionHigh && !held:
		p.Warnings = append(p.Warnings, fmt.Sprintf("the terms of %s in the equation of %q are nearly dependent (condition number %.0f): "+
			"their estimates trade against each other; pin one (fixed: {%s: …}) or give a prior.", among, e.state, condition, terms[0]))
	}
}

// ridge warns if equations that are not linear fit equally well along a line through the
// mode, where the precision is h: of a product a·b the data tell one number.
func (p *Problem) ridge(h []float64) {
	d := len(p.Parameters)
	if p.Linear || d < 2 {
		return
	}
	scale := unitDiagonal(h, d)
	a := mat.NewSymDense(d, nil)
	for j := range d {
		for k := j; k < d; k++ {
			a.SetSym(j, k, h[j*d+k]*scale[j]*scale[k])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return
	}
	values := e.Values(nil)
	rank := d
	for rank > 0 && values[d-rank] < 1e-12*values[d-1] {
		rank--
	}
	if rank == d {
		return
	}
	var v mat.Dense
	e.VectorsTo(&v)
	var names []string
	for j, name := range p.Parameters {
		if math.Abs(v.At(j, 0)) > 0.1 {
			names = append(names, name)
		}
	}
	p.Warnings = slices.Insert(p.Warnings, 0, fmt.Sprintf("the data determine only %d of the %d parameters: the fit stays the same along a "+
		"line on which %s change together, "+
		"as a and b do where only a*b counts. Pin one (fixed: {%s: …}), write one parameter for what counts, or give priors.", rank, d,
		strings.Join(names, ", "), names[0]))
}

// dependence returns the condition number and the rank of a design of n columns
// scaled to equal lengths, and which columns take part in its nearest dependence.
func dependence(design []float64, n int) (condition float64, rank int, part []int) {
	rows := len(design) / n
	rank = n
	a := mat.NewDense(max(rows, n), n, nil) // rows of 0 where there are few
	for k := range n {
		length := 0.0
		for t := range rows {
			length = math.Hypot(length, design[t*n+k])
		}
		if length == 0 { // a term that is 0 in all rows
			rank, part = rank-1, append(part, k)
			continue
		}
		for t := range rows {
			a.Set(t, k, design[t*n+k]/length)
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	var r mat.Dense
	qr.RTo(&r)
	var svd mat.SVD
	if part != nil {
		return math.Inf(1), rank, part
	}
	if !svd.Factorize(r.Slice(0, n, 0, n), mat.SVDThin) {
		return math.Inf(1), n, seq(n)
	}
	values := svd.Values(nil)
	for rank > 1 && values[rank-1] < 1e-13*values[0] {
		rank--
	}
	var v mat.Dense
	svd.VTo(&v)
	most := 0.0
	for k := range n {
		most = math.Max(most, math.Abs(v.At(k, n-1)))
	}
	for k := range n {
		if math.Abs(v.At(k, n-1)) > 0.3*most {
			part = append(part, k)
		}
	}
	return values[0] / values[n-1], rank, part
}

// proportional is the error of terms of a library whose columns are multiples of one
// another: no data tell which of them belongs to the model.
func proportional(equations []equation, columns []potential.Column) error {
	f := &faults{}
	seen := map[[2]string]bool{}
	for i, e := range equations {
		n := len(e.parameters)
		for k := range n {
			first := slices.IndexFunc(seq(k), func(j int) bool { return multiples(columns[i].Design, n, j, k) })
			if first < 0 {
				continue
			}
			a, b := e.termOf(first), e.termOf(k)
			if pair := [2]string{a.text, b.text}; !seen[pair] {
				seen[pair] = true
				f.addf([]string{"library", fmt.Sprint(b.entry)}, "the terms %q and %q are multiples of each other in all rows, so that the data "+
					"cannot choose between them: "+
					"drop one from the library, or pin it in each equation (fixed: {%q: 0})", a.text, b.text, b.parameter)
			}
		}
	}
	return f.join()
}

// termOf is the term of an equation's free parameter k.
func (e equation) termOf(k int) term {
	return e.terms[slices.IndexFunc(e.terms, func(t term) bool { return t.parameter == e.parameters[k] })]
}

// multiples reports whether column k of a design of n columns is a multiple of
// column j but for rounding.
func multiples(design []float64, n, j, k int) bool {
	most := [2]float64{}
	for at := 0; at < len(design); at += n {
		most[0], most[1] = math.Max(most[0], math.Abs(design[at+j])), math.Max(most[1], math.Abs(design[at+k]))
	}
	jj, jk, kk := 0.0, 0.0, 0.0
	for at := 0; at < len(design); at += n {
		a, b := design[at+j]/most[0], design[at+k]/most[1]
		jj, jk, kk = jj+a*a, jk+a*b, kk+b*b
	}
	rest := 0.0
	for at := 0; at < len(design); at += n {
		r := design[at+k]/most[1] - jk/jj*design[at+j]/most[0]
		rest += r * r
	}
	return rest <= 1e-20*kk
}
