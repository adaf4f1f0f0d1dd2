package sampler

import (
	"slices"

	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/kernel"
)

// defaultCycles are those of a cosine schedule.
const defaultCycles = 5

// ScheduleKinds are the kinds of schedule, with the keys of each.
func ScheduleKinds(d *kernel.Decay) key.Kinds {
	return key.Kinds{
		{Name: string(kernel.Constant), Unsaid: true, Doc: "1"},
		{Name: string(kernel.Cosine), Unsaid: true, Doc: "½(1 + cos(π·mod(k − 1, c)/c)), c = ⌈K/`cycles`⌉", Keys: []key.Key{
			key.Whole("cycles", &d.Cycles, 1, key.Many).Tells("5", "from the full step to none, so many times")}},
		{Name: string(kernel.Exponential), Doc: "`decay`^(k − `after`) past `after`, 1 before", Keys: []key.Key{
			key.Number("decay", &d.Rate, key.Positive, key.AtMost(1)).Must().Tells("", "the factor of an iteration"),
			key.Whole("after", &d.After, 0, key.Many).Tells("0", "the last iteration before the decay")}},
		{Name: string(kernel.Polynomial), Doc: "`a`·(`b` + k)^(−`gamma`)", Keys: []key.Key{
			key.Number("a", &d.A, key.Positive).Must().Tells("", "factor"),
			key.Number("b", &d.B, key.NotNegative).Must().Tells("", "iterations that are added to k"),
			key.Number("gamma", &d.Gamma, key.NotNegative).Must().Tells("", "exponent")}},
	}
}

// ScheduleKey is the key of a schedule, which is read once the method is known.
func ScheduleKey() key.Key {
	return key.Given("schedule", "word or map", ScheduleKinds(&kernel.Decay{}).Shape(), nil)
}

// ReadSchedule reads how step sizes vary.
func (l *Choice) ReadSchedule(n *yamlpos.Node) {
	d := &l.Sampler.Schedule
	d.Kind = kernel.Constant
	if l.Method.Schedule == kernel.Cosine {
		d.Kind, d.Cycles = kernel.Cosine, defaultCycles
	}
	if n == nil || n.Kind == yamlpos.Null {
		return
	}
	kind := n
	if n.Kind != yamlpos.Scalar {
		if !l.Section(n, ScheduleKinds(d).Keys()...) {
			return
		}
		kind = n.Field("kind")
	}
	if word, ok := l.Word(kind, ScheduleKinds(d).Names()...); ok {
		if l.Method.Schedule == kernel.Cosine && word != string(d.Kind) {
			l.Report(kind, "method %s goes with the cosine schedule; found %q", l.Method.Name, word)
		}
		if word != string(d.Kind) {
			*d = kernel.Decay{Kind: kernel.Kind(word)}
		}
	}
	for _, f := range n.Fields {
		for _, v := range ScheduleKinds(d) {
			if v.Name != string(d.Kind) && slices.Contains(key.Names(v.Keys), f.Key.Text) {
				l.Report(f.Key, "%s belongs to the schedule %s, not %s", f.Key.Text, v.Name, d.Kind)
			}
		}
	}
	if d.Kind == kernel.Cosine && d.Cycles == 0 {
		d.Cycles = defaultCycles
	}
	keys := ScheduleKinds(d).Of(string(d.Kind))
	l.Take(n, keys, key.Names(keys)...)
}
