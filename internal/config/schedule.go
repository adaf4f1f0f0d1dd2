package config

import (
	"encoding/json"

	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/kernel"
)

// Schedule says how step sizes vary.
type Schedule kernel.Decay

// MarshalJSON writes the schedule section.
func (d Schedule) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind   kernel.Kind `json:"kind"`
		Cycles int         `json:"cycles,omitempty"`
		Decay  float64     `json:"decay,omitempty"`
		After  int         `json:"after,omitempty"`
		A      float64     `json:"a,omitempty"`
		B      float64     `json:"b,omitempty"`
		Gamma  float64     `json:"gamma,omitempty"`
	}{d.Kind, d.Cycles, d.Rate, d.After, d.A, d.B, d.Gamma})
}

// defaultCycles are those of a cosine schedule.
const defaultCycles = 5

// kinds are the kinds of schedule, with the keys of each.
func (d *Schedule) kinds() []variant {
	return []variant{
		{name: string(kernel.Constant), unsaid: true, doc: "1"},
		{name: string(kernel.Cosine), unsaid: true, doc: "½(1 + cos(π·mod(k − 1, c)/c)), c = ⌈K/`cycles`⌉", keys: []key{
			whole("cycles", &d.Cycles, 1, maxIterations).tells("5", "from the full step to none, so many times")}},
		{name: string(kernel.Exponential), doc: "`decay`^(k − `after`) past `after`, 1 before", keys: []key{
			number("decay", &d.Rate, positive, atMost(1)).must().tells("", "the factor of an iteration"),
			whole("after", &d.After, 0, maxIterations).tells("0", "the last iteration before the decay")}},
		{name: string(kernel.Polynomial), doc: "`a`·(`b` + k)^(−`gamma`)", keys: []key{
			number("a", &d.A, positive).must().tells("", "factor"),
			number("b", &d.B, notNegative).must().tells("", "iterations that are added to k"),
			number("gamma", &d.Gamma, notNegative).must().tells("", "exponent")}},
	}
}

// scheduleKey is the key of a schedule, which is read once the method is known.
func scheduleKey() key {
	return given("schedule", "word or map", variantShape((&Schedule{}).kinds()), nil)
}

// samplerSchedule reads how step sizes vary.
func (l *loader) samplerSchedule(n *yamlpos.Node) {
	d := &l.sampler.Schedule
	d.Kind = kernel.Constant
	if l.method.schedule == kernel.Cosine {
		d.Kind, d.Cycles = kernel.Cosine, defaultCycles
	}
	if n == nil || n.Kind == yamlpos.Null {
		return
	}
	kind := n
	if n.Kind != yamlpos.Scalar {
		if !l.Section(n, variantKeys(d.kinds())...) {
			return
		}
		kind = n.Field("kind")
	}
	if word, ok := l.Word(kind, variantNames(d.kinds())...); ok {
		if l.method.schedule == kernel.Cosine && word != string(d.Kind) {
			l.Report(kind, "method %s goes with the cosine schedule; found %q", l.method.name, word)
		}
		if word != string(d.Kind) {
			*d = Schedule{Kind: kernel.Kind(word)}
		}
	}
	for _, f := range n.Fields {
		for _, v := range d.kinds() {
			if v.name != string(d.Kind) && v.has(f.Key.Text) {
				l.Report(f.Key, "%s belongs to the schedule %s, not %s", f.Key.Text, v.name, d.Kind)
			}
		}
	}
	if d.Kind == kernel.Cosine && d.Cycles == 0 {
		d.Cycles = defaultCycles
	}
	keys := variantOf(d.kinds(), string(d.Kind)).keys
	l.take(n, keys, keyNames(keys)...)
}
