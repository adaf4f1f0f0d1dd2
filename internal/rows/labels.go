package rows

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"

	"github.com/r2sgld/r2sgld/potential"
)

// Labels are the numbers 1 … K that the components of a mixture go by. Where the density is the
// same whatever component bears which, means over draws say nothing of a component: Labels
// has draws agree on them first.
type Labels struct {
	Vectors []string // whose entries change places together
	at      [][]int  // coordinates of each
	entries []string // what stands in brackets, as of the first
	names   []string // of the coordinates
	energy  potential.Potential
	priors  potential.Potential
	rows    int
	free    bool     // vectors but the first may turn out to be of other components
	known   []*array // that have as many entries
}

const (
	mostComponents = 20   // each draw weighs each label against each entry
	mostTried      = 1000 // draws that the one with the least energy is sought among; fewer of many rows
	mostRead       = 1e7  // rows that these, or a check, go through
	mostAgreeing   = 4000 // draws that laws of labels are fitted to
	mostSweeps     = 100  // through these; few take more than ten
	mostBegun      = 10   // draws that laws begin at; those that fit best are kept
	mostCompared   = 400  // draws that tell which these are
	mostFree       = 8    // vectors of which each set is looked at
	labelled       = "_labelled"
)

// labels finds the vectors that are labelled: those that are named, and where one is, all with
// the same entries.
func (b *builder) labels() {
	if len(b.Labels) == 0 {
		return
	}
	fault := func(format string, args ...any) { b.fault([]string{"labels"}, -1, format, args...) }
	l := &Labels{names: b.out.Names, energy: b.out.Potential, priors: b.out.Priors, rows: b.out.Likelihood.Rows()}
	b.out.Labels = l
	var first *array
	for _, name := range b.Labels {
		v := b.vectors[name]
		switch bare, _, indexed := strings.Cut(name, "["); {
		case v == nil && indexed && b.vectors[bare] != nil:
			fault("labels are those of all entries: write %s", bare)
		case v == nil:
			fault("%q is no parameter%s", name, near(name, b.bare()))
		case len(v.dims) > 1:
			fault("%q is a matrix: labels are those of the entries of vectors, such as w: simplex(3) and mu[3]", name)
		case len(v.order) < 2:
			fault("%q is one number: labels are those of the entries of vectors, such as w: simplex(3) and mu[3]", name)
		case b.vectors[name+labelled] != nil:
			fault("%s%s is what labelled entries are called: give that parameter another name", name, labelled)
		case v.inOrder():
			fault("the order of %q tells its entries apart: leave labels out, or the order", name)
		case len(v.order) > mostComponents:
			fault("%q has %d entries: at most %d can be labelled", name, len(v.order), mostComponents)
		case slices.Contains(l.Vectors, name):
			fault("%q comes twice", name)
		case first != nil && len(v.order) != len(first.order):
			fault("%q has %d entries and %q %d: they are of the same components", name, len(v.order), first.bare, len(first.order))
		default:
			if first == nil {
				first = v
			}
			l.add(v)
			continue
		}
		return
	}
	for _, v := range b.sorted {
		if len(v.order) == len(first.order) && !v.inOrder() {
			l.known = append(l.known, v)
		}
	}
	if len(b.Labels) > 1 {
		return
	}
	for _, v := range b.sorted {
		if v != first && len(v.order) == len(first.order) && !v.inOrder() &&
			maps.EqualFunc(v.entries, first.entries, func(int, int) bool { return true }) {
			l.add(v)
		}
	}
	l.free = true
}

// inOrder reports whether the entries of a parameter have an order, and do not change places.
func (v *array) inOrder() bool {
	shape, _, _ := strings.Cut(v.Shape, "(")
	return strings.HasSuffix(strings.TrimSpace(shape), "ordered")
}

// bare are the names of the parameters, without brackets.
func (b *builder) bare() (names []string) {
	for _, v := range b.sorted {
		names = append(names, v.bare)
	}
	return names
}

