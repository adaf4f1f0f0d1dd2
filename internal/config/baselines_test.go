package config

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
)

// others are configurations of every other kernel and penalty, on a box that every
// method can do with, and what is to become of the keys that concern them.
var others = map[string]r2sgld.Settings{
	"method: r-hmc": {Boundary: domain.Specular, Kernel: kernel.HMC{Leapfrog: 10}},
	"method: r-hmc, kernel: hmc, leapfrog: 1":      {Boundary: domain.Specular, Kernel: kernel.HMC{Leapfrog: 1}},
	"method: r-hmc, boundary: refuse, leapfrog: 4": {Boundary: domain.Refuse, Kernel: kernel.HMC{Leapfrog: 4}},
	"kernel: hmc, temperature: [1, 4, inf]":        {Boundary: domain.Specular, Kernel: kernel.HMC{Leapfrog: 10}},
	"method: sgld, kernel: hmc, leapfrog: 2":       {Boundary: domain.Free, Kernel: kernel.HMC{Leapfrog: 2}},
	"method: r-sgld, kernel: mala":                 {Boundary: domain.Specular, Kernel: kernel.HMC{Leapfrog: 1}},
	"method: r-sgld, kernel: auto":                 {Boundary: domain.Specular, Kernel: kernel.Harmonic{}},
	"method: r-sgld, kernel: sgld":                 {Boundary: domain.Specular},
	"method: projected-sgld":                       {Boundary: domain.Project},
	"method: projected-sgld, boundary: project":    {Boundary: domain.Project},
	"method: r-sgld, boundary: project":            {Boundary: domain.Project},
	"method: myula, step_size: 0.01": {Boundary: domain.Free,
		Penalty: &r2sgld.Penalty{Strength: 25, Distance: true}},
	"method: myula, smoothing: 0.5": {Boundary: domain.Free,
		Penalty: &r2sgld.Penalty{Strength: 2, Distance: true}},
	"method: mirror-sgld":                      {Mirror: true},
	"method: rejection-sgld":                   {Boundary: domain.Free, Inside: true},
	"method: p-sgld":                           {Boundary: domain.Free, Penalty: &r2sgld.Penalty{Strength: 1}},
	"method: p-resgld, penalty: {strength: 3}": {Boundary: domain.Free, Penalty: &r2sgld.Penalty{Strength: 3}},
	"method: p-sgld, step_size: 0.01, penalty: {form: distance}": {Boundary: domain.Free,
		Penalty: &r2sgld.Penalty{Strength: 25, Distance: true}},
	"method: p-resgld, penalty: {strength: 8, form: distance}": {Boundary: domain.Free,
		Penalty: &r2sgld.Penalty{Strength: 8, Distance: true}},
	"method: p-sghmc, penalty: {strength: 8, form: distance}, momentum: 0.5": {Boundary: domain.Free,
		Penalty: &r2sgld.Penalty{Strength: 8, Distance: true}},
	"method: p-sgld, penalty: 0": {Boundary: domain.Free},
	"method: r-sghmc, boundary: refuse, momentum: 0.5, noise_estimate: 0.001": {Boundary: domain.Refuse},
}

const lopsided = "variables: [x, y]\npotential: \"x^2 + 3*(y - 1)^2\"\ndomain: {box: {x: [0, 1], y: [-1, 2]}}\n"

// Each of them is what its name says, runs, and is written out as a configuration
// that loads to the same settings and the same hash. It kills: projected and
// reflected exchanged, a smoothing that is not one over the strength, a form of
// penalty that is forgotten, and keys that are left out of the resolved file.
func TestOtherMethods(t *testing.T) {
	for sampler, want := range others {
		q, err := Parse("sample", "f.yaml", []byte(lopsided+"sampler: {"+sampler+"}\n"), nil)
		if err != nil {
			t.Errorf("%s: %v", sampler, err)
			continue
		}
		s := q.Settings
		got := r2sgld.Settings{Boundary: s.Boundary, Penalty: s.Penalty, Mirror: s.Mirror, Inside: s.Inside}
		if s.Unbiased() {
			got.Kernel = s.Kernel
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%s: %s", sampler, diff)
		}
		text, err := json.Marshal(q.Resolved)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("sample", "f.yaml", text, nil)
		if err != nil {
			t.Errorf("%s: its resolved form %s: %v", sampler, text, err)
			continue
		}
		if diff := cmp.Diff(s, again.Settings); diff != "" {
			t.Errorf("%s: resolved and loaded again: %s", sampler, diff)
		}
		a, _ := q.Resolved.Hash()
		if b, _ := again.Resolved.Hash(); a != b {
			t.Errorf("%s: the hash changes when it is resolved and loaded again", sampler)
		}
		s.Iterations, s.BurnIn = 60, 10
		if _, err := r2sgld.Sample(context.Background(), q.Problem, s); err != nil {
			t.Errorf("%s: %v", sampler, err)
		}
	}
}

// A run goes on only with the law of the run that left its checkpoint: another
// kernel, smoothing or penalty is another law.
func TestLawOfOtherMethods(t *testing.T) {
	laws := map[string]string{}
	for _, sampler := range []string{"method: r-sgld", "method: r-hmc", "method: r-hmc, leapfrog: 3", "method: r-hmc, boundary: refuse",
		"method: projected-sgld",
		"method: myula, smoothing: 0.5", "method: myula, smoothing: 0.4", "method: p-sgld, penalty: 2",
		"method: p-sgld, penalty: {strength: 2, form: distance}",
		"method: mirror-sgld", "method: rejection-sgld", "method: sgld"} {
		q, err := Parse("sample", "f.yaml", []byte(lopsided+"sampler: {"+sampler+"}\n"), nil)
		if err != nil {
			t.Fatalf("%s: %v", sampler, err)
		}
		law, err := q.Resolved.Law()
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := laws[law]; ok {
			t.Errorf("%s and %s have one law", sampler, other)
		}
		laws[law] = sampler
	}
}

