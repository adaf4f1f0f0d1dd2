package expression

import "slices"

// Quadratic returns the constant matrix of second derivatives of f by all its
// variables if f, as written, is a polynomial of degree two or less in them.
func (f *Func) Quadratic() (hessian [][]float64, ok bool) {
	g := newGraph()
	root := g.build(f.tree, f.variables)
	inputs, ok := g.polynomial(root)
	if !ok {
		return nil, false
	}
	h := make([][]float64, len(f.variables))
	for i := range h {
		h[i] = make([]float64, len(h))
	}
	for k, slope := range g.gradient(root, inputs) {
		for l, second := range g.gradient(slope, inputs) {
			v, constant := g.isConst(second)
			if !constant || v-v != 0 {
				return nil, false
			}
			h[inputs[k]][inputs[l]] = v
		}
	}
	for i := range h {
		for j := range h[:i] { // sums in another order may differ by rounding
			h[i][j] = h[j][i]
		}
	}
	return h, true
}

// polynomial returns the inputs of root, increasing, and whether it is a polynomial
// in them.
func (g *graph) polynomial(root int32) (inputs []int, ok bool) {
	active := make([]bool, root+1)
	for i := range active {
		v := &g.v[i]
		args := v.arg[:arity[v.op]]
		active[i] = v.op == opInput || slices.ContainsFunc(args, func(a int32) bool { return active[a] })
		switch {
		case v.op == opInput:
			inputs = append(inputs, v.n)
		case !active[i]:
		case v.op == opDiv && active[v.arg[1]], v.op == opPower && v.n < 0:
			return nil, false
		case !slices.Contains([]op{opAdd, opSub, opMul, opDiv, opNeg, opPower}, v.op):
			return nil, false
		}
	}
	slices.Sort(inputs)
	return inputs, true
}
