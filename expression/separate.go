package expression

import "slices"

// mostTerms is how many terms a separated formula has at most.
const mostTerms = 64

// Separate writes the formula src as Σ inner_k·outer_k: inner are functions of the
// parameters alone, with their Jacobian, and outer functions of the data alone, though its
// variables are the parameters, which it does not look at, and then the data. ok is false
// where src, as written, has no such form of a few terms. Powers of sums are
// multiplied out, and logarithms and roots of products taken apart, which needs values of
// outer that are finite.
func Separate(src string, data, parameters []string) (inner, outer *System, ok bool, err error) {
	tree, err := parse(src, false)
	if err != nil {
		return nil, nil, false, err
	}
	variables := slices.Concat(parameters, data)
	if err := check(tree, variables); err != nil {
		return nil, nil, false, err
	}
	g := newGraph()
	root := g.build(tree, variables)
	s := &separation{graph: g, parameters: len(parameters)}
	g.loose = true
	products := s.split(root)
	if products == nil {
		return nil, nil, false, nil
	}
	var a, b []int32
	for _, t := range products {
		a, b = append(a, t.inner), append(b, t.outer)
	}
	n := len(parameters)
	inner = &System{variables: n, outputs: len(a), rows: len(a), groups: []int{n}}
	inner.assemble(g, append(slices.Clone(a), g.jacobians(a, all(n), inner.groups)...))
	outer = &System{variables: len(variables), outputs: len(b)}
	outer.assemble(g, b)
	return inner, outer, true, nil
}

// A separation takes the vertices of a graph apart. Its inputs are parameters, so many,
// and then data.
type separation struct {
	*graph
	parameters int
	within     []mixture // of the vertices looked at
}

// A mixture says what is in a vertex.
type mixture struct{ parameters, data bool }

// A separated product is that of a vertex of the parameters and one of the data.
type separated struct{ inner, outer int32 }

// of returns what is in vertex i.
func (s *separation) of(i int32) mixture {
	for k := len(s.within); k <= int(i); k++ {
		v := s.v[k]
		m := mixture{v.op == opInput && v.n < s.parameters, v.op == opInput && v.n >= s.parameters}
		for _, a := range v.arg[:arity[v.op]] {
			m.parameters, m.data = m.parameters || s.within[a].parameters, m.data || s.within[a].data
		}
		s.within = append(s.within, m)
	}
	return s.within[i]
}

// split returns the products whose sum vertex i is; nil if there are none, or too many.
func (s *separation) split(i int32) []separated {
	m, v, one := s.of(i), s.v[i], s.constant(1)
	switch {
	case !m.parameters:
		return []separated{{one, i}}
	case !m.data:
		return []separated{{i, one}}
	case v.op == opInput:
		return nil
	}
	left := s.split(v.arg[0])
	switch {
	case left == nil:
		return nil
	case v.op == opNeg:
		return s.each(left, func(t separated) separated { return separated{s.op(opNeg, t.inner), t.outer} })
	case v.op == opPower && v.n > 0 && len(left) > 1:
		out := left
		for range v.n - 1 {
			if out = s.multiply(out, left); out == nil {
				return nil
			}
		}
		return out
	case arity[v.op] == 1:
		return s.ofProduct(v, left)
	}
	right := s.split(v.arg[1])
	switch {
	case right == nil:
	case v.op == opAdd:
		return s.merge(slices.Concat(left, right))
	case v.op == opSub:
		return s.merge(slices.Concat(left, s.each(right, func(t separated) separated { return separated{s.op(opNeg, t.inner), t.outer} })))
	case v.op == opMul:
		return s.multiply(left, right)
	case v.op == opDiv && len(right) == 1:
		return s.merge(s.each(left, func(t separated) separated {
			return separated{s.op(opDiv, t.inner, right[0].inner), s.op(opDiv, t.outer, right[0].outer)}
		}))
	}
	return nil
}

// ofProduct splits a power, a root or a logarithm of one product.
func (s *separation) ofProduct(v vertex, products []separated) []separated {
	if len(products) > 1 {
		return nil
	}
	t, one := products[0], s.constant(1)
	switch v.op {
	case opPower:
		return []separated{{s.power(t.inner, v.n), s.power(t.outer, v.n)}}
	case opSqrt, opAbs:
		return []separated{{s.op(v.op, t.inner), s.op(v.op, t.outer)}}
	case opLog:
		return []separated{{s.op(opLog, t.inner), one}, {one, s.op(opLog, t.outer)}}
	}
	return nil
}

func (s *separation) each(t []separated, change func(separated) separated) []separated {
	out := make([]separated, len(t))
	for i := range t {
		out[i] = change(t[i])
	}
	return out
}

// multiply multiplies two sums out.
func (s *separation) multiply(a, b []separated) []separated {
	var out []separated
	for _, t := range a {
		out = append(out, s.each(b, func(u separated) separated {
			return separated{s.op(opMul, t.inner, u.inner), s.op(opMul, t.outer, u.outer)}
		})...)
	}
	return s.merge(out)
}

// merge adds up what has a factor in common; nil if more than mostTerms are left.
func (s *separation) merge(t []separated) []separated {
	gather := func(t []separated, same func(a, b separated) bool, join func(a, b separated) separated) (out []separated) {
		for _, b := range t {
			if k := slices.IndexFunc(out, func(a separated) bool { return same(a, b) }); k >= 0 {
				out[k] = join(out[k], b)
			} else {
				out = append(out, b)
			}
		}
		return out
	}
	t = gather(t, func(a, b separated) bool { return a.outer == b.outer },
		func(a, b separated) separated { return separated{s.op(opAdd, a.inner, b.inner), a.outer} })
	t = gather(t, func(a, b separated) bool { return a.inner == b.inner },
		func(a, b separated) separated { return separated{a.inner, s.op(opAdd, a.outer, b.outer)} })
	if len(t) > mostTerms {
		return nil
	}
	return t
}
