// Package command answers where a potential comes from that another program
// computes, in whatever language. This side moves the states; the program is
// told a state per line on its standard input and answers its energy and
// gradient per line on its standard output.
//
// # Protocol
//
// Text in UTF-8, lines that end with a newline. First comes the handshake: we
// write one line of JSON
//
//	{"r2sgld": 1, "versions": [1, 2], "dimension": 2, "names": ["x", "y"], "states": 4}
//
// with the first version of the protocol, all that we speak, the dimension d, the names
// of the d variables in their order, and how many states a block has. The program
// answers one line of JSON
//
//	{"r2sgld": 1, "dimension": 2}
//
// with the version that it chooses and the dimension that it computes in. It may add its own
// "names": they must equal ours, which guards against variables in another
// order. It must add "stochastic": true if its answers depend on the seed; only
// then are seeds drawn. It may repeat "states"; anything else is an error.
//
// # Version 1: lines
//
// Blocks of states follow, a state per line,
//
//	SEED x1 x2 … xd
//
// with one blank between numbers. SEED is an integer, 0 ≤ SEED < 2⁶³: the same
// for all states of a block, so that they see the same minibatch, and another
// one for every block. It is 0 for programs that are not stochastic. The
// coordinates are the shortest decimals that read back as the same 64-bit
// numbers. To every state belongs one line of answer, in the order of the
// states,
//
//	U g1 … gd
//
// the energy U(x) and its partial derivatives in the order of the names, with
// blanks or tabs between them: decimals like 0.1, -2 or 1e-05, of 17 significant
// digits if nothing shall be lost, or inf and nan in the ways that C and Python print
// them. With a seed they are unbiased estimates of both. What these numbers mean, and
// that the run stops where they are not finite, is up to the sampler.
//
// # Version 2: frames
//
// Blocks are frames of binary numbers, the lowest byte first. A request is
//
//	uint32 n, uint32 0, int64 SEED, n × d float64
//
// with n states one after the other, its answer
//
//	uint32 n, uint32 0, n float64, n × d float64
//
// with their energies and then their gradients. A program that cannot go on answers
//
//	uint32 b, uint32 1, b bytes
//
// with a text in UTF-8 that says why, and ends. It takes in a request whole before it answers. In the handshake it may add
// "lanewise": true, by which it promises that its answer to a state depends on that
// state alone, to the last bit: then ladders share blocks, and a block has more states.
// With "outputs": ["a", "b"] it says that it knows k more numbers of a state, of these names;
// a request for them has 1 in place of its 0, and its answer n × k float64.
//
// With "constraints": ["disc", "line"] it says that it knows functions g of these names, and
// that states may be where g(x) ≤ 0. A request with 2 in place of its 0 asks for the first of
// them, one with 3 for the second, and so on; SEED is 0 then, and the answer is that to a
// request for energies: n values of g and their n × d partial derivatives. An answer to a
// state depends on that state alone, to the last bit, whatever "lanewise" says.
//
// # Both
//
// All states of a block are written before its answers are awaited, so a program
// may answer line by line or take in a whole block and compute it at once. It
// must flush its output after every line or after every block: without that both
// sides wait for the other. When its input ends the program shall end; it is
// killed if it does not within a second. Standard output is for answers alone.
// Whatever the program writes to standard error is read and thrown away, but for
// the last lines, which become part of the message if the program fails.
//
// The program is started once for the handshake alone when the potential is
// made (its "states" is 1 then), and once more for every ladder of the run, all
// at the same time. One with constraints is started as often as it is asked at the same
// time, and whichever is free answers. It runs in a process group of its own: an interrupt at the
// keyboard does not reach it, so that a checkpoint can still be written. What is
// left of the group is killed when the program has ended, and when this side ends,
// be it killed.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// Versions of the protocol: a program takes the one that it answers the handshake with.
const (
	first   = 1 // lines
	Version = 2 // frames
)

// Settings say how to start a program.
type Settings struct {
	Args    []string      // the program and its arguments; no shell is involved
	Dir     string        // the folder it runs in; empty is the current one
	Names   []string      // of the variables, in their order
	Timeout time.Duration // for the answers to a block, and for the handshake; 0 is a minute
}

