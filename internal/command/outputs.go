package command

import "slices"

// outputNumbers is how many numbers an answer has, about.
const outputNumbers = 1 << 16

// OutputNames are the names of what the program knows of a state beside its energy.
func (p *Potential) OutputNames() []string { return slices.Clone(p.abilities.Outputs) }

// Outputs returns what the program says of states beside their energies, a number for each of
// [Potential.OutputNames], from a process of its own. What it draws for them depends on the seed.
func (p *Potential) Outputs(states [][]float64, seed int64) ([][]float64, error) {
	k := len(p.abilities.Outputs)
	if k == 0 || len(states) == 0 {
		return nil, nil
	}
	each := min(len(states), max(1, outputNumbers/k))
	q, err := p.start(each)
	if err != nil {
		return nil, err
	}
	defer q.stop(grace)
	var out [][]float64
	for len(out) < len(states) {
		some := states[len(out):min(len(out)+each, len(states))]
		answers, err := q.outputs(some, k, seed+int64(len(out)))
		if err != nil {
			return nil, err
		}
		out = append(out, answers...)
	}
	return out, nil
}

// outputs asks for k numbers of each state.
func (p *process) outputs(states [][]float64, k int, seed int64) ([][]float64, error) {
	f := p.language.(*frames) // who has outputs speaks frames
	r, d := len(states), len(p.Names)
	x := make([]float64, r*d)
	for i, s := range states {
		for j, v := range s {
			x[j*r+i] = v
		}
	}
	p.request = f.request(p.request[:0], outputs, x, r, seed)
	p.limit()
	p.post(p.request)
	if err := f.numbers(p, r, r*k); err != nil {
		return nil, err
	}
	out := make([][]float64, r)
	for i := range out {
		out[i] = make([]float64, k)
		for j := range k {
			out[i][j] = f.number(i*k + j)
		}
	}
	return out, p.posted()
}
