package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// endless is a configuration of method auto that goes to 32 times its first round: of so many
// parameters some R̂ is above 1.
const endless = `name: endless
variables: [x, y, a, b, c, d]
potential: "-logsumexp(-8*(x-2)^2 - 8*(y-2)^2, -(x+2)^2 - (y+2)^2) + (a^2 + b^2 + c^2 + d^2)/2"
domain: {box: {x: [-6, 6], y: [-6, 6], a: [-6, 6], b: [-6, 6], c: [-6, 6], d: [-6, 6]}}
sampler: {method: auto, kernel: sgld, iterations: 20000, until: {ess: 1e9, iterations: 320000}}
`

// summaryOf reads the summary of a run folder.
func summaryOf(t *testing.T, dir string) *report.Summary {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	sum := &report.Summary{}
	if err := json.Unmarshal(b, sum); err != nil {
		t.Fatal(err)
	}
	return sum
}

// taken is the size of all files of a folder.
func taken(t *testing.T, dir string) (bytes float64) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		bytes += float64(info.Size())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return bytes
}

// A run that goes on and on thins its draws: those of two first rounds at most are kept,
// and the folder takes what plan says, times 1.5 at most. One that a limit ended has the
// reason in its summary, and goes on under a larger one to the bytes of a run that had none.
// What is finished stays as it is.
//
// Mutants: draws that are not thinned, a limit that is not asked, a capped run that counts
// as finished.
func TestLimits(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	long := strings.ReplaceAll(endless, "ess: 1e9", "ess: 400, rhat: 1.0000001")
	file, whole, capped := write(t, dir, "endless.yaml", long), filepath.Join(dir, "whole"), filepath.Join(dir, "capped")
	p := start(t, "plan", file, "--json")
	if code := p.code(t); code != exitDone {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	var plan tune.Plan
	if err := json.Unmarshal(p.stdout.Bytes(), &plan); err != nil {
		t.Fatal(err)
	}
	p = start(t, "sample", file, "--out", whole)
	if code := p.code(t); code != exitDone {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	sum := summaryOf(t, whole)
	if held := sum.Draws / 4; sum.Thin <= 10 || held > 3950 || held < 1900 || sum.Iterations != 320_000 {
		t.Errorf("%d draws, every %d iterations of %d", sum.Draws, sum.Thin, sum.Iterations)
	}
	if csv, err := os.ReadFile(filepath.Join(whole, "draws-1.csv")); err != nil ||
		!strings.Contains(string(csv), fmt.Sprintf("thin = %d\n", sum.Thin)) {
		t.Errorf("draws do not say that each is of %d iterations: %v", sum.Thin, err)
	}
	if disk := taken(t, whole); !(disk < 1.5*plan.Disk) || !(disk > plan.Disk/6) {
		t.Errorf("%g bytes on disk, planned %g", disk, plan.Disk)
	}
	if !strings.Contains(p.stderr.String(), "goes on for at most 320,000 iterations a ladder") {
		t.Errorf("nobody says how long it may take: %s", &p.stderr)
	}
	before := foldertest.Results(t, whole)
	p = start(t, "resume", whole)
	if code := p.code(t); code != exitDone || !strings.Contains(p.stderr.String(), "is finished") {
		t.Errorf("exit %d: %s", code, &p.stderr)
	}
	same(t, "resume of a finished run", before, foldertest.Results(t, whole))

	p = start(t, "sample", file, "--out", capped, "--max-disk", text.Size(plan.Disk*0.7))
	sum = nil
	if code := p.code(t); code == exitDone {
		sum = summaryOf(t, capped)
	}
	if sum == nil || !strings.Contains(sum.Until.Capped, "of --max-disk") || !strings.Contains(strings.Join(sum.Warnings, " "),
		"resume "+capped) || sum.Iterations != 20_000 {
		t.Fatalf("capped: %s", &p.stderr)
	}
	if p = start(t, "resume", capped); p.code(t) != exitDone {
		t.Fatalf("%s", &p.stderr)
	}
	same(t, "a run that a limit had ended", drawn(t, whole), drawn(t, capped))

	p = start(t, "sample", write(t, dir, "flower.yaml", flower), "--out", filepath.Join(dir, "none"), "--max-memory", "1MB")
	if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), "of --max-memory") || there(dir, "none") {
		t.Errorf("exit %d: %s", code, &p.stderr)
	}
}

// What the user says of the collector's memory stays, unless --max-memory says otherwise.
func TestMemoryLimitOfUser(t *testing.T) {
	t.Cleanup(func() { debug.SetMemoryLimit(math.MaxInt64) })
	const said = 1 << 40
	t.Setenv("GOMEMLIMIT", "1TiB")
	debug.SetMemoryLimit(said)
	c := common{}
	if c.limits(t.TempDir()); debug.SetMemoryLimit(-1) != said {
		t.Errorf("the limit is %d", debug.SetMemoryLimit(-1))
	}
	c.maxMemory = 1 << 39
	if c.limits(t.TempDir()); debug.SetMemoryLimit(-1) != 1<<39 {
		t.Errorf("with --max-memory the limit is %d", debug.SetMemoryLimit(-1))
	}
}

// Numbers of flags are decimal, as those of configurations are.
func TestFlagsAreDecimal(t *testing.T) {
	var b space
	for said, want := range map[string]float64{"1.5 GB": 1.5e9, "1_000MB": 0, "0x10": 0, "0x1p3kb": 0} {
		b = 0
		if err := b.Set(said); float64(b) != want || (err == nil) != (want > 0) {
			t.Errorf("--max-disk %s is %g, %v", said, float64(b), err)
		}
	}
	f := sampleCommand().Flags()
	f.VisitAll(inPlainWords)
	for said, want := range map[string]string{"010": "10", "0": "0", "000": "0", "0x10": "", "1_0": "", "0b1": ""} {
		if err := f.Set("seed", said); (err == nil) != (want != "") || want != "" && f.Lookup("seed").Value.String() != want {
			t.Errorf("--seed %s is %s, %v", said, f.Lookup("seed").Value, err)
		}
	}
}

// What a flag cannot read is told in words, and help says as much as without them.
func TestFlagsTellWhatTheyTake(t *testing.T) {
	f := sampleCommand().Flags()
	usage := f.FlagUsages()
	f.VisitAll(inPlainWords)
	if got := f.FlagUsages(); got != usage {
		t.Errorf("help is\n%s\nnot\n%s", got, usage)
	}
	for _, c := range [][3]string{
		{"seed", "-1", `"-1" is no whole number from 0 on`},
		{"seed", "99999999999999999999", `"99999999999999999999" is too large`},
		{"threads", "1.5", `"1.5" is no whole number`},
		{"checkpoint", "5", `"5" is no length of time: write 30s, 5m or 1h30m`},
		{"force", "maybe", `"maybe" is neither true nor false`},
	} {
		err := f.Set(c[0], c[1])
		if err == nil || !strings.HasSuffix(err.Error(), c[2]) || strings.Contains(err.Error(), "strconv") {
			t.Errorf("--%s %s: %v, want %s", c[0], c[1], err, c[2])
		}
	}
}