func (l *Labels) add(v *array) {
	l.Vectors, l.at = append(l.Vectors, v.bare), append(l.at, v.order)
	if len(l.at) > 1 {
		return
	}
	for _, j := range v.order {
		_, entry, _ := strings.Cut(l.names[j], "[")
		l.entries = append(l.entries, strings.TrimSuffix(entry, "]"))
	}
}

// Alike fails where the density at x, that of the priors, or whether x is inside, changes as two
// components change places. It reports whether the density there is finite, which says that it tells.
func (l *Labels) Alike(x []float64, inside func(x []float64) bool) (tells bool, err error) {
	priors, all := l.energyOf(l.priors), l.energyOf(l.energy)
	before, was := priors(x), all(x)
	if math.IsNaN(was) || math.IsInf(was, 0) || math.IsNaN(before) || math.IsInf(before, 0) || !inside(x) {
		return false, nil
	}
	for k := range l.entries[1:] {
		y := l.exchanged(x, k, l.at)
		pair := fmt.Sprintf("%s and %s of %s", l.entries[k], l.entries[k+1], strings.Join(l.Vectors, ", "))
		switch {
		case !inside(y):
			return true, fmt.Errorf("a constraint tells %s apart: leave labels out, or the constraint", pair)
		case differ(before, priors(y)):
			return true, fmt.Errorf("the priors tell %s apart: where they change places, −log density of the priors changes by %.6g from %.6g. "+
				"Give all entries of a vector one prior, or leave labels out%s", pair, priors(y)-before, before, l.advice(x, was, all, inside))
		case differ(was, all(y)):
			return true, fmt.Errorf("%s are not alike: where they change places, −log density changes by %.6g from %.6g. "+
				"Name all vectors of the components, and none besides, as in labels: [w, mu]; weights are a vector too, w: simplex(2)%s",
				pair, all(y)-was, was, l.advice(x, was, all, inside))
		}
	}
	return true, nil
}

// energyOf returns what evaluates −log of a density.
func (l *Labels) energyOf(of potential.Potential) func(x []float64) float64 {
	eval, u, g := of.Evaluator(1, nil), make([]float64, 1), make([]float64, len(l.names))
	return func(x []float64) float64 {
		eval.Eval(u, g, x)
		return u[0]
	}
}

// differ reports whether two energies are not the same up to rounding.
func differ(a, b float64) bool { return !(math.Abs(a-b) <= 1e-9*(1+math.Abs(a))) }

// exchanged is x with entries k and k + 1 of some vectors in each other's place.
func (l *Labels) exchanged(x []float64, k int, vectors [][]int) []float64 {
	y := slices.Clone(x)
	for _, at := range vectors {
		y[at[k]], y[at[k+1]] = x[at[k+1]], x[at[k]]
	}
	return y
}

// Parts are the sets of some of the vectors, each a mask in which the first is.
func (l *Labels) Parts() (parts []uint) {
	if len(l.at) > mostFree {
		return nil
	}
	for part := uint(1); part < 1<<len(l.at)-1; part += 2 {
		parts = append(parts, part)
	}
	return parts
}

// Alone leaves those of the parts whose vectors change places at x without the others, and without
// a change of the density.
func (l *Labels) Alone(x []float64, parts []uint) []uint {
	all := l.energyOf(l.energy)
	was := all(x)
	return slices.DeleteFunc(parts, func(part uint) bool { return !l.alikeBy(x, l.vectors(part), was, all, everywhere) })
}

// vectors are the coordinates of those in a part.
func (l *Labels) vectors(part uint) (at [][]int) {
	for i, of := range l.at {
		if part>>i&1 == 1 {
			at = append(at, of)
		}
	}
	return at
}

// Only has the smallest of the parts alone bear labels: others are of other components, or of none.
// It is an error if all vectors were named.
func (l *Labels) Only(parts []uint) error {
	least := slices.MinFunc(parts, func(a, b uint) int { return cmp.Compare(bits.OnesCount(a), bits.OnesCount(b)) })
	var in, others []string
	for i, v := range l.Vectors {
		if least>>i&1 == 1 {
			in = append(in, v)
		} else {
			others = append(others, v)
		}
	}
	if !l.free {
		return fmt.Errorf("the entries of %s change places without those of %s: they are of different components. Label one or the other",
			strings.Join(in, ", "), strings.Join(others, ", "))
	}
	l.at, l.Vectors = l.vectors(least), in
	return nil
}

