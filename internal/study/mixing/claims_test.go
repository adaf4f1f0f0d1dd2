package mixing

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

// Kills: verdicts that ignore the printed rate, the law, or min(1, S).
func TestReversibleVerdict(t *testing.T) {
	zero, off := Balance{Defect: 2e-16, Law: 1e-15}, Balance{Defect: 0.5, Drift: 0.1, Law: 0.03, Energy: -0.2}
	studytest.Verdict(t, reversibleLaw([]Reversibility{{Capped: zero, Printed: off}}), study.Depends, "50 %", "0.03")
	studytest.Verdict(t, reversibleLaw([]Reversibility{{Capped: zero, Printed: zero}, {Capped: zero, Printed: off}}), study.Depends)
	studytest.Verdict(t, reversibleLaw([]Reversibility{{Capped: zero, Printed: zero}}), study.Holds)
	studytest.Verdict(t, reversibleLaw([]Reversibility{{Capped: zero, Printed: zero}, {Capped: off, Printed: off}}), study.Fails)
	studytest.Verdict(t, reversibleLaw([]Reversibility{{Capped: Balance{Law: 1e-4}, Printed: zero}}), study.Fails)
}

// Kills: a bound with the wrong sign, rates without the 2, a slower flow not counted.
func TestDecayVerdicts(t *testing.T) {
	good := Decay{Name: "good", Gap: 0.5, Alone: 0.5, Slope: 1, Promised: 1, Printed: 4, Theorem: 1, W2Is: "exact", Transport: 0.7,
		Scaled: 0.9}
	bad := good
	bad.Name, bad.Theorem, bad.Transport, bad.Scaled = "bad", 1.3, 2.2, 1
	fast := good
	fast.Slope, fast.Printed, fast.W2Is = 4, 4, "upper bound"
	fast.Transport = 3
	studytest.Verdict(t, chiSquare([]Decay{good, fast}), study.Holds, "1 of them", "1 where it would be 4", "in 1 flows")
	studytest.Verdict(t, chiSquare([]Decay{good, bad}), study.Fails, "1 of 2", "1.3")
	unknown := good
	unknown.Theorem = math.NaN()
	studytest.Verdict(t, chiSquare([]Decay{unknown}), study.Fails)
	studytest.Verdict(t, transport([]Decay{good, fast}), study.Holds, "all 1 flows")
	studytest.Verdict(t, transport([]Decay{good, bad}), study.Depends, "2.2 in 1 (bad)")
	studytest.Verdict(t, transport([]Decay{bad}), study.Fails)
	studytest.Verdict(t, transport([]Decay{fast}), study.Untestable)
}

// Bounds are compared from every earlier time. Kills: only from the first time (the
// flow below is slow at its end alone), √2 or the temperature left out.
func TestDecayAgainstBounds(t *testing.T) {
	d := Decay{Tau: []float64{4}, Alone: 1, Gap: 1, LogSobolev: 2, Times: []float64{0, 1, 2},
		Chi2: []float64{1, math.Exp(-4), math.Exp(-5)}, KL: []float64{0.5, 0.05, 0.005}, W2: []float64{2, 1, 0.2}}
	d.compare()
	near := func(what string, got, want float64) {
		if math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s: %g, not %g", what, got, want)
		}
	}
	near("χ²", d.Theorem, math.Exp(1))
	near("slope", d.Slope, 1)
	near("printed", d.Printed, 2)
	near("W2", d.Transport, 1/math.Sqrt(2*2*0.05))
	near("W2 with the temperature", d.Scaled, 1/math.Sqrt(4*2*0.05))
	near("KL", d.Entropy, 0.1*math.Exp(2))
}

// Kills: a falling gap overlooked, a form of 0 taken as positive.
func TestAccelerationVerdict(t *testing.T) {
	s := Sweep{Name: "x", Rungs: [2]float64{1, 5}, Gap: []float64{1.1, 1.5, 2}, Limit: 3, Form: 0.5}
	flow := Decay{Gap: 3, Alone: 1, Eta: 0.01, Ratio: []float64{0.01, 2}}
	none := Decay{Gap: 3, Alone: 1, Ratio: []float64{0, 2}}
	falls, still := s, s
	falls.Gap = []float64{1.1, 1.0, 2}
	still.Limit, still.Form, still.Gap = 1, 0, []float64{1, 1}
	of := func(x ...Sweep) *Acceleration { return &Acceleration{Intensity: x} }
	studytest.Verdict(t, faster([]Decay{flow}, of(s)), study.Holds, "by 3 at least", "2 of 2", "rises by 3 times")
	studytest.Verdict(t, faster([]Decay{flow}, of(falls)), study.Depends, "falls in 1")
	studytest.Verdict(t, faster([]Decay{none}, of(s)), study.Depends, "1 of 2")
	studytest.Verdict(t, faster(nil, of(s, still)), study.Depends)
	studytest.Verdict(t, faster(nil, of(still)), study.Fails)
	if s.gain() != 3 {
		t.Errorf("gain %g", s.gain())
	}
}