// String is the command as one would type it.
func (s Settings) String() string { return strings.Join(s.Args, " ") }

// A Potential is computed by another program.
type Potential struct {
	ctx      context.Context
	settings Settings
	abilities
	pool pool
}

// New starts the program for the handshake and ends it again. Errors say what
// the program, or its configuration, must do.
//
// Once ctx is done no program is started any more, and those at work are given less
// than a second for the answers that are due: then they are killed, and the error of
// their evaluators is the cause of ctx.
func New(ctx context.Context, s Settings) (*Potential, error) {
	switch {
	case len(s.Args) == 0 || s.Args[0] == "":
		return nil, errors.New("the command is empty: it lists a program and its arguments")
	case len(s.Names) == 0:
		return nil, fmt.Errorf("%v: a potential needs at least one variable", s)
	case s.Timeout < 0:
		return nil, fmt.Errorf("%v: the time limit %v is negative", s, s.Timeout)
	case s.Timeout == 0:
		s.Timeout = time.Minute
	}
	s.Args, s.Names = slices.Clone(s.Args), slices.Clone(s.Names)
	p, about, err := start(ctx, &s, 1)
	if err != nil {
		return nil, err
	}
	if err := p.unasked(); err != nil {
		return nil, err
	}
	u := &Potential{ctx: ctx, settings: s, abilities: about, pool: pool{linger: linger}}
	if u.lends() {
		u.pool.give(p)
	} else {
		p.stop(grace)
	}
	return u, nil
}

// start starts the program for blocks of so many states.
func (p *Potential) start(states int) (*process, error) {
	q, about, err := start(p.ctx, &p.settings, states)
	if err == nil && !about.equal(p.abilities) {
		err = q.fail(grace, errors.New("it changes its mind from start to start: whether it is stochastic, or lanewise, or which outputs or "+
			"constraints it has"))
	}
	return q, err
}

// Dim is the number of variables.
func (p *Potential) Dim() int { return len(p.settings.Names) }

// Stochastic is whether the program's answers depend on a seed.
func (p *Potential) Stochastic() bool { return p.abilities.Stochastic }

// Lanewise reports whether the program says so of itself; see [potential.Lanewise].
func (p *Potential) Lanewise() bool { return p.abilities.Lanewise }

// EnergyNoise is not known for stochastic programs, and 0 for others.
func (p *Potential) EnergyNoise() float64 {
	if p.Stochastic() {
		return math.NaN()
	}
	return 0
}

// Exact is p itself, or nil and true for a stochastic program.
func (p *Potential) Exact() (potential.Potential, bool) {
	if p.Stochastic() {
		return nil, true
	}
	return p, false
}

// Evaluator returns an evaluator for blocks of r states, with a process of its
// own that its first Eval starts, or any that is free of a program that is lanewise or has constraints.
// Stochastic programs take their seeds from the
// stream of replica 0 for [stream.Batch]; the others draw nothing.
//
// It has the methods of [potential.Close] and [potential.Err]. After a failure
// of the program Eval writes NaN everywhere and returns at once. Eval takes no
// longer than the time limit, for the handshake and for the block, and the few
// seconds that a failing program is given to end.
func (p *Potential) Evaluator(r int, s *stream.Set) potential.Evaluator {
	e := &evaluator{p: p, r: r}
	p.pool.opened()
	if p.Stochastic() {
		e.seeds = s.Of(0, stream.Batch)
	}
	return e
}

type evaluator struct {
	p       *Potential
	r       int
	seeds   *stream.Rand // nil: not stochastic
	process *process     // nil: not started, or lent
	closed  bool
	err     error
}

func (e *evaluator) Eval(energy, grad, x []float64) {
	if e.err == nil {
		e.err = e.eval(energy, grad, x)
	}
	if e.err != nil {
		for _, s := range [2][]float64{energy, grad} {
			for i := range s {
				s[i] = math.NaN()
			}
		}
	}
}