// Tries is how many points may be tried, at most most, where each takes some energies.
func (l *Labels) Tries(most, energies int) int {
	return max(1, min(most, mostRead/max(1, l.rows*energies)))
}

// Components is K.
func (l *Labels) Components() int { return len(l.entries) }

// Images are those of x with its components in all other orders; nil of more than 4 components.
func (l *Labels) Images(x []float64) (all [][]float64) {
	n := len(l.entries)
	if n > 4 {
		return nil
	}
	for _, order := range combin.Permutations(n, n) {
		if slices.IsSorted(order) { // which is x
			continue
		}
		y := slices.Clone(x)
		for _, of := range l.at {
			for k, e := range order {
				y[of[k]] = x[of[e]]
			}
		}
		all = append(all, y)
	}
	return all
}

// Shuffle has the components of x change places, each order with the same probability.
func (l *Labels) Shuffle(x []float64, rng *rand.Rand) {
	for k := len(l.entries) - 1; k > 0; k-- {
		e := rng.IntN(k + 1)
		for _, of := range l.at {
			x[of[k]], x[of[e]] = x[of[e]], x[of[k]]
		}
	}
}

// OutputNames are those of the entries of vectors that draws agree on: mu_labelled[1], …
func (l *Labels) OutputNames() (names []string) {
	for _, v := range l.Vectors {
		for _, e := range l.entries {
			names = append(names, v+labelled+"["+e+"]")
		}
	}
	return names
}

// Outputs returns the entries of each state by the labels that states agree on: those under
// which entries are most probable by a normal law of each label, independent of one another
// (Stephens 2000, Dealing with label switching in mixture models, section 4.1). The laws begin at
// a state of high density (Marin, Mengersen and Robert 2005), or at one of some others if they fit
// better from there: fits end in local optima. Labels are numbered by the means of the first vector.
// The seed is of no use.
func (l *Labels) Outputs(states [][]float64, _ int64) ([][]float64, error) {
	return l.told(l.Agree(states)), nil
}

// told are the entries of states that agree.
func (l *Labels) told(states [][]float64) [][]float64 {
	out := make([][]float64, len(states))
	for s, x := range states {
		for _, of := range l.at {
			for _, j := range of {
				out[s] = append(out[s], x[j])
			}
		}
	}
	return out
}

// Agree returns each state with its components in the order that states agree on, see Outputs.
func (l *Labels) Agree(states [][]float64) [][]float64 {
	some := every(states, mostAgreeing)
	few := every(some, mostCompared)
	laws := l.begin(l.densest(every(states, l.Tries(mostTried, 1))), few)
	least := l.fit(laws, few)
	for _, x := range every(few, mostBegun) {
		with := l.begin(x, few)
		if v := l.fit(with, few); v < least {
			laws, least = with, v
		}
	}
	l.fit(laws, some)
	label := numbers(len(l.entries))
	slices.SortStableFunc(label, func(a, b int) int { return cmp.Compare(laws.mean[0][a], laws.mean[0][b]) })
	out := make([][]float64, len(states))
	for s, x := range states {
		order := laws.order(l.at, x)
		out[s] = slices.Clone(x)
		for _, of := range l.at {
			for i, k := range label {
				out[s][of[i]] = x[of[order[k]]]
			}
		}
	}
	return out
}

// fit fits laws to states, each of which is labelled as it is most probable by them, and returns
// −log of their density, but for what is the same for all laws.
func (l *Labels) fit(laws *normals, states [][]float64) float64 {
	order := make([][]int, len(states)) // order[s][k] is the entry of state s with label k
	values := make([]float64, len(states))
	for range mostSweeps {
		changed := false
		for s, x := range states {
			if now := laws.order(l.at, x); !slices.Equal(now, order[s]) {
				order[s], changed = now, true
			}
		}
		if !changed {
			break
		}
		for i, of := range l.at {
			for k := range l.entries {
				for s, x := range states {
					values[s] = x[of[order[s][k]]]
				}
				laws.set(i, k, values)
			}
		}
	}
	var spread float64 // of a fitted law −log density is, in the mean, 1/2 + log sd
	for _, of := range laws.sd {
		for _, sd := range of {
			spread += math.Log(sd)
		}
	}
	return spread
}

