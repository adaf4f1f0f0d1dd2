package expression

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A Func is a compiled formula: a function of its variables. It is immutable
// and may be used by several goroutines; evaluate it through [Func.Evaluator].
type Func struct {
	tree            *node
	variables       []string
	wrt             []int
	value, gradient *tape
}

// Compile compiles a formula in the given variables, to be differentiated by
// all of them. The error is of type [Errors] and names every unknown name.
func Compile(src string, variables []string) (*Func, error) {
	return CompileWRT(src, variables, variables)
}

// CompileWRT compiles a formula whose gradient is with respect to the variables
// wrt only, in that order.
func CompileWRT(src string, variables, wrt []string) (*Func, error) {
	by := make([]int, len(wrt))
	for k, v := range wrt {
		if by[k] = slices.Index(variables, v); by[k] < 0 {
			return nil, fmt.Errorf("differentiate by %q: it is none of the variables %s", v, strings.Join(variables, ", "))
		}
	}
	tree, err := parse(src, false)
	if err != nil {
		return nil, err
	}
	if err := check(tree, variables); err != nil {
		return nil, err
	}
	return newFunc(tree, variables, by), nil
}

// newFunc compiles a checked tree.
func newFunc(tree *node, variables []string, wrt []int) *Func {
	return newGraph().compile(tree, variables, wrt)
}

func (g *graph) compile(tree *node, variables []string, wrt []int) *Func {
	f := &Func{tree: tree, variables: slices.Clone(variables), wrt: wrt}
	root := g.build(tree, variables)
	f.value = newTape(g, len(variables), root)
	f.gradient = newTape(g, len(variables), append([]int32{root}, g.gradient(root, wrt)...)...)
	return f
}

// all returns 0 … n-1.
func all(n int) []int {
	a := make([]int, n)
	for i := range a {
		a[i] = i
	}
	return a
}

// Variables returns the names of the variables, in the order of a state.
func (f *Func) Variables() []string { return slices.Clone(f.variables) }

// WRT returns which variables the gradient is with respect to.
func (f *Func) WRT() []int { return slices.Clone(f.wrt) }

