package dynamical

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/r2sgld/r2sgld/internal/study"
)

// A system is one of the paper's two.
type system struct {
	name, file string   // of the study, of its data
	states     []string // in the data
	axes       []string // what they are called in figures
	initial    []float64
	steps      [3]string  // step sizes of the three samplers
	cold       [3]float64 // the same of their cold rungs
	hottest    [3]float64 // and the largest
	variants   [2]*variant
	section    string  // of the paper
	told       string  // equations, true coefficients and initial state
	unit       string  // of time
	end        float64 // until when trajectories are followed
	chaotic    bool    // so that trajectories part; otherwise their distance is told
	library    library
	binding    []string // constraints that cut into the exact law: two sides and a corner between two coefficients
}

// A variant of a system says which coefficients are free.
type variant struct {
	system      *system
	name        string // "key" or "all"
	told        string
	equations   []string // one for each state
	constraints []string
	walls       []string // those of the constraints that the others do not imply
	parameters  []string
	truth       []float64  // of each parameter
	quantities  []quantity // what is told: the parameters, then combinations of them
	key         []int      // the coefficients of the paper among the quantities
	low         []float64  // a start next to the walls
}

// A library is Θ for the key coefficients.
type library struct {
	row   []int                       // the equation of each coefficient
	theta func(x state) [4]float64    // the function of the state that it multiplies
	rate  func(x state, b *key) state // the right-hand sides
}

// A key holds the key coefficients, in their order.
type key [4]float64

// A state is that of a system; what a system of two lacks is 0. Its fields, unlike those of an
// array, are kept in registers.
type state struct{ x, y, z float64 }

// A quantity is a combination of parameters.
type quantity struct {
	name   string
	symbol string
	weight map[int]float64
	truth  float64
}

// of evaluates the quantity.
func (q quantity) of(x []float64) float64 {
	sum := 0.0
	for j := range x {
		if w, ok := q.weight[j]; ok {
			sum += w * x[j]
		}
	}
	return sum
}

// finish lists the quantities of a variant; mean names a combination: the mean of
// two parameters.
func (v *variant) finish(symbols map[string]string, key []string, mean map[string][2]string) *variant {
	at := func(name string) int {
		for k, q := range v.quantities {
			if q.name == name {
				return k
			}
		}
		return -1
	}
	for j, p := range v.parameters {
		v.quantities = append(v.quantities, quantity{p, symbol(symbols, p), map[int]float64{j: 1}, v.truth[j]})
	}
	for _, k := range key {
		if of, ok := mean[k]; ok {
			a, b := at(of[0]), at(of[1])
			v.quantities = append(v.quantities, quantity{k, symbol(symbols, k), map[int]float64{a: 0.5, b: 0.5}, (v.truth[a] + v.truth[b]) / 2})
		}
		v.key = append(v.key, at(k))
	}
	return v
}

func symbol(symbols map[string]string, name string) string {
	if s, ok := symbols[name]; ok {
		return s
	}
	return name
}

// lorenz is the system of section 5.1.
func lorenz() *system {
	s := &system{name: "lorenz", file: "lorenz.csv", states: []string{"x", "y", "z"}, axes: []string{"x", "y", "z"},
		initial: []float64{-8, 8, 27},
		steps:   [3]string{"5e-6", "2e-5", "[2e-6, 2e-5]"}, cold: [3]float64{5e-6, 2e-5, 2e-6}, hottest: [3]float64{5e-6, 2e-5, 2e-5},
		section: "5.1", told: "ẋ = σ(y − x), ẏ = x(ρ − z) − y, ż = xy − βz with σ = 10, ρ = 28, β = 8/3, from (−8, 8, 27)",
		library: library{[]int{0, 1, 2}, func(s state) [4]float64 { return [4]float64{s.y - s.x, s.x, -s.z} },
			func(s state, b *key) state {
				return state{b[0] * (s.y - s.x), s.x*(b[1]-s.z) - s.y, s.x*s.y - b[2]*s.z}
			}},
		end: 100, chaotic: true, binding: []string{"sigma >= 10.02", "rho <= 27.99", "2*sigma + rho <= 48.3"}}
	symbols := map[string]string{"sigma": "σ", "rho": "ρ", "beta": "β"}
	key := []string{"sigma", "rho", "beta"}
	s.variants[0] = (&variant{system: s, name: "key", told: "3 coefficients",
		equations:   []string{"sigma*(y - x)", "x*(rho - z) - y", "x*y - beta*z"},
		constraints: []string{"sigma > 0", "rho > 0", "beta > 0", "sigma > 1 + beta", "rho > 1"},
		walls:       []string{"rho > 1", "beta > 0", "sigma > 1 + beta"},
		parameters:  key, truth: []float64{10, 28, 8. / 3},
		low: []float64{1.1, 1.05, 0.05}}).finish(symbols, key, nil)
	free := []string{"rho > 1", "beta > 0", "sigma_x > 1 + beta", "sigma_y > 1 + beta"}
	s.variants[1] = (&variant{system: s, name: "all", told: "all 15 coefficients",
		equations: []string{
			"-sigma_x*x + sigma_y*y + x_z*z + x_xy*x*y + x_xz*x*z",
			"rho*x + y_y*y + y_z*z + y_xy*x*y + y_xz*x*z",
			"z_x*x + z_y*y - beta*z + z_xy*x*y + z_xz*x*z"},
		constraints: free, walls: free,
		parameters: []string{"sigma_x", "sigma_y", "x_z", "x_xy", "x_xz", "rho", "y_y", "y_z", "y_xy", "y_xz", "z_x", "z_y", "beta", "z_xy",
			"z_xz"},
		truth: []float64{10, 10, 0, 0, 0, 28, -1, 0, 0, -1, 0, 0, 8. / 3, 1, 0}}).
		finish(symbols, key, map[string][2]string{"sigma": {"sigma_x", "sigma_y"}})
	return s
}

