package study

import (
	"fmt"
	"reflect"
	"slices"
	"text/template"
	tree "text/template/parse"
)

// A fitter finds what in the parts of a text does not fit the type of its facts, in every
// branch, whichever the facts take: fields and methods that there are not, functions with
// too few arguments or of other types, loops over what is no list. What it cannot know,
// because an interface hides it, it takes as it is.
type fitter struct {
	t     *template.Template
	funcs map[string]reflect.Type
	seen  map[call]bool
	vars  []variable
}

// A call is a part and the type of its facts.
type call struct {
	part string
	dot  reflect.Type
}

type variable struct {
	name string
	is   reflect.Type
}

// misfit is what a fitter panics with.
type misfit struct{ error }

// nothing is the type of no facts, of which there are no fields. A nil type is unknown.
var nothing = reflect.TypeFor[struct{}]()

// fits says what in a part does not fit the type of facts, the first of it.
func (p *Prose) fits(part string, facts any) (err error) {
	dot := reflect.TypeOf(facts)
	if dot == nil {
		dot = nothing
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case misfit:
			err = r.error
		default:
			panic(r)
		}
	}()
	(&fitter{t: p.t, funcs: p.funcs, seen: map[call]bool{}}).part(part, dot)
	return nil
}

// types are those of functions.
func types(all ...template.FuncMap) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, funcs := range all {
		for name, f := range funcs {
			out[name] = reflect.TypeOf(f)
		}
	}
	return out
}

func (f *fitter) fail(n tree.Node, format string, args ...any) {
	panic(misfit{fmt.Errorf("%s: %s", n, fmt.Sprintf(format, args...))})
}

func (f *fitter) part(name string, dot reflect.Type) {
	if f.seen[call{name, dot}] {
		return
	}
	f.seen[call{name, dot}] = true
	t := f.t.Lookup(name)
	if t == nil || t.Tree == nil {
		panic(misfit{fmt.Errorf("there is no part %q", name)})
	}
	outer := f.vars
	f.vars = []variable{{"$", dot}}
	f.walk(t.Root, dot)
	f.vars = outer
}

// walk goes through nodes; what they declare ends with the list that holds them.
func (f *fitter) walk(n tree.Node, dot reflect.Type) {
	switch n := n.(type) {
	case *tree.ListNode:
		if n == nil {
			return
		}
		held := len(f.vars)
		for _, x := range n.Nodes {
			f.walk(x, dot)
		}
		f.vars = f.vars[:held]
	case *tree.ActionNode:
		f.pipe(n.Pipe, dot)
	case *tree.IfNode:
		held := len(f.vars)
		f.pipe(n.Pipe, dot)
		f.branches(n.List, n.ElseList, dot, dot, held)
	case *tree.WithNode:
		held := len(f.vars)
		f.branches(n.List, n.ElseList, f.pipe(n.Pipe, dot), dot, held)
	case *tree.RangeNode:
		held := len(f.vars)
		over := f.of(n.Pipe, dot)
		key, elem := f.loop(n, over)
		for i, v := range n.Pipe.Decl {
			is := elem
			if i == 0 && len(n.Pipe.Decl) == 2 {
				is = key
			}
			f.vars = append(f.vars, variable{v.Ident[0], is})
		}
		f.branches(n.List, n.ElseList, elem, dot, held)
	case *tree.TemplateNode:
		is := nothing
		if n.Pipe != nil {
			is = f.pipe(n.Pipe, dot)
		}
		f.part(n.Name, is)
	}
}

// branches walks both branches, and forgets the variables after the first so many.
func (f *fitter) branches(then, otherwise *tree.ListNode, dot, outer reflect.Type, held int) {
	f.walk(then, dot)
	f.walk(otherwise, outer)
	f.vars = f.vars[:held]
}

// loop is what a range goes over: its keys and elements.
func (f *fitter) loop(n *tree.RangeNode, over reflect.Type) (key, elem reflect.Type) {
	if over = indirect(over); over == nil {
		return nil, nil
	}
	switch over.Kind() {
	case reflect.Slice, reflect.Array:
		return reflect.TypeFor[int](), over.Elem()
	case reflect.Map:
		return over.Key(), known(over.Elem())
	case reflect.Int:
		return over, over
	}
	f.fail(n.Pipe, "a loop over a %s", over)
	return nil, nil
}

// pipe is the type of a pipeline, whose variables it declares.
func (f *fitter) pipe(p *tree.PipeNode, dot reflect.Type) reflect.Type {
	is := f.of(p, dot)
	for _, v := range p.Decl {
		f.vars = append(f.vars, variable{v.Ident[0], is})
	}
	return is
}