func (e *evaluator) eval(energy, grad, x []float64) error {
	if e.closed {
		return fmt.Errorf("%v: asked for an energy after its end", e.p.settings)
	}
	err := e.p.pool.failure()
	if e.process == nil && err == nil {
		e.process, err = e.p.take(e.r)
	}
	if err != nil {
		return err
	}
	var seed int64
	if e.seeds != nil {
		seed = e.seeds.Int64()
	}
	err = e.process.block(evaluate, energy, grad, x, seed)
	if err == nil && e.p.lends() {
		e.p.pool.give(e.process)
		e.process = nil
	}
	return err
}

// lends reports whether a process serves all evaluators, one after the other: its answer to a state
// depends on nothing else.
func (p *Potential) lends() bool { return p.abilities.Lanewise || len(p.abilities.Constraints) > 0 }

// Err is the first failure of the program.
func (e *evaluator) Err() error { return e.err }

// Close ends the process: its input ends, and it is killed if it does not end
// within a second. Close returns nil.
func (e *evaluator) Close() error {
	if !e.closed {
		e.p.pool.closed()
	}
	e.closed = true
	if e.process != nil {
		e.process.stop(grace)
	}
	return nil
}

// greeting is a line of the handshake.
type greeting struct {
	Version   int      `json:"r2sgld"`
	Versions  []int    `json:"versions,omitempty"`
	Dimension int      `json:"dimension"`
	Names     []string `json:"names,omitempty"`
	States    int      `json:"states,omitempty"`
	abilities
}

// abilities are what a program says of its answers.
type abilities struct {
	Stochastic  bool     `json:"stochastic,omitempty"`
	Lanewise    bool     `json:"lanewise,omitempty"`
	Outputs     []string `json:"outputs,omitempty"`     // what it knows of a state beside its energy
	Constraints []string `json:"constraints,omitempty"` // functions that are not above 0 where states may be
}

func (a abilities) equal(b abilities) bool {
	return a.Stochastic == b.Stochastic && a.Lanewise == b.Lanewise && slices.Equal(a.Outputs, b.Outputs) &&
		slices.Equal(a.Constraints, b.Constraints)
}

// readGreeting judges the program's answer in the handshake.
func readGreeting(line []byte, names []string) (g greeting, err error) {
	d := json.NewDecoder(strings.NewReader(string(line)))
	d.DisallowUnknownFields()
	if err := d.Decode(&g); err != nil || d.More() {
		return g, fmt.Errorf("the first line of its output is %s: want a line of JSON like {\"r2sgld\": %d, \"dimension\": %d}%s",
			quote(line), first, len(names), because(err))
	}
	switch {
	case g.Version != first && g.Version != Version:
		return g, fmt.Errorf("its \"r2sgld\" is %d: the versions of the protocol here are %d, lines, and %d, frames", g.Version, first, Version)
	case g.Lanewise && (g.Version == first || g.Stochastic):
		return g, errors.New("\"lanewise\" is for version 2 of the protocol, and for programs that are not stochastic")
	case len(g.Outputs) > 0 && g.Version == first:
		return g, errors.New("\"outputs\" are for version 2 of the protocol")
	case repeated(g.Outputs) != "":
		return g, fmt.Errorf("%q is twice among its \"outputs\"", repeated(g.Outputs))
	case len(g.Constraints) > 0 && g.Version == first:
		return g, errors.New("\"constraints\" are for version 2 of the protocol: answer the handshake with \"r2sgld\": 2, and in frames")
	case slices.Contains(g.Constraints, ""):
		return g, errors.New("one of its \"constraints\" has no name")
	case repeated(g.Constraints) != "":
		return g, fmt.Errorf("%q is twice among its \"constraints\"", repeated(g.Constraints))
	case g.Dimension != len(names):
		return g, fmt.Errorf("its \"dimension\" is %d, but there are %d variables: %s",
			g.Dimension, len(names), strings.Join(names, ", "))
	case g.Names != nil && !slices.Equal(g.Names, names):
		return g, fmt.Errorf("its \"names\" are %s, but the variables are %s: give both the same names and order",
			strings.Join(g.Names, ", "), strings.Join(names, ", "))
	}
	return g, nil
}

// repeated is a name that stands twice in a list, or "".
func repeated(names []string) string {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			return n
		}
		seen[n] = true
	}
	return ""
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return " (" + err.Error() + ")"
}
