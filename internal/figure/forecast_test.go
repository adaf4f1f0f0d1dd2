package figure

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// prey are n times of a pair that goes round, noisy data until t = 20, a band that
// widens, and another trajectory.
func prey() (Courses, Portrait) {
	r := rand.New(rand.NewPCG(41, 42))
	q := Courses{TimeAxis: Axis{"year", ""}, Level: 90, End: 20, Name: "median", Other: "truth",
		Caption: "1,000 of 4,000 draws from 0 to 40; the data end at 20",
		States:  []Course{{Axis: Axis{"hare", "thousands"}}, {Axis: Axis{"lynx", "thousands"}}}}
	at := func(i int, t, phase float64) float64 {
		u := 2*math.Pi*t/9.7 - 1.6*float64(i) + phase
		return 8 * math.Exp(1.4*math.Cos(u))
	}
	for k := range 401 {
		t := 0.1 * float64(k)
		q.Time = append(q.Time, t)
		for i := range q.States {
			c := &q.States[i]
			lo, hi := math.Inf(1), 0.0
			for _, phase := range [...]float64{-1, -0.5, 0, 0.5, 1} {
				v := at(i, t, phase*0.02*t)
				lo, hi = math.Min(lo, v*(1-0.002*t)), math.Max(hi, v*(1+0.002*t))
			}
			c.Middle = append(c.Middle, at(i, t, 0))
			c.Low, c.High = append(c.Low, lo), append(c.High, hi)
			c.ObservedLow, c.ObservedHigh = append(c.ObservedLow, lo*0.7), append(c.ObservedHigh, hi*1.4)
			c.OtherTime, c.Other = append(c.OtherTime, t), append(c.Other, at(i, t, 0.012*t)*(1+0.002*t))
			if k%10 == 0 && t <= 20 {
				c.DataTime, c.Data = append(c.DataTime, t), append(c.Data, at(i, t, 0)*math.Exp(0.2*r.NormFloat64()))
			}
		}
	}
	hare, lynx := q.States[0], q.States[1]
	p := Portrait{X: hare.Axis, Y: lynx.Axis, Orbit: Orbit{hare.Middle, lynx.Middle}, Known: Orbit{hare.Other, lynx.Other},
		Data: Orbit{hare.Data, lynx.Data}, Field: func(x, y float64) (dx, dy float64) { return x * (0.55 - 0.05*y), y * (0.05*x - 0.8) }}
	for _, s := range [...]float64{0.85, 0.92, 1.06, 1.13} {
		var o Orbit
		for k := range hare.Middle {
			o.X, o.Y = append(o.X, hare.Middle[k]*s), append(o.Y, lynx.Middle[k]*s)
		}
		p.Others = append(p.Others, o)
	}
	return q, p
}

func phaseText() PhaseText {
	return PhaseText{Name: "mode", Others: "4 draws", Known: "truth", Caption: "from 0 to 40"}
}

// forecastGallery draws the pictures of what is to come.
func forecastGallery(keep func(string) func(*Figure, error)) {
	q, p := prey()
	keep("forecast.png")(Forecast(q))
	keep("forecast.svg")(Forecast(q))
	keep("phase.png")(Phase([]Portrait{p}, phaseText()))
	p.Field = nil
	keep("phases.png")(Phase([]Portrait{p, {X: p.Y, Y: p.X, Orbit: Orbit{p.Orbit.Y, p.Orbit.X}}, p}, phaseText()))
}

// What cannot be drawn is refused with what is wrong.
func TestForecastRefuses(t *testing.T) {
	for want, change := range map[string]func(*Courses, *Portrait){
		"times must rise":       func(q *Courses, _ *Portrait) { q.Time[3] = 0 },
		"two ends":              func(q *Courses, _ *Portrait) { q.States[0].Low = nil },
		"nothing in the middle": func(q *Courses, _ *Portrait) { q.States[1].Middle = nil },
		"value 8 is NaN":        func(q *Courses, _ *Portrait) { q.States[1].High[7] = math.NaN() },
		"hare, data: 21 values": func(q *Courses, _ *Portrait) { q.States[0].DataTime = q.Time[:20] },
		"nothing to draw":       func(q *Courses, _ *Portrait) { q.States = nil },
		"no orbit":              func(_ *Courses, p *Portrait) { p.Orbit = Orbit{} },
		"401 values beside 3":   func(_ *Courses, p *Portrait) { p.Others[0].X = p.Others[0].X[:3] },
		"data: value 1 is +Inf": func(_ *Courses, p *Portrait) { p.Data.Y[0] = math.Inf(1) },
	} {
		q, p := prey()
		change(&q, &p)
		_, err := Forecast(q)
		if err == nil {
			_, err = Phase([]Portrait{p}, phaseText())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

// Bands that run off do not flatten what is in the middle, and the end of the
// data has no rule where it is not in view.
func TestForecastView(t *testing.T) {
	q, _ := prey()
	lo, hi := extent(q.States[0].Middle...)
	q.States[0].High[400] = 1e9
	if p := q.panel(&q.States[0]); p.y.max > hi+1.5*(hi-lo) {
		t.Errorf("the axis goes to %g for values of %g", p.y.max, hi)
	}
	rules := func() int {
		n := 0
		for _, k := range q.keys() {
			if k.label == "end of the data" {
				n++
			}
		}
		return n
	}
	for end, want := range map[float64]int{20: 1, 0: 0, 40: 0, 100: 0} {
		if q.End = end; rules() != want {
			t.Errorf("end %g: %d rules", end, rules())
		}
	}
	if q.End = math.NaN(); rules() != 0 {
		t.Error("a rule where the data have no end")
	}
}

// A long and dense trajectory stays a small file.
func TestForecastSize(t *testing.T) {
	q, p := prey()
	for range 7 {
		n := len(q.Time)
		for k := range n {
			q.Time = append(q.Time, q.Time[k]+q.Time[n-1])
		}
		for i := range q.States {
			c := &q.States[i]
			for _, v := range []*[]float64{&c.Middle, &c.Low, &c.High, &c.ObservedLow, &c.ObservedHigh} {
				*v = append(*v, *v...)
			}
		}
		for i := range p.Others {
			p.Others[i].X, p.Others[i].Y = append(p.Others[i].X, p.Others[i].X...), append(p.Others[i].Y, p.Others[i].Y...)
		}
		if len(p.Others) < 64 {
			p.Others = append(p.Others, p.Others...)
		}
	}
	for name, draw := range map[string]func() (*Figure, error){
		"forecast": func() (*Figure, error) { return Forecast(q) },
		"phase":    func() (*Figure, error) { return Phase([]Portrait{p}, phaseText()) },
	} {
		f, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.WriteSVG(&b); err != nil || b.Len() > 600_000 {
			t.Errorf("%s: %d bytes, %v", name, b.Len(), err)
		}
	}
}
