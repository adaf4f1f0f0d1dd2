package scheme_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/scheme"
	"github.com/r2sgld/r2sgld/potential"
)

// must returns a function that stops the test at an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// order is the slope of log w1 over log eta by least squares, with its standard error.
func order(eta, w1 []float64) (slope, se float64) {
	x, y := make([]float64, len(eta)), make([]float64, len(eta))
	for i := range x {
		x[i], y[i] = math.Log(eta[i]), math.Log(w1[i])
	}
	level, slope := stat.LinearRegression(x, y, nil, false)
	rest := 0.0
	for i := range x {
		rest += math.Pow(y[i]-level-slope*x[i], 2)
	}
	n := float64(len(x))
	return slope, math.Sqrt(rest / (n - 2) / (n - 1) / stat.Variance(x, nil))
}

// quadratic returns a(x − b)²/2 + cx.
func quadratic(a, b, c float64) potential.Potential {
	return potential.Func(1, func(g, x []float64) float64 {
		g[0] = a*(x[0]-b) + c
		return a*(x[0]-b)*(x[0]-b)/2 + c*x[0]
	})
}

var rules = []domain.Rule{domain.Specular, domain.Project, domain.Refuse}

func stationary(t testing.TB, s scheme.Step) *scheme.Law {
	t.Helper()
	return must[*scheme.Law](t)(must[*scheme.Kernel](t)(scheme.New(s)).Stationary())
}

// Numbers of an independent program, whose own rounding is about 3e-13 where it
// has 1376 nodes. A step size off by its last bit, an image left out of the
// fold, an atom on the wrong wall: all move them by more than 1e-11.
func TestReference(t *testing.T) {
	var file struct {
		Laws []struct {
			Potential string
			Interval  [2]float64
			Ex        float64 `json:"exact_Ex"`
			Ex2       float64 `json:"exact_Ex2"`
			Steps     []struct {
				Scheme string
				Eta    float64
				Ex     float64 `json:"bias_Ex"`
				Ex2    float64 `json:"bias_Ex2"`
				Atoms  float64 `json:"atom_mass"`
			}
		}
	}
	text := must[[]byte](t)(os.ReadFile("testdata/boundary_order.json"))
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	potentials := map[string]potential.Potential{"0": nil, "x^2/2": quadratic(1, 0, 0), "2*(x-0.3)^2": quadratic(4, 0.3, 0)}
	rule := map[string]domain.Rule{"reflect": domain.Specular, "project": domain.Project, "stay": domain.Refuse}
	compared := 0
	for _, l := range file.Laws {
		u, lo, hi := potentials[l.Potential], l.Interval[0], l.Interval[1]
		pi := must[*scheme.Law](t)(scheme.Target(u, lo, hi, 1))
		same := func(what string, got, want float64) {
			t.Helper()
			compared++
			if !(math.Abs(got-want) < 1e-11) {
				t.Errorf("U = %s on [%g, %g], %s: %.15g, should be %.15g", l.Potential, lo, hi, what, got, want)
			}
		}
		same("mean", pi.Moment(1), l.Ex)
		same("mean square", pi.Moment(2), l.Ex2)
		for _, s := range l.Steps {
			law := stationary(t, scheme.Step{U: u, Lo: lo, Hi: hi, Temperature: 1, StepSize: s.Eta, Rule: rule[s.Scheme]})
			same(s.Scheme+" mean", law.Moment(1)-pi.Moment(1), s.Ex)
			same(s.Scheme+" mean square", law.Moment(2)-pi.Moment(2), s.Ex2)
			atoms := 0.0
			for _, a := range law.Atoms() {
				atoms += a.Mass
			}
			same(s.Scheme+" atoms", atoms, s.Atoms)
		}
	}
	if compared != 4*2+3*(3*7+4)*3 {
		t.Errorf("%d numbers compared", compared)
	}
}

