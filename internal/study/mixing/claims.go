package mixing

import (
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/study"
)

// claims judges what section 3 of the paper says.
func (r *Results) claims() []study.Claim {
	return []study.Claim{reversibleLaw(r.Reversibility), chiSquare(r.Decay), transport(r.Decay), faster(r.Decay, &r.Acceleration),
		quadratic(r.Diameter.Families), convexBound(r.Diameter.Polygons), entropyBound(r.Diameter.Polygons),
		bentWalls(&r.Diameter), stepError(&r.Discretisation)}
}

// Tolerances of verdicts.
const (
	exactly0  = 1e-10 // what rounding leaves of a zero
	ratioRoom = 2e-3  // by which a ratio to a bound may be over 1: the grid
	gapRoom   = 0.01  // by which a gap may be below a bound: cut cells of thin polygons
	nearSlope = 0.1   // how near −2 a slope is called quadratic
)

// reversibleLaw judges the lemma of reversibility.
func reversibleLaw(all []Reversibility) study.Claim {
	var f struct {
		Capped, Printed Balance
		Defect          float64 // the larger one
	}
	for i := range all {
		f.Capped, f.Printed = f.Capped.worst(all[i].Capped), f.Printed.worst(all[i].Printed)
	}
	f.Defect = math.Max(f.Capped.Defect, f.Printed.Defect)
	v := study.Depends
	switch {
	case !f.Capped.holds():
		v = study.Fails
	case f.Printed.holds():
		v = study.Holds
	}
	return prose().Claim("theory-reversible", v, f)
}

// worst joins two balances.
func (b Balance) worst(o Balance) Balance {
	if math.Abs(o.Energy) > math.Abs(b.Energy) {
		b.Energy = o.Energy
	}
	return Balance{math.Max(b.Defect, o.Defect), math.Max(b.Drift, o.Drift), math.Max(b.Law, o.Law), b.Energy}
}

// holds reports that nothing but rounding is off.
func (b Balance) holds() bool { return b.Defect < exactly0 && b.Law < exactly0 }

// chiSquare judges the decay of χ².
func chiSquare(all []Decay) study.Claim {
	f := struct {
		All                   []Decay
		Broken, Slower, Sharp int
		Worst                 float64
		Example               *Decay // of those that are slower
	}{All: all}
	for i := range all {
		d := &all[i]
		f.Worst = math.Max(f.Worst, d.Theorem)
		if !(d.Theorem <= 1+ratioRoom) { // NaN is none that holds
			f.Broken++
		}
		if d.Slope < d.Printed*(1-ratioRoom) {
			if f.Slower++; f.Example == nil {
				f.Example = d
			}
		}
		if math.Abs(d.Slope/(2*d.Gap)-1) < 0.01 {
			f.Sharp++
		}
	}
	v := study.Holds
	if f.Broken > 0 {
		v = study.Fails
	}
	return prose().Claim("theory-chi2", v, f)
}

// transport judges the decay of W2.
func transport(all []Decay) study.Claim {
	var f struct {
		Exact                  []Decay
		Within, Above, Known   int
		Over                   []string // whose W2 exceeds the bound
		Worst, Scaled, Entropy float64
	}
	for _, d := range all {
		f.Entropy = math.Max(f.Entropy, d.Entropy)
		below := d.Transport <= 1+ratioRoom
		if d.W2Is != "exact" {
			if f.Above++; below {
				f.Known++
			}
			continue
		}
		f.Exact = append(f.Exact, d)
		f.Worst, f.Scaled = math.Max(f.Worst, d.Transport), math.Max(f.Scaled, d.Scaled)
		if below {
			f.Within++
		} else {
			f.Over = append(f.Over, d.Name)
		}
	}
	return prose().Claim("theory-w2", study.Among(f.Within, len(f.Exact)), f)
}

// faster judges that swaps accelerate.
func faster(flows []Decay, a *Acceleration) study.Claim {
	f := struct {
		Intensity              []Sweep
		Least, Slow, Eta, Late float64
		Falls, Positive, Cases int
		Flows                  bool // that swap
	}{Intensity: a.Intensity, Least: math.Inf(1), Slow: math.Inf(1), Eta: math.Inf(1), Late: math.Inf(1)}
	see := func(positive bool) {
		if f.Cases++; positive {
			f.Positive++
		}
	}
	for _, s := range slices.Concat(a.Intensity, a.Hot, a.Diameter) {
		f.Least, f.Slow = math.Min(f.Least, s.gain()), math.Min(f.Slow, s.Form)
		see(s.gain() > 1+ratioRoom && s.Form > 0)
		for k := 1; k < len(s.Gap); k++ {
			if s.Gap[k] < s.Gap[k-1]*(1-1e-6) {
				f.Falls++
			}
		}
	}
	for _, d := range flows {
		if len(d.Ratio) > 0 {
			f.Eta, f.Late = math.Min(f.Eta, d.Eta), math.Min(f.Late, d.Gap/d.Alone)
			see(d.Eta > 0)
		}
	}
	f.Flows = !math.IsInf(f.Eta, 1)
	v := study.Depends
	switch {
	case f.Positive == f.Cases && f.Falls == 0:
		v = study.Holds
	case f.Positive == 0:
		v = study.Fails
	}
	return prose().Claim("theory-acceleration", v, f)
}