// Uses returns which variables stand in the formula, ascending.
func (f *Func) Uses() []int {
	var out []int
	f.tree.walk(func(n *node) {
		if k := slices.Index(f.variables, n.text); n.kind == name && k >= 0 {
			out = append(out, k)
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Names returns the free names of a formula in order of their first appearance:
// those that are neither functions nor the constant pi.
func Names(src string) ([]string, error) {
	tree, err := parse(src, false)
	if err != nil {
		return nil, err
	}
	return tree.free()
}

// ConstraintNames is Names for an inequality or a chain of them.
func ConstraintNames(src string) ([]string, error) {
	tree, err := parse(src, true)
	if err != nil {
		return nil, err
	}
	return tree.free()
}

func (n *node) free() ([]string, error) {
	var names []string
	var errs Errors
	n.walk(func(n *node) {
		switch {
		case n.kind == call:
			errs = append(errs, checkCall(n, nil)...)
		case n.kind == name && !Constant(n.text) && !slices.Contains(names, n.text):
			names = append(names, n.text)
		}
	})
	if errs != nil {
		return nil, errs
	}
	return names, nil
}

// walk visits the nodes in the order of the text.
func (n *node) walk(visit func(*node)) {
	if n.kind != operator {
		visit(n)
	}
	for _, a := range n.args {
		a.walk(visit)
	}
}

// Constant reports whether a name is that of a number, in every formula.
func Constant(s string) bool { return s == "pi" || s == "π" }

// check reports every name that is not defined and every misused function.
func check(tree *node, variables []string) error {
	var errs Errors
	tree.walk(func(n *node) {
		switch {
		case n.kind == call:
			errs = append(errs, checkCall(n, variables)...)
		case n.kind == name && !Constant(n.text) && !slices.Contains(variables, n.text):
			errs = append(errs, &Error{n.at, len(n.text) + n.quoted, undefined(n.text, variables)})
		}
	})
	if errs != nil {
		return errs
	}
	return nil
}

func undefined(s string, variables []string) string {
	m := fmt.Sprintf("%q is not defined", s)
	quoted := make([]string, len(variables))
	for i, v := range variables {
		quoted[i] = Quoted(v)
	}
	if _, ok := lookup(s); ok {
		return m + fmt.Sprintf(" as a variable; the function is written %s(…)", s)
	}
	if c, ok := Nearest(s, append(slices.Clone(variables), "pi")); ok {
		if q := Quoted(c); q != c {
			return m + fmt.Sprintf("; did you mean %s?", q)
		}
		return m + fmt.Sprintf("; did you mean %q?", c)
	}
	if i := slices.IndexFunc(variables, func(v string) bool { return strings.HasPrefix(v, s+".") }); i >= 0 {
		return m + fmt.Sprintf("; did you mean %s?", quoted[i])
	}
	switch {
	case s == "e":
		m += "; Euler's number is exp(1)"
	case len(variables) == 0:
		return m + "; there are no variables here"
	case len(variables) == 1:
		return m + "; the variable is " + quoted[0]
	}
	return m + "; variables are " + strings.Join(quoted, ", ")
}

func checkCall(n *node, variables []string) Errors {
	f, ok := lookup(n.text)
	ok = ok && (Reserved(n.text) || !slices.Contains(variables, n.text))
	at := func(format string, args ...any) Errors {
		return Errors{{n.at, len(n.text) + n.quoted, fmt.Sprintf(format, args...)}}
	}
	switch {
	case !ok && (slices.Contains(variables, n.text) || Constant(n.text)):
		return at("%q is not a function; a product is written %s*(…)", n.text, Quoted(n.text))
	case !ok:
		names := slices.Sorted(maps.Keys(functions))
		c, ok := synonyms[n.text]
		if !ok {
			c, ok = Nearest(n.text, slices.Concat(names, slices.Sorted(maps.Keys(spellings)), slices.Sorted(maps.Keys(densities))))
		}
		if ok {
			return at("%q is not a function; did you mean %q?", n.text, c)
		}
		return at("%q is not a function; functions are %s", n.text, strings.Join(names, ", "))
	case joints[n.text] != nil && width(len(n.args)) == 0:
		return at("%s takes k values, k means and the lower triangle of a matrix by rows: 5 arguments of two values, 9 of three, not %d", n.text,
			len(n.args))
	case len(n.args) < f.min && f.max == 0:
		return at("%s takes at least %d argument, not %d", n.text, f.min, len(n.args))
	case f.max > 0 && len(n.args) != f.max:
		return at("%s takes %s, not %d", n.text, plural(f.max, "argument"), len(n.args))
	}
	return nil
}

// synonyms are names that functions have elsewhere and not here.
var synonyms = map[string]string{"ln": "log", "sgn": "sign", "inverse_logit": "inv_logit"}

func plural(n int, s string) string {
	if n == 1 {
		return "1 " + s
	}
	return fmt.Sprintf("%d %ss", n, s)
}

// build returns the vertex of a checked tree.
func (g *graph) build(n *node, variables []string) int32 { return g.buildOn(n, g.input, variables) }

// buildOn is build where variable j is the vertex of(j).
func (g *graph) buildOn(n *node, of func(j int) int32, variables []string) int32 {
	switch n.kind {
	case number:
		return g.constant(n.value)
	case name:
		if j := slices.Index(variables, n.text); j >= 0 {
			return of(j)
		}
		return g.constant(math.Pi)
	}
	args := make([]int32, len(n.args))
	for i, a := range n.args {
		args[i] = g.buildOn(a, of, variables)
	}
	switch {
	case n.kind == call:
		f, _ := lookup(n.text)
		return f.build(g, args)
	case n.kind == negate:
		return g.op(opNeg, args[0])
	}
	switch n.text {
	case "+":
		return g.op(opAdd, args...)
	case "-":
		return g.op(opSub, args...)
	case "*":
		return g.op(opMul, args...)
	case "/":
		return g.op(opDiv, args...)
	}
	return g.pow(args[0], args[1])
}