// Without a force folding and refusing keep the uniform law exactly; 1e-13 is
// some hundred roundings, far below what a missing image or an atom costs, or
// nodes in the wrong order at the ends of a row.
func TestUniformIsKept(t *testing.T) {
	for _, eta := range []float64{1e-5, 1e-3, 0.04, 1, 100} {
		for _, rule := range []domain.Rule{domain.Specular, domain.Refuse} {
			law := stationary(t, scheme.Step{Lo: -1, Hi: 0.5, Temperature: 2, StepSize: eta, Rule: rule})
			pi := must[*scheme.Law](t)(scheme.Target(nil, -1, 0.5, 2))
			if d := scheme.W1(law, pi); !(d < 1e-13) {
				t.Errorf("rule %s, step size %g: W1 to the uniform law %.3g", rule, eta, d)
			}
		}
	}
}

// The orders of W1 between the stationary law and π on an interval with a force
// into a wall: 1 for folding and refusing, ½ for projecting.
func TestOrders(t *testing.T) {
	eta := []float64{1e-3, 3e-4, 1e-4, 3e-5, 1e-5}
	want := map[domain.Rule]float64{domain.Specular: 1, domain.Project: 0.5, domain.Refuse: 1}
	for name, u := range map[string]potential.Potential{
		"2x": quadratic(0, 0, 2), "2(x-0.3)²": quadratic(4, 0.3, 0), "(x-2)²/2": quadratic(1, 2, 0),
	} {
		pi := must[*scheme.Law](t)(scheme.Target(u, 0, 1, 1))
		for _, rule := range rules {
			var w1 []float64
			for _, e := range eta {
				w1 = append(w1, scheme.W1(pi, stationary(t, scheme.Step{U: u, Lo: 0, Hi: 1, Temperature: 1, StepSize: e, Rule: rule})))
			}
			if rule == domain.Refuse && name == "2x" { // a constant force: reversible, exact
				if w1[0] > 1e-12 || w1[4] > 1e-12 {
					t.Errorf("U = %s, rule %s: W1 %.3g, should be 0", name, rule, w1)
				}
				continue
			}
			slope, se := order(eta, w1)
			t.Logf("%s, %s: order %.4f ± %.4f, W1 %.3g at %g", name, rule, slope, se, w1[4], eta[4])
			// The worst here is 0.015 off. An atom too many makes an order ½ of 1, a
			// step of variance ητ an order 0.
			if math.Abs(slope-want[rule]) > 0.03 || !(se < 0.02) {
				t.Errorf("U = %s, rule %s: order %.3f ± %.3f, should be %g", name, rule, slope, se, want[rule])
			}
		}
	}
}

// On an interval that is never left x → (1−η)x + sqrt(2ητ + η²s²)ξ has variance
// (τ + ηs²/2)/(1 − η/2): gradient noise s adds ηs²/2 to the temperature. Doubling
// that term or dropping the η² would be off by 1e-3.
func TestWideInterval(t *testing.T) {
	for _, eta := range []float64{0.3, 0.05, 0.01} {
		for _, noise := range []float64{0, 1, 5} {
			for _, tau := range []float64{0.5, 2} {
				sd := math.Sqrt((tau + eta*noise*noise/2) / (1 - eta/2))
				law := stationary(t, scheme.Step{U: quadratic(1, 0, 0), Lo: -9 * sd, Hi: 9 * sd, Temperature: tau, StepSize: eta, GradientNoise: noise})
				if v := law.Variance(); math.Abs(v/(sd*sd)-1) > 1e-11 {
					t.Errorf("η %g, s %g, τ %g: variance %.12g, should be %.12g", eta, noise, tau, v, sd*sd)
				}
			}
		}
	}
}