// of is the type of a pipeline.
func (f *fitter) of(p *tree.PipeNode, dot reflect.Type) (is reflect.Type) {
	for i, c := range p.Cmds {
		args := make([]reflect.Type, 0, len(c.Args))
		for _, a := range c.Args[1:] {
			args = append(args, f.value(a, dot, nil))
		}
		if i > 0 {
			args = append(args, is)
		}
		is = f.value(c.Args[0], dot, args)
	}
	return known(is)
}

// value is the type of a node, called with arguments if it is a function or a method.
func (f *fitter) value(n tree.Node, dot reflect.Type, args []reflect.Type) reflect.Type {
	switch n := n.(type) {
	case *tree.DotNode:
		return dot
	case *tree.FieldNode:
		return f.fields(n, dot, n.Ident, args)
	case *tree.ChainNode:
		return f.fields(n, f.value(n.Node, dot, nil), n.Field, args)
	case *tree.VariableNode:
		for _, v := range slices.Backward(f.vars) {
			if v.name == n.Ident[0] {
				return f.fields(n, v.is, n.Ident[1:], args)
			}
		}
	case *tree.PipeNode:
		return f.of(n, dot)
	case *tree.StringNode:
		return reflect.TypeFor[string]()
	case *tree.BoolNode:
		return reflect.TypeFor[bool]()
	case *tree.IdentifierNode:
		if t, own := f.funcs[n.Ident]; own {
			return f.called(n, t, args)
		}
		return builtin(n.Ident, args)
	}
	return nil // numbers, which fit several types
}

// builtin is what a function of the package text/template returns.
func builtin(name string, args []reflect.Type) reflect.Type {
	switch name {
	case "len":
		return reflect.TypeFor[int]()
	case "print", "printf", "println":
		return reflect.TypeFor[string]()
	case "eq", "ne", "lt", "le", "gt", "ge", "not":
		return reflect.TypeFor[bool]()
	case "index":
		is := args[0]
		for range args[1:] {
			if is = indirect(is); is == nil || !slices.Contains([]reflect.Kind{reflect.Slice, reflect.Array, reflect.Map}, is.Kind()) {
				return nil
			}
			is = known(is.Elem())
		}
		return is
	}
	return nil
}

// fields is the type of fields or methods one of the other, the last with arguments.
func (f *fitter) fields(n tree.Node, is reflect.Type, names []string, args []reflect.Type) reflect.Type {
	for i, name := range names {
		with := args
		if i < len(names)-1 {
			with = nil
		}
		if is = known(is); is == nil {
			return nil
		}
		is = f.field(n, is, name, with)
	}
	return known(is)
}

func (f *fitter) field(n tree.Node, of reflect.Type, name string, args []reflect.Type) reflect.Type {
	for _, t := range []reflect.Type{of, reflect.PointerTo(of)} {
		if m, ok := t.MethodByName(name); ok {
			return f.called(n, m.Type, append([]reflect.Type{t}, args...))
		}
	}
	to := indirect(of)
	if to.Kind() == reflect.Map {
		return to.Elem()
	}
	if to.Kind() == reflect.Struct {
		if s, ok := to.FieldByName(name); ok && s.IsExported() {
			return s.Type
		}
	}
	f.fail(n, "%s has no %s", of, name)
	return nil
}

// called is what a function returns that is called with such arguments.
func (f *fitter) called(n tree.Node, t reflect.Type, args []reflect.Type) reflect.Type {
	least := t.NumIn()
	if t.IsVariadic() {
		least--
	}
	if len(args) < least || len(args) > t.NumIn() && !t.IsVariadic() {
		f.fail(n, "%d arguments for a %s", len(args), t)
	}
	for i, a := range args {
		want := t.In(min(i, t.NumIn()-1))
		if t.IsVariadic() && i >= least {
			want = want.Elem()
		}
		if a != nil && !a.AssignableTo(want) && !indirect(a).AssignableTo(want) && !reflect.PointerTo(a).AssignableTo(want) {
			f.fail(n, "a %s where a %s is due", a, want)
		}
	}
	return known(t.Out(0))
}

// known is a type that says what its values have, or nil: an interface hides that.
func known(t reflect.Type) reflect.Type {
	if t != nil && t.Kind() == reflect.Interface {
		return nil
	}
	return t
}

// indirect is what a pointer points to.
func indirect(t reflect.Type) reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		return known(t.Elem())
	}
	return t
}