// Kills: −2 not asked for, families with a potential left out.
func TestDiameterVerdicts(t *testing.T) {
	at := func(kind string, slope float64) Family {
		return Family{Name: kind, Kind: kind, Fit: Power{slope, slope - 0.01, slope + 0.01}, Local: []float64{slope - 1, slope + 1}}
	}
	studytest.Verdict(t, quadratic([]Family{at(free, -2), at(convex, -1.95)}), study.Holds)
	studytest.Verdict(t, quadratic([]Family{at(free, -2), at(convex, -1.95), at(lumpy, -1.2)}), study.Depends, "1 of 2", "−2.95 to −0.20",
		"flattest of modes")
	studytest.Verdict(t, quadratic([]Family{at(free, -1.5), at(lumpy, -2)}), study.Fails)
}

func TestConvexVerdict(t *testing.T) {
	p := func(u, c, m float64) Polygon { return Polygon{Free: u, Convex: c, Modes: m} }
	studytest.Verdict(t, convexBound([]Polygon{p(1.2, 1.3, 1.1), p(1, 1, 1)}), study.Holds, "1 times")
	studytest.Verdict(t, convexBound([]Polygon{p(1.2, 1.3, 1.1), p(1.1, 1.4, 0.2)}), study.Depends, "1 of 2", "0.2")
	studytest.Verdict(t, convexBound([]Polygon{p(1.2, 0.9, 1.1)}), study.Depends)
	studytest.Verdict(t, convexBound([]Polygon{p(0.9, 1.3, 1.1)}), study.Fails, "0.9")
}

func TestNonConvexVerdict(t *testing.T) {
	d := &Diameter{Bent: []Neck{{Diameter: 0.1, Over: 1.3}, {Diameter: 0.9, Over: 0.8}, {Diameter: 50, Over: 0.1}},
		Necks: []Neck{{Width: 0.1, Over: 0.2}}}
	studytest.Verdict(t, bentWalls(d), study.Holds, "0.8 for diameters up to 1", "0.1 at the largest", "passage of 0.1 it is 0.2")
	d.Bent[1].Over = 0.4
	studytest.Verdict(t, bentWalls(d), study.Fails)
	d.Bent = d.Bent[2:]
	studytest.Verdict(t, bentWalls(d), study.Untestable)
}

// Kills: other rules than reflection judged, exact laws judged, the sign of −¼.
func TestDiscretisationVerdict(t *testing.T) {
	at := func(rule, name, of string, slope, bound float64) Order {
		return Order{Name: name, Rule: rule, Of: of, Fit: Power{slope, slope, slope}, Bound: bound}
	}
	d := &Discretisation{
		Times: []Order{at("reflection", "a", byStep, 1, 0.25), at("reflection", "b", byStep, 1.1, 0.25), at("projection", "a", byStep, 0.1, 0.25),
			{Name: "c", Rule: "reflection", Of: byStep, Fit: Power{math.NaN(), math.NaN(), math.NaN()}, Bound: 0.25, Vanishes: true}},
		Gradient: []Order{at("reflection", "a", byGradient, 2, 1), at("reflection", "a", byStep, 1, 0)},
		Energy:   []Order{at("reflection", "a, C = 2", byStep, 1.5, -0.25), at("reflection", "a, no correction", byStep, -0.02, -0.25)},
	}
	studytest.Verdict(t, stepError(d), study.Holds, "All 6", "1.00 to 1.10", "powers 2.00 in its size and 1.00 in η", "(power −0.02)",
		"(power 1.50)")
	d.Energy[1].Fit.Slope = -0.31
	studytest.Verdict(t, stepError(d), study.Fails, "1 of 6")
	d.Energy[1].Fit.Slope = 0
	d.Times[0].Fit.Slope = 0.19
	studytest.Verdict(t, stepError(d), study.Fails, "1 of 6")
	studytest.Verdict(t, stepError(&Discretisation{}), study.Untestable)
}

// Kills: the worst law not looked at, a bound for the wrong polygons.
func TestEntropyVerdict(t *testing.T) {
	of := func(free, convex, modes float64) Polygon {
		return Polygon{Diameter: 1, LogSobolev: [3]float64{free, convex, modes}}
	}
	studytest.Verdict(t, entropyBound([]Polygon{of(2, 2, 2), of(1.5, 3, 1)}), study.Holds)
	studytest.Verdict(t, entropyBound([]Polygon{of(2, 2, 0.4), of(2, 2, 2)}), study.Depends, "1 of 2", "0.4", "in 0 polygons")
	studytest.Verdict(t, entropyBound([]Polygon{of(2, 0.9, 2)}), study.Depends)
	studytest.Verdict(t, entropyBound([]Polygon{of(2, 2, 2), of(0.9, 2, 2)}), study.Fails)
	large := of(2, 2, 2)
	large.Diameter = 3
	studytest.Verdict(t, entropyBound([]Polygon{large, of(2, 2, 2)}), study.Holds, "in 1 polygons")
}
