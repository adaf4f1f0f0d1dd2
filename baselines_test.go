package r2sgld_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
)

// Projected Langevin steps on a box with U = 0 have the atoms on the walls and the
// bias of E x² that a deterministic computation gives them, and order ½: means
// over 48 ladders of eight coordinates each, |t| < 6.3. It kills specular
// reflection in place of projection (no atoms: |t| > 100), and projection to an
// inner point.
func TestProjectedLangevin(t *testing.T) {
	var r struct {
		Exact   float64 `json:"exact_Ex2"`
		Project []struct {
			Eta  float64
			Bias float64 `json:"bias_Ex2"`
			Atom float64 `json:"atom_mass"`
		}
	}
	readReference(t, "projected_uniform.json", &r)
	const d, ladders = 8, 48
	one := slices.Repeat([]float64{1}, d)
	p := r2sgld.Problem{Potential: flat(d), Domain: must(domain.NewBox(make([]float64, d), one))}
	var bias, error2 []float64        // of log bias
	for _, ref := range []int{0, 2} { // steps 0.04 and 0.01
		eta := r.Project[ref].Eta
		s := r2sgld.Settings{Seed: 7, Ladders: ladders, Iterations: longer(4000), BurnIn: 200, Thin: 2, StepSize: []float64{eta},
			Boundary: domain.Project}
		of := map[string]functional{
			"E x²":  {"", func(x []float64, _ float64) float64 { return x[0] * x[0] }, r.Exact + r.Project[ref].Bias},
			"atoms": {"", func(x []float64, _ float64) float64 { return float64(b2i(x[0] == 0 || x[0] == 1)) }, r.Project[ref].Atom},
		}
		res := sample(t, p, s)
		for name, f := range of {
			each := make([]float64, ladders)
			for l, ladder := range res.Ladders {
				for j := range ladder.X[0] {
					each[l] += f.of(ladder.X[0][j:], 0) / float64(len(ladder.X[0]))
				}
			}
			mean, se := meanOf(each)
			if z := (mean - f.want) / se; !(math.Abs(z) < student(ladders)) {
				t.Errorf("step %g: %s is %.5f ± %.5f, want %.5f (t = %.1f)", eta, name, mean, se, f.want, z)
			}
			if name == "E x²" {
				bias, error2 = append(bias, mean-r.Exact), append(error2, (se/(mean-r.Exact))*(se/(mean-r.Exact)))
			}
		}
	}
	order := math.Log(bias[0]/bias[1]) / math.Log(4)
	se := math.Sqrt(error2[0]+error2[1]) / math.Log(4)
	want := math.Log(r.Project[0].Bias/r.Project[2].Bias) / math.Log(4) // 0.438: the way to ½ is slow
	if !(math.Abs(order-want) < student(ladders)*se) || order+student(ladders)*se > 0.8 {
		t.Errorf("order %.3f ± %.3f, want %.3f", order, se, want)
	}
}

// proximal is the law of U = 0 on a box with the penalty of the distance, ½ξ·dist²:
// in each coordinate flat with the tails of a normal of variance τ/ξ. The
// functionals are the mass outside, the penalty, x and y.
func proximal(a, b, xi float64, temperature ...float64) law {
	box := must(domain.NewBox([]float64{0, 0}, []float64{a, b}))
	l := law{p: r2sgld.Problem{Potential: flat(2), Domain: box}}
	for _, tau := range temperature {
		tails := math.Sqrt(2 * math.Pi * tau / xi)
		out, up := tails/(a+tails), tails/(b+tails)
		l.rungs = append(l.rungs, []functional{
			{"outside", func(x []float64, _ float64) float64 { return float64(b2i(!box.Contains(x))) }, 1 - (1-out)*(1-up)},
			{"penalty", func(_ []float64, u float64) float64 { return u }, (out + up) * tau / 2},
			{"x", func(x []float64, _ float64) float64 { return x[0] }, a / 2},
			{"y", func(x []float64, _ float64) float64 { return x[1] }, b / 2},
			{"x²", func(x []float64, _ float64) float64 { return x[0] * x[0] },
				(1-out)*a*a/3 + out*(a*a/2+tau/xi+a*math.Sqrt(2*tau/xi/math.Pi))},
		})
	}
	return l
}

