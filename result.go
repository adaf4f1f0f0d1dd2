package r2sgld

import (
	"slices"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
)

// Draws are the kept draws of one ladder, per rung, the coldest first.
type Draws struct {
	X      [][]float64 // X[rung] is n × d, draw by draw, in the user's coordinates
	Energy [][]float64 // Energy[rung] is U (with its noise) at each draw, length n
	// More[rung] is what U is more than the energy by which rungs trade, G − U₀, at each
	// draw: where the problem has a guide G; else nil.
	More [][]float64
}

// Chain returns coordinate j of the draws of a rung, length n.
func (d Draws) Chain(rung, j int) []float64 {
	n := len(d.Energy[rung])
	if n == 0 {
		return nil
	}
	dim := len(d.X[rung]) / n
	c := make([]float64, n)
	for i := range c {
		c[i] = d.X[rung][i*dim+j]
	}
	return c
}

func newDraws(rungs int, guided bool) Draws {
	d := Draws{X: make([][]float64, rungs), Energy: make([][]float64, rungs)}
	if guided {
		d.More = make([][]float64, rungs)
	}
	return d
}

// Traded returns the energies by which a rung trades at its draws, length n: those of the
// way from the law at infinite temperature to the density.
func (d Draws) Traded(rung int) []float64 {
	if d.More == nil {
		return d.Energy[rung]
	}
	u := slices.Clone(d.Energy[rung])
	for i, v := range d.More[rung] {
		u[i] -= v
	}
	return u
}

// room makes room for n draws of so many numbers.
func (d Draws) room(n, told int) {
	for r := range d.X {
		d.X[r], d.Energy[r] = make([]float64, 0, n*told), make([]float64, 0, n)
		if d.More != nil {
			d.More[r] = make([]float64, 0, n)
		}
	}
}

// add adds a draw to those of a rung.
func (d Draws) add(rung int, x []float64, energy, more float64) {
	d.X[rung], d.Energy[rung] = append(d.X[rung], x...), append(d.Energy[rung], energy)
	if d.More != nil {
		d.More[rung] = append(d.More[rung], more)
	}
}

// halve drops every second draw.
func (d Draws) halve() {
	for r, energy := range d.Energy {
		x := d.X[r]
		dim := len(x) / len(energy)
		n := len(energy) / 2
		for i := range n {
			energy[i] = energy[2*i+1]
			copy(x[i*dim:(i+1)*dim], x[(2*i+1)*dim:(2*i+2)*dim])
		}
		d.Energy[r], d.X[r] = energy[:n], x[:n*dim]
		if d.More != nil {
			d.More[r] = every(d.More[r], 2)
		}
	}
}

// A Ladder is what one ladder made.
type Ladder struct {
	Draws
	Half       Draws               // of the coldest rung at half the step, draw by draw beside Draws; of a certificate
	Quarter    Draws               // likewise, at a quarter of the step
	Stride     int                 // of the draws kept, every Stride-th is held here
	Iterations int                 // done, burn-in included
	Resumed    int                 // of them before this call, from a checkpoint
	Swaps      exchange.Statistics // of all iterations
	Tally      []domain.Tally      // per rung, of all iterations
	Asked      int64               // values of surfaces that steps asked a crowd for, of all iterations, those remembered included
	Moves      []kernel.Moves      // per rung, of kernels that take or refuse; nil for others
	// Independence counts what became of states of the hottest rung that the coldest was offered beside
	// swaps; zero where there were none.
	Independence kernel.Moves
	Jumps        []Jumps    // per rung, of all iterations; nil where nothing was looked at
	Stuck        [][]string // per rung, the walls at which a step was last given up; nil where none was, or that is not known

	steps int // gradients of a replica per iteration
}

// A Result is what a run made, ladder by ladder.
type Result struct {
	Names   []string // of the coordinates
	Ladders []Ladder
	Guide   *Guide // of the problem; nil is none
}

// result is what the ladders have made so far.
func (r *run) result() *Result {
	res := &Result{Names: r.problem.ReportedNames(), Guide: r.problem.Guide}
	for _, l := range r.all {
		made := Ladder{Draws: l.draws, Stride: l.stride, Iterations: l.done, Resumed: l.begun, Swaps: l.exchange.Statistics(), Tally: l.counted(),
			Moves: l.moves(), Independence: l.jump.told(), Jumps: l.jumps, steps: l.traits.Steps}
		for _, n := range l.asked {
			made.Asked += n
		}
		for _, c := range l.corners {
			var walls []string
			if r.settings.Whitening == nil { // whose walls are those of other coordinates
				walls = c.names(r.domain, r.problem.Names)
			}
			made.Stuck = append(made.Stuck, walls)
		}
		if l.shadow != nil {
			made.Half, made.Quarter, made.steps = l.shadow.draws, l.shadow.next.draws, 7*l.traits.Steps
		}
		res.Ladders = append(res.Ladders, made)
	}
	return res
}

// Chains returns coordinate j of the cold rung of every ladder, cut to the
// length of the shortest: what R̂ and effective sample sizes are computed from.
func (r *Result) Chains(j int) [][]float64 { return r.RungChains(0, j) }

// RungChains is Chains of any rung, the coldest being 0.
func (r *Result) RungChains(rung, j int) [][]float64 {
	return r.alike(func(l Ladder) []float64 { return l.Chain(rung, j) })
}