// What a method cannot do with is said where it is written, and no Go type is.
func TestFaultsOfOtherMethods(t *testing.T) {
	flower, box := "domain: {flower: {petals: 5, offset: 3, radius: 2}}", "domain: {box: {x: [0, 1], y: [0, 1]}}"
	for _, c := range []struct{ domain, sampler, want string }{
		{flower, "method: myula", "5:11: method myula needs a domain that is convex, and this one is not, or not known to be: take r2sgld"},
		{flower, "method: mirror-sgld", "5:11: method mirror-sgld needs a domain {simplex: [x, y, …]}, or a {box: …} that is bounded on every " +
			"side: take r2sgld"},
		{"domain: {box: {x: [0, 1]}}", "method: mirror-sgld", "5:11: method mirror-sgld needs a domain {simplex: [x, y, …]}, or a {box: …} " +
			"that is bounded on every side"},
		{"", "method: mirror-sgld", "method mirror-sgld needs a domain"},
		{"", "method: myula", "method myula needs a domain"},
		{"", "method: rejection-sgld", "method rejection-sgld needs a domain"},
		{"", "method: projected-sgld", "method projected-sgld needs a domain"},
		{box, "method: projected-sgld, boundary: specular", "method projected-sgld goes with boundary project; found specular"},
		{box, "method: projected-sgld, kernel: hmc", "kernel hmc goes with the methods that reflect"},
		{box, "method: rejection-sgld, boundary: specular", "boundary belongs to the reflected methods; rejection-sgld does not reflect"},
		{box, "method: r-hmc, boundary: project", "kernel hmc keeps the law under boundary specular and refuse only; found project"},
		{box, "method: r-hmc, kernel: sgld", "method r-hmc goes with kernel hmc; found sgld"},
		{box, "method: r-hmc, temperature: [1, 2]", "method r-hmc has one rung; found 2 temperatures"},
		{box, "method: r-sghmc, kernel: hmc", "method r-sghmc steps with momentum: drop kernel, or take r-sgld"},
		{box, "method: r-sgld, kernel: auto, leapfrog: 3", "leapfrog belongs to kernel hmc; found method r-sgld with kernel auto"},
		{box, "method: r-sgld, leapfrog: 3", "leapfrog belongs to kernel hmc; found method r-sgld with kernel sgld"},
		{box, "method: p-sgld, kernel: hmc", "kernel hmc goes with the methods that reflect"},
		{box, "method: p-sgld, penalty: {strength: 1, form: square}", "unknown form \"square\"; accepted: force, distance"},
		{box, "method: p-sgld, penalty: {strength: -1}", "strength"},
		{box, "method: myula, penalty: 3", "penalty belongs to the methods whose names begin with p-, such as p-sgld; found method myula"},
		{box, "method: r-sgld, smoothing: 3", "smoothing belongs to method myula; found method r-sgld"},
		{box, "method: myula, smoothing: 0.004, step_size: 0.01", "5:37: smoothing 0.004 is less than half the step size 0.01: the pull to the " +
			"domain would overshoot"},
		{box, "method: p-sgld, penalty: {strength: 300, form: distance}, step_size: 0.01", "strength 300 is more than 2 over the step size 0.01"},
		{box, "method: auto, leapfrog: 3", "method auto sets leapfrog itself"},
	} {
		text := "variables: [x, y]\npotential: \"x^2 + y^2\"\n" + c.domain + "\n\nsampler: {" + c.sampler + "}\n"
		_, err := Parse("sample", "f.yaml", []byte(text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "*domain.") {
			t.Errorf("%s: %v, want an error with %q", c.sampler, err, c.want)
		}
	}
}

// Kernel auto takes the kernel without bias where energies are exact, and says why not
// where they are not; what it took is what the resolved configuration has.
func TestKernelAuto(t *testing.T) {
	quartic := strings.Replace(lopsided, "x^2", "x^4", 1)
	for file, want := range map[string]string{quartic: "hmc", lopsided: "harmonic", lopsided + "noise: {gradient: 0.1}\n": "", quartic +
		"noise: {energy: 0.1}\n": ""} {
		q, err := Parse("sample", "f.yaml", []byte(file+"sampler: {kernel: auto, temperature: [1, 4]}\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if q.Resolved.Sampler.Kernel != want || q.Settings.Traits().Metropolis != (want == "hmc") || (len(q.Warnings) == 0) != (want != "") {
			t.Errorf("%q: kernel %q, %v, warnings %q", file, q.Resolved.Sampler.Kernel, q.Settings.Kernel, q.Warnings)
		}
	}
}

// Method auto takes harmonic unasked where the formula is quadratic, also written out and
// read again, and not where sgld or a certificate is asked for.
func TestAutoTakesHarmonic(t *testing.T) {
	for sampler, want := range map[string]string{"seed: 2": "harmonic", "kernel: sgld": "sgld", "kernel: mala": "mala",
		"certificate: true": "", "method: r2sgld": ""} {
		q, err := Parse("sample", "f.yaml", []byte(lopsided+"sampler: {"+sampler+"}\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Resolved.Sampler.Kernel; got != want || q.Settings.Traits().Paths != (want == "harmonic") {
			t.Errorf("%s: kernel %q, %v", sampler, got, q.Settings.Kernel)
		}
	}
}