// A penalty of the distance has the law that theory gives it, outside too, for two
// temperatures that swap (the penalty counts as energy): exactly with kernel HMC
// (|t| < 6.3), and as the step goes to zero with SGLD, which is proximal Langevin
// dynamics; at the coarse step that one is visibly off. It kills a penalty
// with the wrong sign or without ½, a force alone (rungs see no difference), and
// HMC whose momenta do not feel it.
func TestProximalLangevin(t *testing.T) {
	const xi, ladders = 20, 48
	l := proximal(1, 2, xi, 1, 3)
	s := r2sgld.Settings{Seed: 5, Ladders: ladders, Iterations: longer(3000), BurnIn: 300, Temperature: []float64{1, 3},
		StepSize: []float64{0.03},
		Boundary: domain.Free, Penalty: &r2sgld.Penalty{Strength: xi, Distance: true}}
	coarse := s
	s.Kernel = kernel.HMC{Leapfrog: 4}
	res := sample(t, l.p, s)
	z, what := l.score(res)
	if !(z < student(ladders)) {
		t.Errorf("HMC: E %s is off by |t| = %.1f", what, z)
	}
	if biased, _ := l.score(sample(t, l.p, coarse)); !(biased > student(ladders)) {
		t.Errorf("a step of 0.03 shows no bias: |t| = %.1f", biased)
	}
	s.Kernel, s.Iterations, s.StepSize, s.Thin = nil, longer(6000), []float64{0.004}, 2
	fine := sample(t, l.p, s)
	s.StepSize, s.Seed = []float64{0.008}, 6
	wide := sample(t, l.p, s)
	for r, fs := range l.rungs {
		for _, f := range fs {
			each := make([]float64, ladders)
			for i := range each {
				a, b := fine.Ladders[i], wide.Ladders[i]
				n := float64(len(a.Energy[r]))
				for k, u := range a.Energy[r] {
					each[i] += (2*f.of(a.X[r][2*k:], u) - f.of(b.X[r][2*k:], b.Energy[r][k])) / n
				}
			}
			if mean, se := meanOf(each); !(math.Abs(mean-f.want) < student(ladders)*se) {
				t.Errorf("rung %d: E %s is %.4f ± %.4f as the step goes to zero, want %.4f", r+1, f.name, mean, se, f.want)
			}
		}
	}
	if n := res.Tally(0); n.Outside == 0 || n.Reflected > 0 {
		t.Errorf("%+v", n)
	}
}

// Mirror maps: the Dirichlet law on the simplex, where SGLD with walls has order ½,
// and a Gaussian in a box, both as the step in dual coordinates goes to zero; the
// energies are U of the point, and no draw is outside. It kills a map without its
// log-determinant (the Dirichlet law of α − 1) and one with it in the energy.
func TestMirroredLangevin(t *testing.T) {
	pace.Slow(t)
	for name, c := range map[string]struct {
		file string
		step float64
	}{"Dirichlet": {"dirichlet.json", 0.06}, "Gaussian": {"gauss_box.json", 0.05}} {
		t.Run(name, func(t *testing.T) {
			var r reference
			readReference(t, c.file, &r)
			p := r2sgld.Problem{Potential: dirichlet(r.Target.Alpha), Domain: must(domain.NewSimplex(2, 1))}
			if name == "Gaussian" {
				p = r2sgld.Problem{Potential: quadratic(r.Target.Mu, r.Target.Q), Domain: must(domain.NewBox(r.Domain.Lower, r.Domain.Upper))}
			}
			s := settings(60_000, c.step)
			s.Mirror, s.Thin = true, 5
			atTwoSteps(t, p, s, 1, r.moments())
		})
	}
}

