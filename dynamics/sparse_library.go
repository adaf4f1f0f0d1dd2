package dynamics

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/sparse"
)

// polynomials is the library's shorthand poly(degree), with whatever stands there for
// the degree.
var polynomials = regexp.MustCompile(`^poly\((.*)\)$`)

// A libraryTerm is a term and the entry of the library, from 1, that it is of.
type libraryTerm struct {
	text  string
	entry int
	short bool // of a shorthand
}

// expand returns the terms of the library: poly(n) stands for all monomials of
// the states up to degree n, constant included; those that are also written out
// come once.
func (m *Model) expand(f *faults) []libraryTerm {
	var terms []libraryTerm
	for i, text := range m.Library {
		parts := polynomials.FindStringSubmatch(strings.Join(strings.Fields(text), ""))
		if parts == nil {
			terms = append(terms, libraryTerm{text, i + 1, false})
			continue
		}
		degree, err := strconv.Atoi(parts[1])
		if errors.Is(err, strconv.ErrRange) {
			degree, err = sparse.Most+1, nil
		}
		if err != nil || degree < 0 {
			f.addf([]string{"library", fmt.Sprint(i + 1)}, "%s: poly takes a degree, a whole number such as 2: poly(2) stands for all monomials "+
				"of the states up to degree 2", text)
			continue
		}
		if n := monomialCount(len(m.States), degree); n > sparse.Most {
			f.addf([]string{"library", fmt.Sprint(i + 1)}, "%s of %d states has more than %d terms: take a lower degree",
				text, len(m.States), sparse.Most)
			continue
		}
		for _, t := range monomials(m.States, degree) {
			terms = append(terms, libraryTerm{t, i + 1, true})
		}
	}
	written := map[string]bool{}
	for _, t := range terms {
		if !t.short {
			written[strings.Join(strings.Fields(t.text), "")] = true
		}
	}
	var out []libraryTerm
	for _, t := range terms {
		if t.short && written[t.text] {
			continue
		}
		written[t.text] = written[t.text] || t.short
		out = append(out, t)
	}
	return out
}

// monomialCount is the number of monomials of n variables up to a degree, or a
// number beyond the most that can be chosen from.
func monomialCount(n, degree int) int {
	count := 1
	for k := 1; k <= n; k++ {
		if degree > sparse.Most {
			return degree
		}
		if count = count * (degree + k) / k; count > sparse.Most {
			return count
		}
	}
	return count
}

// monomials are those of the variables up to a degree, by degree, then in
// lexicographic order: 1, x, y, x^2, x*y, y^2.
func monomials(variables []string, degree int) []string {
	out := []string{"1"}
	var extend func(prefix []string, from, left int)
	extend = func(prefix []string, from, left int) {
		if left == 0 {
			out = append(out, strings.Join(prefix, "*"))
			return
		}
		if from == len(variables) {
			return
		}
		for power := left; power >= 0; power-- {
			factor := variables[from]
			switch power {
			case 0:
				extend(prefix, from+1, left)
				continue
			case 1:
			default:
				factor += "^" + strconv.Itoa(power)
			}
			extend(append(prefix[:len(prefix):len(prefix)], factor), from+1, left-power)
		}
	}
	for d := 1; d <= degree; d++ {
		extend(nil, 0, d)
	}
	return out
}