// densest is the state of least energy.
func (l *Labels) densest(states [][]float64) []float64 {
	best, least, energy := states[0], math.Inf(1), l.energyOf(l.energy)
	for _, x := range states {
		if u := energy(x); u < least {
			best, least = x, u
		}
	}
	return best
}

// every are n of the states, or some more, evenly spaced; all of few.
func every(states [][]float64, n int) (some [][]float64) {
	for s := 0; s < len(states); s += max(1, len(states)/n) {
		some = append(some, states[s])
	}
	return some
}

func numbers(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

// normals are the laws of the entries of each vector by label.
type normals struct {
	mean, sd [][]float64
	least    []float64   // of sd, for each vector: few states that agree would draw close on themselves
	cost     [][]float64 // of an entry for a label: −log density, but for what is the same in every order
}

// begin has the mean of each label at the entry of a state, and the standard deviation of all
// entries of its vector.
func (l *Labels) begin(at []float64, states [][]float64) *normals {
	n, v := len(l.entries), len(l.at)
	matrix := func(rows int) (m [][]float64) {
		for range rows {
			m = append(m, make([]float64, n))
		}
		return m
	}
	laws := &normals{mean: matrix(v), sd: matrix(v), least: make([]float64, v), cost: matrix(n)}
	for i, of := range l.at {
		var all []float64
		for _, x := range states {
			for _, j := range of {
				all = append(all, x[j])
			}
		}
		for k := range n {
			laws.set(i, k, all)
			laws.mean[i][k] = at[of[k]]
		}
		laws.least[i] = 1e-3 * laws.sd[i][0]
	}
	return laws
}

// set fits the law of vector i and label k to numbers.
func (l *normals) set(i, k int, x []float64) {
	mean, sd := stat.PopMeanStdDev(x, nil)
	l.mean[i][k], l.sd[i][k] = mean, max(sd, l.least[i], math.SmallestNonzeroFloat64)
}

// order is which entry of x is that of each label.
func (l *normals) order(vectors [][]int, x []float64) []int {
	for k, of := range l.cost {
		for e := range of {
			of[e] = 0
			for i, at := range vectors {
				z := (x[at[e]] - l.mean[i][k]) / l.sd[i][k]
				of[e] += z * z / 2
			}
		}
	}
	return assign(l.cost)
}

// assign returns the column of each row of a square matrix, each once, for which the sum of
// cost is the least (Kuhn 1955; by shortest augmenting paths, Jonker and Volgenant 1987).
func assign(cost [][]float64) []int {
	n := len(cost)
	row, column := make([]float64, n+1), make([]float64, n+1) // potentials of the dual problem
	held := make([]int, n+1)                                  // row of a column, counted from 1; 0 is none
	for i := 1; i <= n; i++ {
		least, from, done := make([]float64, n+1), make([]int, n+1), make([]bool, n+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		held[0] = i
		at := 0
		for held[at] != 0 {
			done[at] = true
			next, step := 0, math.Inf(1)
			for j := 1; j <= n; j++ {
				if done[j] {
					continue
				}
				if c := cost[held[at]-1][j-1] - row[held[at]] - column[j]; c < least[j] {
					least[j], from[j] = c, at
				}
				if least[j] < step {
					step, next = least[j], j
				}
			}
			for j := range done {
				if done[j] {
					row[held[j]] += step
					column[j] -= step
				} else {
					least[j] -= step
				}
			}
			at = next
		}
		for at != 0 {
			held[at], at = held[from[at]], from[at]
		}
	}
	of := make([]int, n)
	for j := 1; j <= n; j++ {
		of[held[j]-1] = j - 1
	}
	return of
}
