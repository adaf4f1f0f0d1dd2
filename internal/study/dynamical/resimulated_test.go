package dynamical

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/stream"
)

// array is the state by index.
func (s state) array() [3]float64 { return [3]float64{s.x, s.y, s.z} }

// Each coefficient multiplies its function in its equation; the true trajectory is that of a
// solver; U and its slopes are 0 at the truth and, elsewhere, the slope is that of all rows
// within the chance of minibatches; what leaves stays.
func TestResimulated(t *testing.T) {
	for _, s := range []*system{lorenz(), lotkaVolterra()} {
		v := s.variants[0]
		u := newResimulated(v)
		var truth, other key
		copy(truth[:], v.truth)
		x := state{1.25, -0.5, 2}
		for j, c := range u.library.row {
			other = truth
			other[j]++
			a, b := u.library.rate(x, &truth).array(), u.library.rate(x, &other).array()
			for i := range a {
				want := 0.0
				if i == c {
					want = u.library.theta(x)[j]
				}
				if math.Abs(b[i]-a[i]-want) > 1e-12 {
					t.Errorf("%s: coefficient %d changes equation %d by %g, not %g", s.name, j, i, b[i]-a[i], want)
				}
			}
		}
		r := begun(t, s, 1).rulers[v]
		path := make([]state, rows)
		u.simulate(path, &truth)
		for k := 0; k <= 200; k++ { // two units of time, at tolerance 1e-10
			for i := range s.states {
				if d := path[k].array()[i] - r.true[k*len(s.states)+i]; math.Abs(d) > 1e-4 {
					t.Fatalf("%s: at time %g off by %g", s.name, r.times[k], d)
				}
			}
		}
		e := u.Evaluator(2, stream.New(1, 0))
		d := len(v.parameters)
		at, energy, grad := make([]float64, 2*d), make([]float64, 2), make([]float64, 2*d)
		for j := range d {
			at[2*j], at[2*j+1] = truth[j], 1.001*truth[j]
			other[j] = at[2*j+1]
		}
		u.simulate(path, &other)
		const tries = 40
		var sum, squares float64
		for range tries {
			e.Eval(energy, grad, at)
			if energy[0] != 0 {
				t.Fatalf("%s: U is %g at the truth", s.name, energy[0])
			}
			for j := range d {
				if grad[2*j] != 0 {
					t.Fatalf("%s: a slope of %g at the truth", s.name, grad[2*j])
				}
			}
			sum, squares = sum+grad[1], squares+grad[1]*grad[1]
		}
		want, all := 0.0, 0.0
		for k, y := range path {
			residual := u.library.rate(y, &other).x - u.rates[k].x
			want += residual * u.library.theta(y)[0] / rows
			all += residual * residual
		}
		mean := sum / tries
		se := math.Sqrt((squares/tries - mean*mean) / (tries - 1))
		if !(math.Abs(mean-want) < 6.5*se) || all == 0 { // t of 39 degrees of freedom: once in 1e7
			t.Errorf("%s: slope %g ± %g, of all rows %g", s.name, mean, se, want)
		}
		other = key{50 * truth[0]}
		u.simulate(path, &other)
		if last := path[rows-1]; last != path[rows-2] || !(math.Abs(last.x-u.mid.x) <= u.room.x) {
			t.Errorf("%s: a trajectory that leaves ends at %v", s.name, last)
		}
	}
}

// A plain run whose partner met no wall is not made again, and would be the same.
func TestPartnersWithoutWalls(t *testing.T) {
	m := begun(t, lorenz(), 2)
	v := m.system.variants[0]
	law := newResimulated(v)
	of := func(label string) *plan {
		p := m.plan(v, label, fromBox, 1)
		p.law, p.iterations = law, 30
		return p
	}
	first, err := m.runAll(t.Context(), "first", []*plan{of("R-SGLD")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := m.runAll(t.Context(), "made", []*plan{of("SGLD")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if first[0].runs[0].Hits != 0 || first[0].identical(made[0]) != 1 {
		t.Fatalf("%d walls met; the plain run is another", first[0].runs[0].Hits)
	}
	taken, err := m.runAll(t.Context(), "taken", []*plan{of("SGLD")}, first)
	if err != nil {
		t.Fatal(err)
	}
	if taken[0].identical(made[0]) != 1 {
		t.Error("the outcome is another than that of the run")
	}
	first[0].runs[0].Hits, first[0].runs[0].Sum = 1, [32]byte{}
	if taken, err = m.runAll(t.Context(), "again", []*plan{of("SGLD")}, first); err != nil || taken[0].identical(made[0]) != 1 {
		t.Error("where a wall was met the run is not made", err)
	}
}