// lotkaVolterra is the system of the appendix.
func lotkaVolterra() *system {
	s := &system{name: "lotka-volterra", file: "lotka_volterra.csv", states: []string{"x", "y"}, axes: []string{"prey", "predators"},
		initial: []float64{10, 5},
		steps:   [3]string{"5e-6", "1e-5", "[2e-6, 1e-5]"}, cold: [3]float64{5e-6, 1e-5, 2e-6}, hottest: [3]float64{5e-6, 1e-5, 1e-5},
		section: "appendix", told: "ẋ = αx − βxy, ẏ = −δy + γxy with α = 1, β = 0.1, δ = 1.5, γ = 0.075, from (10, 5)",
		library: library{[]int{0, 0, 1, 1}, func(s state) [4]float64 { return [4]float64{s.x, -s.x * s.y, -s.y, s.x * s.y} },
			func(s state, b *key) state {
				return state{x: s.x * (b[0] - b[1]*s.y), y: s.y * (b[3]*s.x - b[2])}
			}},
		unit: "days", end: 200, binding: []string{"alpha >= 1.02", "delta <= 1.49", "alpha + delta <= 2.6"}}
	symbols := map[string]string{"alpha": "α", "beta": "β", "delta": "δ", "gamma": "γ"}
	key := []string{"alpha", "beta", "delta", "gamma"}
	positive := []string{"alpha > 0", "beta > 0", "delta > 0", "gamma > 0"}
	s.variants[0] = (&variant{system: s, name: "key", told: "4 coefficients",
		equations: []string{"alpha*x - beta*x*y", "-delta*y + gamma*x*y"}, constraints: positive, walls: positive,
		parameters: key, truth: []float64{1, 0.1, 1.5, 0.075}, low: []float64{0.02, 0.002, 0.03, 0.0015}}).finish(symbols, key, nil)
	s.variants[1] = (&variant{system: s, name: "all", told: "all 6 coefficients",
		equations: []string{"alpha*x + x_y*y - beta*x*y", "y_x*x - delta*y + gamma*x*y"}, constraints: positive, walls: positive,
		parameters: []string{"alpha", "x_y", "beta", "y_x", "delta", "gamma"}, truth: []float64{1, 0, 0.1, 0, 1.5,
			0.075}}).finish(symbols, key, nil)
	return s
}

// Where chains start. The paper does not say.
const (
	fromBox   = "box"   // each key coefficient uniform within ±50 % of its true value, the others within ±0.5 of it
	fromTruth = "truth" // as the released code starts cycSGLD
	fromLow   = "walls" // next to the walls, as near to 0 as the constraints allow: the released code starts the others at 0
)

// start is where a run begins: the same place for all methods.
func (v *variant) start(kind string, seed uint64, run int) []float64 {
	x := append([]float64(nil), v.truth...)
	switch kind {
	case fromLow:
		copy(x, v.low)
	case fromBox:
		rng := rand.New(rand.NewPCG(study.SeedOf(seed, "start "+v.system.name+v.name), uint64(run)))
		key := map[int]bool{}
		for _, k := range v.key {
			for j := range v.quantities[k].weight {
				key[j] = true
			}
		}
		for j := range x {
			u := rng.Float64() - 0.5
			if key[j] {
				x[j] *= 1 + u
			} else {
				x[j] += u
			}
		}
	}
	return x
}

// dataText is the data section of a configuration.
func (s *system) dataText() string {
	var states, derivatives []string
	for _, n := range s.states {
		states, derivatives = append(states, n+": "+n), append(derivatives, n+": d"+n)
	}
	return fmt.Sprintf("data:\n  file: %s\n  time: t\n  states: {%s}\n  derivatives: {%s}\n", s.file, strings.Join(states, ", "),
		strings.Join(derivatives, ", "))
}

// modelText is the model section, with minibatches of a number of rows (0: none)
// and further constraints.
func (v *variant) modelText(batch int, noise string, constrained bool, more ...string) string {
	var b strings.Builder
	b.WriteString("model:\n  equations:\n")
	for i, e := range v.equations {
		fmt.Fprintf(&b, "    %s: %q\n", v.system.states[i], e)
	}
	if constrained {
		b.WriteString("  constraints:\n")
		for _, c := range append(append([]string(nil), v.constraints...), more...) {
			fmt.Fprintf(&b, "    - %q\n", c)
		}
	}
	fmt.Fprintf(&b, "  derivative: column\n  noise: %s\n", noise)
	if batch > 0 {
		fmt.Fprintf(&b, "  batch: %d\n", batch)
	}
	return b.String()
}