// Draws of an unconstrained run that are kept inside a half-plane have the law of
// that run on it: a correlated Gaussian at τ = 2, whose covariance under steps of
// size η is known, Σ = τ(Q(1 − ηQ/2))⁻¹, cut where a·x ≤ b. With z = a·x, of
// variance s², E x = Σa E[z]/s² and E xxᵀ = Σ + Σa(Σa)ᵀ(E[z²] − s²)/s⁴, z a
// truncated normal. The sums of f − E f over the kept draws of 48 ladders have mean
// zero: |t| < 6.3. It kills: all draws kept, those outside kept, and draws of
// another rung.
func TestDrawsInsideAreTheRestriction(t *testing.T) {
	const eta, tau, ladders = 0.2, 2, 48
	q := [2][2]float64{{1, 0.6}, {0.6, 2}}
	a, b := [2]float64{1, -0.5}, 0.4
	var m [2][2]float64 // Q(1 − ηQ/2)
	for i := range 2 {
		for j := range 2 {
			m[i][j] = q[i][j] - eta/2*(q[i][0]*q[0][j]+q[i][1]*q[1][j])
		}
	}
	det := (m[0][0]*m[1][1] - m[0][1]*m[1][0]) / tau
	sigma := [2][2]float64{{m[1][1] / det, -m[0][1] / det}, {-m[1][0] / det, m[0][0] / det}}
	sa := [2]float64{sigma[0][0]*a[0] + sigma[0][1]*a[1], sigma[1][0]*a[0] + sigma[1][1]*a[1]}
	s2 := a[0]*sa[0] + a[1]*sa[1]
	beta := b / math.Sqrt(s2)
	inside := distuv.UnitNormal.CDF(beta)
	hazard := distuv.UnitNormal.Prob(beta) / inside
	ez, ezz := -math.Sqrt(s2)*hazard, s2*(1-beta*hazard)
	fs := []functional{{"x", func(x []float64, _ float64) float64 { return x[0] }, sa[0] * ez / s2},
		{"y", func(x []float64, _ float64) float64 { return x[1] }, sa[1] * ez / s2}}
	for _, ij := range [][2]int{{0, 0}, {0, 1}, {1, 1}} {
		i, j := ij[0], ij[1]
		fs = append(fs, functional{"second moment", func(x []float64, _ float64) float64 { return x[i] * x[j] },
			sigma[i][j] + sa[i]*sa[j]*(ezz-s2)/(s2*s2)})
	}
	half := must(domain.NewHalfSpace(a[:], b))
	p := r2sgld.Problem{Potential: quadratic([]float64{0, 0}, [][]float64{q[0][:], q[1][:]}), Domain: half}
	s := r2sgld.Settings{Seed: 3, Ladders: ladders, Iterations: longer(5000), BurnIn: 100, StepSize: []float64{eta},
		Temperature: []float64{tau},
		Boundary:    domain.Free, Inside: true, Start: []float64{0, 0}}
	res := sample(t, p, s)
	sums, share := make([][]float64, len(fs)), make([]float64, ladders)
	for i := range sums {
		sums[i] = make([]float64, ladders)
	}
	for l, ladder := range res.Ladders {
		n := len(ladder.Energy[0])
		share[l] = float64(n) / float64(s.Iterations-s.BurnIn)
		if int64(n)+ladder.Tally[0].Outside != int64(s.Iterations-s.BurnIn) {
			t.Errorf("ladder %d: %d draws kept, %d outside", l+1, n, ladder.Tally[0].Outside)
		}
		for k := range n {
			x := ladder.X[0][2*k : 2*k+2]
			if !half.Contains(x) {
				t.Fatalf("%v was kept", x)
			}
			for i, f := range fs {
				sums[i][l] += f.of(x, 0) - f.want
			}
		}
	}
	for i, f := range fs {
		if mean, se := meanOf(sums[i]); !(math.Abs(mean) < student(ladders)*se) {
			t.Errorf("%s (%d) is off by |t| = %.1f", f.name, i, math.Abs(mean)/se)
		}
	}
	if mean, se := meanOf(share); !(math.Abs(mean-inside) < student(ladders)*se) {
		t.Errorf("%.4f ± %.4f are inside, want %.4f", mean, se, inside)
	}
}