// Cold returns the draws of the cold rung of every ladder, n × d each, cut to the length of the shortest: what
// Chains returns coordinate by coordinate.
func (r *Result) Cold() [][]float64 {
	out, d := make([][]float64, len(r.Ladders)), len(r.Names)
	for j := range d {
		for i, c := range r.Chains(j) {
			if out[i] == nil {
				out[i] = make([]float64, len(c)*d)
			}
			for k, v := range c {
				out[i][k*d+j] = v
			}
		}
	}
	return out
}

// AgreedChains is RungChains of all coordinates of the points that the draws of a rung agree on
// up to a symmetry.
func (r *Result) AgreedChains(rung int, of Symmetry) [][][]float64 {
	chains := make([][][]float64, len(r.Names))
	for j := range chains {
		chains[j] = slices.Clone(r.RungChains(rung, j))
	}
	var draws [][]float64
	for l, chain := range chains[0] {
		for t := range chain {
			x := make([]float64, len(chains))
			for j := range x {
				x[j] = chains[j][l][t]
			}
			draws = append(draws, x)
		}
	}
	draws = of.Agree(draws)
	for l, chain := range chains[0] {
		n := len(chain)
		for j := range chains {
			chains[j][l] = make([]float64, n)
			for t, x := range draws[:n] {
				chains[j][l][t] = x[j]
			}
		}
		draws = draws[n:]
	}
	return chains
}

// Energies returns U at the draws of the cold rung of every ladder, cut to the
// length of the shortest.
func (r *Result) Energies() [][]float64 {
	return r.alike(func(l Ladder) []float64 { return l.Energy[0] })
}

// TradedEnergies returns the energies by which a rung trades, [Draws.Traded], of every
// ladder, cut to the length of the shortest: what log Z is computed from.
func (r *Result) TradedEnergies(rung int) [][]float64 {
	return r.alike(func(l Ladder) []float64 { return l.Traded(rung) })
}

// alike returns numbers that go with the draws of every ladder, of the same draws and as
// many of each.
func (r *Result) alike(of func(Ladder) []float64) [][]float64 {
	chains := make([][]float64, len(r.Ladders))
	shortest, stride := -1, 1
	for _, l := range r.Ladders {
		stride = max(stride, l.Stride)
	}
	for i, l := range r.Ladders {
		chains[i] = every(of(l), stride/l.Stride)
		if n := len(chains[i]); shortest < 0 || n < shortest {
			shortest = n
		}
	}
	for i := range chains {
		chains[i] = chains[i][:shortest]
	}
	return chains
}

// every returns every n-th of v.
func every(v []float64, n int) []float64 {
	if n == 1 {
		return v
	}
	out := make([]float64, len(v)/n)
	for i := range out {
		out[i] = v[(i+1)*n-1]
	}
	return out
}

// Acceptance is the share of the trajectories of kernel HMC that were accepted,
// per rung, over all ladders; nil for other kernels.
func (r *Result) Acceptance() []float64 {
	return r.share(func(m kernel.Moves) int64 { return m.Accepted })
}

// Undefined is the share of them that came to a state of finite energy whose gradient is NaN,
// likewise; see [kernel.Moves].
func (r *Result) Undefined() []float64 {
	return r.share(func(m kernel.Moves) int64 { return m.Undefined })
}

// share is that of some of the trajectories, per rung.
func (r *Result) share(some func(kernel.Moves) int64) []float64 {
	if len(r.Ladders) == 0 {
		return nil
	}
	var share []float64
	for i := range r.Ladders[0].Moves {
		of, all := int64(0), int64(0)
		for _, l := range r.Ladders {
			of, all = of+some(l.Moves[i]), all+l.Moves[i].Proposed
		}
		share = append(share, float64(of)/float64(all))
	}
	return share
}

// Independence counts how often the coldest rung was offered states that were drawn for the
// hottest, beside swaps, and took one, over all ladders.
func (r *Result) Independence() (m kernel.Moves) {
	for _, l := range r.Ladders {
		m.Proposed += l.Independence.Proposed
		m.Accepted += l.Independence.Accepted
	}
	return m
}

// Stuck are the walls at which a step of a rung was last given up, of the last ladder
// in which one was; nil where none was, or that is not known.
func (r *Result) Stuck(rung int) []string {
	var walls []string
	for _, l := range r.Ladders {
		if len(l.Stuck[rung]) > 0 {
			walls = l.Stuck[rung]
		}
	}
	return walls
}

// Gradients is the number of gradients that the steps of all replicas took.
func (r *Result) Gradients() int64 {
	var n int64
	for _, l := range r.Ladders {
		n += int64(l.Iterations) * int64(l.steps*len(l.Tally))
	}
	return n
}

// Asked is the number of values of surfaces that the steps of all replicas asked for; see
// [Ladder.Asked].
func (r *Result) Asked() int64 {
	var n int64
	for _, l := range r.Ladders {
		n += l.Asked
	}
	return n
}

// Swaps adds up the swaps of all ladders.
func (r *Result) Swaps() exchange.Statistics {
	var s exchange.Statistics
	for _, l := range r.Ladders {
		s.Add(l.Swaps)
	}
	return s
}

// Tally adds up what the boundary did, over all ladders: for one rung, or for
// all of them if rung < 0.
func (r *Result) Tally(rung int) domain.Tally {
	var t domain.Tally
	for _, l := range r.Ladders {
		for i, u := range l.Tally {
			if rung < 0 || rung == i {
				t.Add(u)
			}
		}
	}
	return t
}