// quadratic judges how the gap depends on the diameter.
func quadratic(all []Family) study.Claim {
	f := struct {
		All         []Family
		Other, Far  int // families with a potential, and those without the slope
		Flat, Steep float64
		Flattest    string
	}{All: all, Flat: math.Inf(-1), Steep: math.Inf(1)}
	scales := true
	for _, x := range all {
		near := math.Abs(x.Fit.Slope+2) <= nearSlope
		if x.Kind == free {
			scales = scales && near
			continue
		}
		if f.Other++; !near {
			f.Far++
		}
		for _, v := range x.Local {
			if v > f.Flat {
				f.Flat, f.Flattest = v, x.Name
			}
			f.Steep = math.Min(f.Steep, v)
		}
	}
	v := study.Depends
	switch {
	case !scales:
		v = study.Fails
	case f.Far == 0:
		v = study.Holds
	}
	return prose().Claim("theory-diameter", v, f)
}

// convexBound judges the bound of convex domains.
func convexBound(all []Polygon) study.Claim {
	f, v := bounded(all, func(p Polygon) [3]float64 { return [3]float64{p.Free, p.Convex, p.Modes} })
	return prose().Claim("theory-convex", v, f)
}

// entropyBound judges the bound of the log-Sobolev constant on convex domains.
func entropyBound(all []Polygon) study.Claim {
	f, v := bounded(all, func(p Polygon) [3]float64 { return p.LogSobolev })
	for _, p := range all {
		if bound := logSobolevBound / square(p.Diameter); 1/(p.LogSobolev[0]*bound) >= bound {
			f.Plain++
		}
	}
	return prose().Claim("theory-log-sobolev", v, f)
}

// polygons are the least ratios to a bound among convex domains, by energy.
type polygons struct {
	Free, Convex, Modes, Least float64
	Polygons, Below, Plain     int // Plain: those whose constant, not its inverse, is at least as large
}

// bounded judges a bound by the ratios of each polygon.
func bounded(all []Polygon, of func(Polygon) [3]float64) (f polygons, v study.Verdict) {
	f = polygons{Free: math.Inf(1), Convex: math.Inf(1), Modes: math.Inf(1), Polygons: len(all)}
	for _, p := range all {
		r := of(p)
		f.Free, f.Convex, f.Modes = math.Min(f.Free, r[0]), math.Min(f.Convex, r[1]), math.Min(f.Modes, r[2])
		if r[2] < 1-gapRoom {
			f.Below++
		}
	}
	f.Least = math.Min(f.Free, math.Min(f.Convex, f.Modes))
	switch {
	case f.Free < 1-gapRoom:
		return f, study.Fails
	case f.Convex < 1-gapRoom || f.Below > 0:
		return f, study.Depends
	}
	return f, study.Holds
}

// small is the diameter up to which the remark on walls that are not convex is tested.
const small = 1.0

// bentWalls judges the remark on domains that are not convex.
func bentWalls(d *Diameter) study.Claim {
	f := struct {
		Least, Largest float64
		Necks          []Neck
	}{math.Inf(1), math.NaN(), d.Necks}
	v := study.Untestable
	for _, x := range d.Bent {
		if x.Diameter <= small {
			f.Least, v = math.Min(f.Least, x.Over), study.Holds
		}
		f.Largest = x.Over
	}
	if f.Least < 0.5 {
		v = study.Fails
	}
	return prose().Claim("theory-nonconvex", v, f)
}

// stepError judges the discretisation error.
func stepError(d *Discretisation) study.Claim {
	var f struct {
		Times, Orders, Noise []Order // of reflection, where they do not vanish
		Powers, Over         int
		Low, High            float64
		Gradient             *struct{ Size, Step float64 }
		Energy               *struct {
			Without float64
			With    *float64
		}
	}
	judged := func(all []Order) []Order {
		return slices.DeleteFunc(slices.Clone(all), func(x Order) bool { return x.Rule != ruleName(domain.Specular) || x.Vanishes })
	}
	f.Times, f.Orders, f.Noise = judged(d.Times), judged(d.Orders), judged(slices.Concat(d.Gradient, d.Energy))
	for _, x := range slices.Concat(f.Times, f.Orders, f.Noise) {
		if f.Powers++; !(x.Fit.Slope >= x.Bound-0.05) { // NaN is none that holds
			f.Over++
		}
	}
	f.Low, f.High = math.Inf(1), math.Inf(-1)
	for _, x := range f.Times {
		f.Low, f.High = math.Min(f.Low, x.Fit.Slope), math.Max(f.High, x.Fit.Slope)
	}
	if s := powerBy(d.Gradient, byGradient, ""); s != nil {
		f.Gradient = &struct{ Size, Step float64 }{Size: *s}
		if eta := powerBy(d.Gradient, byStep, ""); eta != nil {
			f.Gradient.Step = *eta
		}
	}
	if eta := powerBy(d.Energy, byStep, "no correction"); eta != nil {
		f.Energy = &struct {
			Without float64
			With    *float64
		}{*eta, powerBy(d.Energy, byStep, "C = 2")}
	}
	v := study.Holds
	switch {
	case f.Powers == 0:
		v = study.Untestable
	case f.Over > 0:
		v = study.Fails
	}
	return prose().Claim("theory-discretisation", v, f)
}

// powerBy is the first power of something in a case whose name has what in it; nil if
// there is none.
func powerBy(all []Order, of, what string) *float64 {
	for i := range all {
		if x := &all[i]; x.Of == of && strings.Contains(x.Name, what) && !x.Vanishes {
			return &x.Fit.Slope
		}
	}
	return nil
}
