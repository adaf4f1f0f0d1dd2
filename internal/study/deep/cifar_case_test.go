package deep

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/study"
)

// writeIDX writes n grey pictures of 28 × 28 in ten classes as the MNIST family is
// published.
func writeIDX(t *testing.T, dir, stem string, n int) {
	t.Helper()
	b := binary.BigEndian.AppendUint32(nil, 0x803)
	for _, v := range []int{n, 28, 28} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	labels := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 0x801), uint32(n))
	for i := range n {
		labels = append(labels, byte(i%10))
		for j := range 28 * 28 {
			b = append(b, byte(i*j))
		}
	}
	for name, data := range map[string][]byte{"-images-idx3-ubyte": b, "-labels-idx1-ubyte": labels} {
		if err := os.WriteFile(filepath.Join(dir, stem+name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// small are images as the study takes them, from files.
func small(t *testing.T) *source {
	t.Helper()
	dir := t.TempDir()
	writeIDX(t, dir, "train", 2100)
	writeIDX(t, dir, "t10k", 20)
	train, test, err := images.Load(images.IDX, dir)
	if err != nil {
		t.Fatal(err)
	}
	return &source{told: "stripes", kind: "idx", folder: dir, data: bnn.Data{Train: train, Test: test}}
}

// The configuration of every training, at every scale, is read by r2sgld train as the
// settings that the study ran with. Kills mutants that forget a key: the default of
// each is another.
func TestSettingsAreConfigurations(t *testing.T) {
	from := small(t)
	for _, scale := range []study.Scale{study.Smoke, study.Small, study.Paper} {
		m := &inquiry{Options: study.Options{Scale: scale, Seed: 7}, effort: effortOf(scale), source: from,
			machine: machine{[]string{"cpu", "cuda:1+cuda:0"}, "tf32"}}
		names := map[string]bool{}
		for i, name := range slices.Concat(everyone(), sweeping()) {
			step := 0.0
			if i >= len(everyone()) {
				step = m.steps[1]
			}
			c, err := m.caseOf(m.subjects[0].kind, name, step)
			if err != nil {
				t.Fatal(err)
			}
			if names[c.name()] {
				t.Errorf("there are two of name %q", c.name())
			}
			names[c.name()] = true
			if err := c.settings.Validate(from.data.Train.Len()); err != nil {
				t.Fatalf("%s, %s: %v", scale, c.name(), err)
			}
			text := m.yaml(c, 3)
			got, err := config.ParseTraining("setting.yaml", []byte(text), nil)
			if err != nil {
				t.Fatalf("%s, %s: %v\n%s", scale, c.name(), err, text)
			}
			want := c.settings
			w := want.Swap.WithDefaults(4)
			want.Swap.Every, want.Swap.Correction = w.Every, w.Correction
			if !bnn.Exchanges(c.settings.Method) {
				want.Swap = got.Settings.Swap
			}
			want = want.WithDefaults()
			want.Measure.Every = max(1, want.Measure.Every)
			want.Average.Recompute = min(want.Average.Recompute, m.source.data.Train.Len())
			if name != "swag" {
				want.SWAG.Draws = got.Settings.SWAG.Draws
			}
			if step > 0 { // layers are not measured there, which no key says
				want.Measure.Every = got.Settings.Measure.Every
			}
			if !reflect.DeepEqual(got.Settings, want) {
				t.Errorf("%s, %s:\n%+v\nis read from\n%s\nwant\n%+v", scale, c.name(), got.Settings, text, want)
			}
			if got.Repeats != 3 || got.Network.Kind != c.network.Kind || got.Network.Norm != c.network.Norm ||
				!slices.Equal(got.Devices, []string{"cpu", "cuda:0", "cuda:1"}) || got.Precision != "tf32" {
				t.Errorf("%s: %d repetitions of %+v on %v", c.name(), got.Repeats, got.Network, got.Devices)
			}
		}
	}
}

// The paper's scale has the paper's numbers.
func TestPaperScale(t *testing.T) {
	m := &inquiry{Options: study.Options{Scale: study.Paper}, effort: effortOf(study.Paper), source: small(t)}
	c, err := m.caseOf("resnet20", "r2sghmc", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := c.settings
	near := func(a, b float64) bool { return a > b*(1-1e-4) && a < b*(1+1e-4) } // kills 0.99 → 0.98
	if s.Epochs != 1000 || s.Batch != 2048 || s.Bound != 4 || s.StepSize[0] != 1 || !near(s.StepSize[3], 4) || s.WeightDecay != 5 ||
		!near(s.Decay.Rate, 0.99) || s.Decay.After != 300 || !near(s.Anneal.Divide, 1.02) || s.Anneal.Until != 600 || s.Augment.Crop != 4 {
		t.Errorf("%+v", s)
	}
	if w := s.Swap; w.Gate != "once" || w.Parity != "off" || w.Adapt != "after" || w.WithDefaults(4).Window != 17 {
		t.Errorf("r2sghmc trades by %+v, want Algorithm 2 as printed", w)
	}
	if c, err = m.caseOf("resnet20", "r2sghmc"+exact, 0); err != nil || !reflect.DeepEqual(c.settings.Swap,
		exchange.Settings{Scheme: "windowed-deo", Rule: "indicator", Target: 0.1}) {
		t.Errorf("with exact gates r2sghmc trades by %+v, %v", c.settings.Swap, err)
	}
	if c, err = m.caseOf("resnet56", "sgdm", 0); err != nil || c.settings.StepSize[0] != 2 {
		t.Errorf("sgdm has step %v, %v: want 2", c.settings.StepSize, err)
	}
	for _, u := range m.subjects[:2] {
		if u.repeats != 10 || len(u.methods) != 12 {
			t.Errorf("%+v: want ten repetitions of twelve methods", u)
		}
	}
}

// Devices are those named; processors are shared out, one thread each.
func TestDevices(t *testing.T) {
	for _, x := range []struct {
		named string
		scale study.Scale
		want  string
	}{{"", study.Small, "cpu cpu cpu"}, {"", study.Paper, "cuda:0"}, {"cpu", study.Paper, "cpu cpu cpu"},
		{"cuda:0, cuda:1", study.Small, "cuda:0 cuda:1"}, {"cpu,cpu", study.Small, "cpu cpu"}} {
		if got := strings.Join(devicesOf(x.named, study.Options{Scale: x.scale, Threads: 3}), " "); got != x.want {
			t.Errorf("R2SGLD_DEVICES=%q, scale %s: %s, want %s", x.named, x.scale, got, x.want)
		}
	}
}

// Missing images are told with what to do.
func TestMissingImages(t *testing.T) {
	t.Setenv("R2SGLD_CIFAR100", filepath.Join(t.TempDir(), "none"))
	_, err := sourceOf(study.Options{Scale: study.Paper})
	for _, want := range []string{"CIFAR-100", "none", "R2SGLD_CIFAR100", "cifar-100-binary.tar.gz", "--scale small"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error %v does not say %s", err, want)
		}
	}
	s := small(t)
	if err := s.outside("mnist", 5, 1); err == nil || !strings.Contains(err.Error(), "KIND:FOLDER") {
		t.Errorf("a folder without its kind gives %v", err)
	}
	if err := s.outside("idx:"+s.folder, 10, 1); err != nil || s.data.Outside.Len() != 10 {
		t.Errorf("images of no class: %v", err)
	}
}
