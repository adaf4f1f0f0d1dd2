package region

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// A Program tells constraints g(x) ≤ 0 by names.
type Program interface {
	ConstraintNames() []string
	Constraint(name string) domain.Surface
}

// A Constraint is one that a program tells.
type Constraint struct {
	domain.Surface
	Name string
	At   *yamlpos.Node // where the domain names it
}

// readProgram adds constraints of the program, which it starts if nothing is wrong so far.
func (r *Region) readProgram(n *yamlpos.Node) {
	none := n != nil && n.Kind == yamlpos.List && len(n.Items) == 0
	if n == nil || none || !r.List(n, "names of constraints") || len(r.Problems) > 0 {
		return
	}
	if r.Program == nil {
		r.Report(n, "no program tells constraints here: they come with potential: {command: [python3, model.py]}")
		return
	}
	p, ok := r.Program()
	if !ok {
		return
	}
	names := p.ConstraintNames()
	if len(names) == 0 {
		r.Report(n, "the program has no constraints: it names them in its handshake, as \"constraints\": [%q]", n.Items[0].Text)
		return
	}
	at, _ := r.Members(n, "constraint of the program", "it has", names)
	for k, i := range at {
		w := Constraint{p.Constraint(names[i]), names[i], n.Items[k]}
		r.OfProgram = append(r.OfProgram, w)
		r.surfaces, r.labels = append(r.surfaces, w.Surface), append(r.labels, w.Name)
	}
}

// values tells the constraints of the program in the middle of the bounds, or at 0 where they
// are open: what to look at where no point inside was found.
func (r *Region) values(d domain.Domain) string {
	x := make([]float64, r.dim())
	lo, hi := domain.BoundsOf(d, len(x))
	var at, told []string
	for j := range x {
		if m := lo[j]/2 + hi[j]/2; m-m == 0 {
			x[j] = m
		}
		at = append(at, fmt.Sprintf("%s = %.4g", r.Names[j], x[j]))
	}
	for _, w := range r.OfProgram {
		told = append(told, fmt.Sprintf("%s is %.4g", w.Name, w.Bind().Value(x)))
	}
	return fmt.Sprintf("at %s %s, and inside is where all are 0 or less", strings.Join(at, ", "), strings.Join(told, ", "))
}