// With Inside the draws, of all rungs, are those of the free run whose cold state is
// inside, in order, bit for bit; ladders keep differing numbers. With MaxDraws
// every Stride-th of them is held, by a stride of each ladder's own, the keeper
// is given all, and Chains are as long as the shortest, at the widest stride. It
// kills: draws counted that were not kept, a stride that counts them, and chains of
// draws that are unequally far apart.
func TestDrawsInsideAreASelection(t *testing.T) {
	p, s := small()
	p.Domain = must(domain.NewBox([]float64{-3, -0.3}, []float64{0.6, 3}))
	s.Decay, s.Boundary, s.BurnIn, s.Whitening, s.Iterations = kernel.Decay{}, domain.Free, 200, shear, 2000
	s.Swap.Every = 1
	free := sample(t, p, s)
	s.Inside = true
	counts := make([]int, s.Ladders) // of draws inside
	for i, l := range free.Ladders {
		for k := range l.Energy[0] {
			if p.Domain.Contains(l.X[0][2*k : 2*k+2]) {
				counts[i]++
			}
		}
	}
	halved := (slices.Min(counts) + slices.Max(counts)) / 8 // strides of 4 and of 8
	for _, most := range []int{0, 1, 60, halved, 1000} {
		s.MaxDraws = most
		tapes := taped(&s)
		res := sample(t, p, s)
		lengths, strides := map[int]bool{}, map[int]bool{}
		shortest, widest := 1<<30, 1
		for i, l := range res.Ladders {
			whole, want, n := free.Ladders[i], &tape{}, 0
			for k := range whole.Energy[0] {
				if !p.Domain.Contains(whole.X[0][2*k : 2*k+2]) {
					continue
				}
				x, u := make([][]float64, 3), make([]float64, 3)
				for r := range x {
					x[r], u[r] = whole.X[r][2*k:2*k+2], whole.Energy[r][k]
				}
				_ = want.Keep(x, u)
				if n++; n%l.Stride > 0 || n/l.Stride > len(l.Energy[0]) {
					continue
				}
				for r, at := 0, n/l.Stride-1; r < 3; r++ {
					if l.Energy[r][at] != u[r] || !slices.Equal(l.X[r][2*at:2*at+2], x[r]) {
						t.Fatalf("at most %d, ladder %d: draw %d of rung %d is not draw %d inside", most, i+1, at+1, r+1, n)
					}
				}
			}
			if held := len(l.Energy[0]); held != n/l.Stride || most > 0 && held > most || l.Tally[0].Outside != int64(len(whole.Energy[0])-n) {
				t.Errorf("at most %d, ladder %d: of %d draws inside %d are held, one in %d; %d outside", most, i+1, n, held,
					l.Stride, l.Tally[0].Outside)
			}
			if !bytes.Equal(tapes[i].b, want.b) {
				t.Errorf("at most %d, ladder %d: the keeper was given other draws", most, i+1)
			}
			lengths[n], strides[l.Stride] = true, true
			shortest, widest = min(shortest, n), max(widest, l.Stride)
		}
		if len(lengths) < 3 || most == halved && len(strides) < 2 {
			t.Errorf("at most %d: lengths %v and strides %v show nothing", most, lengths, strides)
		}
		for i, chain := range res.Chains(1) {
			if len(chain) != shortest/widest {
				t.Errorf("at most %d: a chain of %d draws, want %d", most, len(chain), shortest/widest)
			}
			of := res.Ladders[i]
			for k, v := range chain {
				if at := (k+1)*widest/of.Stride - 1; v != of.X[0][2*at+1] || res.Energies()[i][k] != of.Energy[0][at] {
					t.Fatalf("at most %d: entry %d of chain %d is not draw %d", most, k, i+1, at)
				}
			}
		}
	}
	p.Domain = must(domain.NewBox([]float64{50, 50}, []float64{51, 51}))
	s.Start = []float64{0, 0}
	res := sample(t, p, s)
	if c := res.Chains(0); len(c) != s.Ladders || len(c[0]) != 0 || res.Ladders[0].Tally[0].Outside != 600 {
		t.Errorf("nothing is inside: %d chains, %+v", len(c), res.Ladders[0].Tally[0])
	}
}

// others are runs of every other kernel and penalty, and of base laws.
func others() map[string]func(*r2sgld.Problem, *r2sgld.Settings) {
	return map[string]func(*r2sgld.Problem, *r2sgld.Settings){
		"HMC": func(_ *r2sgld.Problem, s *r2sgld.Settings) {
			s.Kernel, s.Temperature[2] = kernel.HMC{Leapfrog: 3}, infinity
		},
		"HMC, refused, whitened": func(_ *r2sgld.Problem, s *r2sgld.Settings) {
			s.Kernel, s.Boundary, s.Whitening = kernel.HMC{Leapfrog: 2}, domain.Refuse, shear
		},
		"mirror": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Domain = must(domain.NewBox([]float64{-2, -1}, []float64{1, 2}))
			s.Mirror, s.Temperature, s.StepSize = true, []float64{2}, []float64{1e-3}
		},
		"inside": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Domain = must(domain.NewBox([]float64{-3, -0.3}, []float64{0.6, 3}))
			s.Boundary, s.Inside = domain.Free, true
		},
		"penalty": func(_ *r2sgld.Problem, s *r2sgld.Settings) {
			s.Boundary, s.Penalty = domain.Free, &r2sgld.Penalty{Strength: 50, Distance: true}
		},
		"penalty, HMC, inside": func(_ *r2sgld.Problem, s *r2sgld.Settings) {
			s.Boundary, s.Penalty, s.Kernel, s.Inside = domain.Free, &r2sgld.Penalty{Strength: 50, Distance: true}, kernel.HMC{Leapfrog: 2}, true
		},
		"projected": func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Boundary = domain.Project },
		"base": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Base, p.Domain, s.Temperature[2] = roundBase(), nil, infinity
		},
		"base, HMC, whitened": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Base, s.Temperature[2], s.Whitening, s.Kernel = roundBase(), infinity, shear, kernel.HMC{Leapfrog: 3}
		},
		"base, HMC, chart": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Base, p.Domain, s.Kernel = roundBase(), nil, kernel.HMC{Leapfrog: 3}
			p.Chart = &r2sgld.Chart{Point: func(x, y []float64) { x[0], x[1] = math.Exp(y[0]), y[1]-y[0] }, Domain: flower}
		},
	}
}