// One step from a point against the sampler's own reflectors: the mean of a
// smooth function of where the step ends, over 20,001 values of the normal
// variable. The functions have kinks or jumps where the step meets a wall, so
// that the comparison sum is right to 1e-6 for the first two rules and 1e-4 for
// the third.
func TestReflectorsAgree(t *testing.T) {
	u, lo, hi := quadratic(3, 0.2, -1), -1.0, 0.5
	box := must[domain.Domain](t)(domain.NewBox([]float64{lo}, []float64{hi}))
	f := func(x float64) float64 { return math.Sin(3*x) + x*x }
	for _, rule := range rules {
		r := must[domain.Reflector](t)(domain.NewReflector(box, rule, 0))
		for _, eta := range []float64{0.02, 0.3, 2} {
			k := must[*scheme.Kernel](t)(scheme.New(scheme.Step{U: u, Lo: lo, Hi: hi, Temperature: 0.7, StepSize: eta,
				GradientNoise: 0.4, Rule: rule}))
			sd := math.Sqrt(2*eta*0.7 + eta*eta*0.16)
			for _, x := range []float64{lo, -0.9, 0.1, 0.48, hi} {
				law := must[*scheme.Law](t)(k.After(must[*scheme.Law](t)(scheme.Point(lo, hi, x)), 1))
				want, sum := 0.0, 0.0
				for i := range 20001 {
					z := float64(i-10000) / 1000
					from, to := []float64{x}, []float64{x - eta*(3*(x-0.2)-1) + sd*z}
					if _, ok := r.Reflect(from, to, nil); !ok {
						t.Fatal("the step was not ended")
					}
					w := math.Exp(-z * z / 2)
					want, sum = want+w*f(to[0]), sum+w
				}
				tolerance := map[domain.Rule]float64{domain.Specular: 1e-6, domain.Project: 1e-6, domain.Refuse: 1e-3}[rule]
				if got := law.Mean(f); math.Abs(got-want/sum) > tolerance {
					t.Errorf("rule %s, η %g, from %g: mean %.9g, should be %.9g", rule, eta, x, got, want/sum)
				}
			}
		}
	}
}

func TestFaults(t *testing.T) {
	good := scheme.Step{U: quadratic(1, 0, 0), Lo: -1, Hi: 1, Temperature: 1, StepSize: 0.01}
	for name, spoil := range map[string]func(*scheme.Step){
		"interval":    func(s *scheme.Step) { s.Hi = -1 },
		"endless":     func(s *scheme.Step) { s.Hi = math.Inf(1) },
		"temperature": func(s *scheme.Step) { s.Temperature = 0 },
		"no number":   func(s *scheme.Step) { s.StepSize = math.NaN() },
		"step size":   func(s *scheme.Step) { s.StepSize = -1 },
		"noise":       func(s *scheme.Step) { s.GradientNoise = -1 },
		"rule":        func(s *scheme.Step) { s.Rule = domain.Nearest },
		"tiny step":   func(s *scheme.Step) { s.StepSize = 1e-12 },
		"dimension":   func(s *scheme.Step) { s.U = potential.Func(2, func(_, _ []float64) float64 { return 0 }) },
		"not finite":  func(s *scheme.Step) { s.U = potential.Func(1, func(_, x []float64) float64 { return math.Log(x[0]) }) },
		"far too rough": func(s *scheme.Step) {
			s.U = potential.Func(1, func(_, x []float64) float64 { return 50 * math.Sin(1e5*x[0]) })
		},
	} {
		s := good
		spoil(&s)
		if _, err := scheme.New(s); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Log(err)
		}
	}
	// Every step ends on the wall of its side.
	s := good
	s.U, s.StepSize, s.Rule = quadratic(-200, 0, 0), 0.5, domain.Project
	if _, err := must[*scheme.Kernel](t)(scheme.New(s)).Stationary(); err == nil {
		t.Error("two stationary laws: no error")
	} else {
		t.Log(err)
	}
	// Every step ends on the upper wall: that is a law.
	s.U, s.StepSize = quadratic(0, 0, -200), 0.1
	if a := stationary(t, s).Atoms(); len(a) != 2 || a[0].Mass != 0 || a[1].Mass != 1 {
		t.Errorf("atoms %v, should be all at 1", a)
	}
	k := must[*scheme.Kernel](t)(scheme.New(good))
	pi := must[*scheme.Law](t)(scheme.Target(nil, -1, 2, 1))
	if _, err := k.After(pi, 1); err == nil {
		t.Error("another interval: no error")
	}
	if _, err := k.After(pi, -1); err == nil {
		t.Error("-1 steps: no error")
	}
	sharp := must[*scheme.Law](t)(scheme.Target(quadratic(1e4, 0, 0), -1, 1, 1))
	if _, err := k.After(sharp, 1); err == nil {
		t.Error("a start sharper than the nodes: no error")
	}
	if _, err := scheme.Point(0, 1, 2); err == nil {
		t.Error("a point outside: no error")
	}
}
