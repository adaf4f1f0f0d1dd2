package config

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// writeIDX makes a folder of the MNIST family: 40 and 20 pictures of 4 × 3 in four classes.
func writeIDX(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range []struct {
		name string
		n    int
	}{{"train", 40}, {"t10k", 20}} {
		pixels := binary.BigEndian.AppendUint32(nil, 0x803)
		labels := binary.BigEndian.AppendUint32(nil, 0x801)
		for _, v := range []int{part.n, 4, 3} {
			pixels = binary.BigEndian.AppendUint32(pixels, uint32(v))
		}
		labels = binary.BigEndian.AppendUint32(labels, uint32(part.n))
		for i := range part.n {
			labels = append(labels, byte(i%4))
			for j := range 12 {
				pixels = append(pixels, byte(i*7+j*20))
			}
		}
		for name, text := range map[string][]byte{"-images-idx3-ubyte": pixels, "-labels-idx1-ubyte": labels} {
			if err := os.WriteFile(filepath.Join(dir, part.name+name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

const goodTraining = `name: good
data:
  kind: idx
  folder: FOLDER
  augment: none
network: {kind: mlp}
sampler:
  method: r2sghmc
  epochs: 10
  batch: 8
average: {from: 0.5}
device: cpu
`

// TestBadTrainings pins the message and the place of everything that a configuration of
// train may have wrong.
func TestBadTrainings(t *testing.T) {
	folder := writeIDX(t)
	for _, c := range []struct{ begins, with, want string }{
		{`name`, `nam: x`, `f.yaml:1:1: unknown key "nam"; did you mean "name"?`},
		{`data`, `dat:`, `f.yaml:1:1: data are missing: add, for instance, data: {kind: idx, folder: /usr/share/datasets/fashion-mnist}` + "\n" +
			`f.yaml:2:1: unknown key "dat"; did you mean "data"?`},
		{`kind: idx`, `kind: cifar`, `f.yaml:3:9: unknown kind "cifar"; did you mean "cifar10"?`},
		{`kind: idx`, ``, `f.yaml:3:3: data needs a kind: one of [idx cifar10 cifar100 images npz]`},
		{`folder`, ``, `f.yaml:3:3: data needs a folder: where the images are`},
		{`augment`, `train: 50`, `f.yaml:5:10: train: there are 40 examples; found 50`},
		{`augment`, `train: 0`, `f.yaml:5:10: train must be at least 1; found 0`},
		{`augment`, `augment: {crop: 5}`, `f.yaml:5:12: crop must be at most the side of an image, 3; found 5`},
		{`augment`, `augment: {erase: 2}`, `f.yaml:5:20: erase is a probability, at most 1; found 2`},
		{`augment`, `augment: {flop: true}`, `f.yaml:5:13: unknown key "flop"; did you mean "flip"?`},
		{`network`, `network: {kind: resnet21}`, `f.yaml:6:17: unknown kind "resnet21"; did you mean "resnet20"?`},
		{`network`, `network: {kind: resnet20, norm: none}`, `f.yaml:6:33: norm none goes with lenet and mlp; resnet20 needs batch or frn`},
		{`network`, `network: {kind: resnet20, hidden: [5]}`, `f.yaml:6:27: hidden goes with network mlp; found resnet20`},
		{`network`, `network: {kind: mlp, hidden: [0]}`, `f.yaml:6:31: entry 1 of hidden must be at least 1; found 0`},
		{`network`, `network: {kind: lenet, norm: frn, activation: tanh}`,
			`f.yaml:6:47: activation goes with lenet and mlp without normalisation; lenet with norm frn has its own`},
		{`method`, `method: sgd`, `f.yaml:8:11: unknown method "sgd"; did you mean "sgdm"?`},
		{`method`, `temperature: [0.1]`, `f.yaml:8:16: method r2sghmc exchanges rungs: give two temperatures or more, such as [0.05, 0.25]`},
		{`method`, `temperature: [0.1, 0.05]`, `f.yaml:8:22: temperatures must increase, cold first; found 0.05 after 0.1`},
		{`epochs`, `step_size: [1, 2]`, `f.yaml:9:14: step_size must have one entry per rung, 4; found 2`},
		{`epochs`, `step_size: 0`, `f.yaml:9:14: step_size must be positive; found 0`},
		{`epochs`, `epochs: 0`, `f.yaml:9:11: epochs must be at least 1; found 0`},
		{`epochs`, `bound: 0`, `f.yaml:9:10: bound must be positive; found 0`},
		{`epochs`, `bound: 1e-300`, `f.yaml:9:10: bound must be between 1e-30 and 1e+30, which single precision can hold; found 1e-300`},
		{`epochs`, `reflect: []`, `f.yaml:9:12: reflect is an empty list; expected roles, or the word all`},
		{`network`, `network: {kind: lenet}`, `f.yaml:6:10: lenet needs images of 16 × 16 or more; found 4 × 3: take mlp or resnet8`},
		{`augment`, `test: 1`, `f.yaml:3:3: scores need two test images at least; found 1`},
		{`epochs`, `bound: -1`, `f.yaml:9:10: bound must be positive; found -1`},
		{`epochs`, `momentum: 1`, `f.yaml:9:13: momentum 1 must be at least 0 and less than 1`},
		{`epochs`, `members: 3`, `f.yaml:9:3: members belongs to method ensemble; found r2sghmc`},
		{`epochs`, `swag: {rank: 3}`, `f.yaml:9:3: swag belongs to method swag; found r2sghmc`},
		{`epochs`, `reflect: [weights]`, `f.yaml:9:13: unknown entry 1 of reflect "weights"; did you mean "weight"?`},
		{`epochs`, `anneal: {until: 5}`, `f.yaml:9:11: anneal needs the key "divide"`},
		{`epochs`, `swap: {scheme: window}`, `f.yaml:9:18: unknown scheme "window"; accepted: deo, adj, ape, seo, windowed-deo`},
		{`epochs`, `swap: {scheme: deo, rule: metropolis, target: 0.2}`,
			`f.yaml:9:9: a swap target is for scheme windowed-deo and rule indicator only`},
		{`batch`, `batch: 41`, `f.yaml:10:10: batch must be at most the number of training examples, 40; found 41`},
		{`average`, `average: {from: 1}`, `f.yaml:11:17: from is the share of the epochs before the first model that counts, at least 0 and below 1; found 1`},
		{`average`, `average: {of: models}`, `f.yaml:11:15: unknown of "models"; accepted: probabilities, logits`},
		{`device`, `device: gpu`, `f.yaml:12:9: device "gpu" is not known: use cpu, or cuda:0, cuda:1, …`},
		{`device`, `precision: half`, `f.yaml:12:12: unknown precision "half"; accepted: float32, float64, tf32, bfloat16`},
		{`device`, `repeats: 0`, `f.yaml:12:10: repeats must be at least 1; found 0`},
	} {
		text := strings.ReplaceAll(edit(goodTraining, c.begins, c.with), "FOLDER", folder)
		_, err := ParseTraining("f.yaml", []byte(text), nil)
		if err == nil {
			t.Errorf("%s: accepted", c.with)
			continue
		}
		schemaTells(t, text, err)
		var got []string
		for _, line := range strings.Split(err.Error(), "\n") {
			if strings.HasPrefix(line, "f.yaml") {
				got = append(got, line)
			}
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s (for %s):\n got %s\nwant %s", c.with, c.begins, s, c.want)
		}
	}
}

// What belongs to some methods is refused by the others.
func TestTrainingKeysOfOtherMethods(t *testing.T) {
	folder := writeIDX(t)
	for set, want := range map[string]string{
		"sampler.bound=3":                   "bound belongs to the reflected methods, such as r2sghmc; sgdm does not reflect",
		"sampler.temperature=1":             "method sgdm optimises, at temperature 0: drop temperature, or take sghmc or r2sghmc",
		"sampler.anneal={divide: 2}":        "method sgdm has no temperature to anneal",
		"sampler.swap={every: 2}":           "method sgdm has one rung and swaps nothing: drop swap, or use r2sghmc",
		"sampler.schedule={kind: sawtooth}": `unknown kind "sawtooth"; accepted: constant, cosine, exponential, polynomial`,
	} {
		text := strings.ReplaceAll(edit(goodTraining, "method", "method: sgdm"), "FOLDER", folder)
		_, err := ParseTraining("f.yaml", []byte(text), []string{set})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", set, err, want)
		}
	}
}

// A resolved configuration is a configuration again, of the same run, for every method.
func TestResolvedTrainingIsTheSame(t *testing.T) {
	folder := writeIDX(t)
	cases := map[string][]string{
		"r2sghmc ": {"sampler.swap.target=0.3", "sampler.anneal={divide: 1.1}"},
		"sghmc ":   {"network.hidden=[]", "sampler.temperature=1", "average.save=true"},
		"r-sgdm ":  {"sampler.reflect=[weight]", "network.norm=frn", "sampler.as_released=true"},
		"resghmc ": {"sampler.swap={rule: metropolis, energies: full}", "sampler.schedule=constant"},
	}
	for _, method := range bnn.Methods() {
		cases[method] = nil
	}
	for method, set := range cases {
		text := strings.ReplaceAll(edit(goodTraining, "method", "method: "+method), "FOLDER", folder)
		first, err := ParseTraining("f.yaml", []byte(text), append(set, "data.train=30", "data.outside={kind: idx, folder: "+folder+"}"))
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		resolved, err := json.Marshal(first.Resolved)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseTraining("f.yaml", resolved, nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", method, err, resolved)
		}
		if d := cmp.Diff(first.Settings, again.Settings); d != "" {
			t.Errorf("%s: settings differ:\n%s", method, d)
		}
		a, err := first.Resolved.Hash()
		if err != nil {
			t.Fatal(err)
		}
		if b, err := again.Resolved.Hash(); err != nil || a != b {
			t.Errorf("%s: hash %s, then %s (%v)", method, a, b, err)
		}
		if err := first.Settings.Validate(30); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// Without a word of it, step sizes decay from 30 % of the epochs on, to a fiftieth.
func TestTrainingSchedule(t *testing.T) {
	text := strings.ReplaceAll(edit(goodTraining, "method", "method: sgdm"), "FOLDER", writeIDX(t))
	r, err := ParseTraining("f.yaml", []byte(text), []string{"sampler.epochs=1000"})
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Settings.Decay; d.After != 300 || math.Abs(math.Pow(d.Rate, 700)-0.02) > 1e-12 {
		t.Errorf("of 1000 epochs the schedule is %+v: want a fiftieth after 700 from 300 on", d)
	}
}

// Rule metropolis trades by scheme deo, the paper's rule in its windows, if nothing is said.
func TestTrainingSchemeOfRule(t *testing.T) {
	text := strings.ReplaceAll(goodTraining, "FOLDER", writeIDX(t))
	for set, want := range map[string]string{
		"sampler.swap={every: 2}":                               "windowed-deo",
		"sampler.swap={rule: metropolis}":                       "deo",
		"sampler.swap={rule: metropolis, scheme: seo}":          "seo",
		"sampler.swap={rule: metropolis, scheme: windowed-deo}": "windowed-deo",
		"sampler.swap={rule: threshold}":                        "windowed-deo",
	} {
		r, err := ParseTraining("f.yaml", []byte(text), []string{set})
		if err != nil || r.Settings.Swap.Scheme != want {
			t.Errorf("%s: scheme %s instead of %s, %v", set, r.Settings.Swap.Scheme, want, err)
		}
	}
}