// Stopped again and again and resumed, on 1, 2 and 4 threads, with draws in memory
// bounded, all of them end with the result and the kept bytes of the whole run.
// It kills a state without the counts of trajectories or of what is kept, and
// momenta that last from one trajectory to the next.
func TestResumedRunsOfOtherKernels(t *testing.T) {
	for name, bend := range others() {
		t.Run(name, func(t *testing.T) {
			p, s := small()
			s.Iterations, s.MaxDraws, s.Threads = 700, 90, 1
			bend(&p, &s)
			kept := taped(&s)
			want := sample(t, p, s)
			for _, s.Threads = range []int{2, 4} {
				again := taped(&s)
				if !reflect.DeepEqual(sample(t, p, s), want) || !bytes.Equal(again[4].b, kept[4].b) {
					t.Errorf("%d threads give other draws than one", s.Threads)
				}
			}
			for i, at := range []int{1, 99, 101, 102, 103, 500, 700} {
				s.Threads = []int{1, 2, 4}[i%3]
				s.Recorder = func(int) r2sgld.Recorder { return stopper(at) }
				s.Checkpoint = &r2sgld.Checkpoint{Every: time.Millisecond, Save: func(_ int, now [][]byte) error { s.Resume = now; return nil }}
				taped(&s)
				if _, err := r2sgld.Sample(context.Background(), p, s); !errors.Is(err, errStop) {
					t.Fatal(err)
				}
			}
			s.Recorder, s.Checkpoint = nil, nil
			again := taped(&s)
			if !reflect.DeepEqual(finished(sample(t, p, s)), want) {
				t.Error("the result is not that of the whole run")
			}
			for i := range again {
				if !bytes.Equal(again[i].b, kept[i].b) {
					t.Errorf("ladder %d keeps other draws than the whole run", i+1)
				}
			}
		})
	}
}

// None of them allocates in an iteration.
func TestOtherKernelsAllocateNothing(t *testing.T) {
	pace.Slow(t)
	for name, bend := range others() {
		p, s := small()
		s.Ladders, s.Threads, s.MaxDraws, s.Decay = 1, 1, 10, kernel.Decay{}
		bend(&p, &s)
		count := func(iterations int) float64 {
			s.Iterations = iterations
			return testing.AllocsPerRun(2, func() { sample(t, p, s) })
		}
		if few, many := count(1000), count(6000); many > few+20 {
			t.Errorf("%s: %v allocations in 1,000 iterations, %v in 6,000", name, few, many)
		}
	}
}

// What does not go together is refused.
func TestFaultsOfOtherKernels(t *testing.T) {
	hmc, box := kernel.HMC{Leapfrog: 2}, must(domain.NewBox([]float64{-1, -1}, []float64{1, 2}))
	distance := &r2sgld.Penalty{Strength: 5, Distance: true}
	for want, s := range map[string]r2sgld.Settings{
		"exclude each other":          {Kernel: kernel.Momentum{Mu: 0.5}, Mirror: true},
		"a mirror map exclude":        {Kernel: hmc, Mirror: true},
		"boundary nearest":            {Kernel: hmc, Boundary: domain.Nearest},
		"boundary project":            {Kernel: hmc, Boundary: domain.Project},
		"penalty that is an energy":   {Kernel: hmc, Boundary: domain.Free, Penalty: &r2sgld.Penalty{Strength: 5}},
		"0 leapfrog steps":            {Kernel: kernel.HMC{}},
		"goes with one rung":          {Mirror: true, Temperature: []float64{1, 2}},
		"without a whitening":         {Mirror: true, Whitening: shear},
		"draws outside it":            {Inside: true},
		"boundary rule free":          {Penalty: distance},
		"penalty -1 must be positive": {Boundary: domain.Free, Penalty: &r2sgld.Penalty{Strength: -1, Distance: true}},
	} {
		if _, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: multimodal, Domain: box}, s); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	s := r2sgld.Settings{Mirror: true, Start: []float64{0, 0}}
	for want, d := range map[string]domain.Domain{"mirror map needs a domain": nil, "mirror map: none is known": flower} {
		if _, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: multimodal, Domain: d}, s); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}
