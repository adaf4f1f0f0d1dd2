package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

const manifest = `{"schema": 1, "command": "sample", "name": "ring", "hash": "0", "config": {}}`

// at is a line of a log, so many seconds after the first minute of 2026.
func at(second int, level, message, more string) string {
	return fmt.Sprintf(`{"time":"2026-01-01T00:00:%02dZ","level":%q,"message":%q%s}`+"\n", second, level, message, more)
}

// ofARun is the log of a run, line by line.
var ofARun = []string{
	at(0, "INFO", "begin", `,"method":"auto","what":"2 variables","resumed":false`),
	at(0, "INFO", "progress", `,"doing":"warm-up 1","share":null`),
	at(1, "INFO", "progress", `,"doing":"warm-up 1","share":0.5`),
	at(2, "INFO", "warm-up", `,"kernel":"hmc","round":1,"iterations":50,"round_trips":3,"rejection":[0.2,null],"rhat":null`),
	at(3, "INFO", "start", `,"how":"method auto","ladders":4,"iterations":100,"inverse_temperature":[1,0.25,0]`+
		`,"until":{"rhat":1.01,"ess":400,"iterations":6400}`),
	at(3, "WARN", "steep walls", ""),
	at(4, "INFO", "checkpoint", `,"path":"x","iteration":100`),
	at(5, "INFO", "progress", `,"doing":"","iterations":200,"of":400,"per_second":50,"rhat":1.2,"swaps":0.7`),
	at(7, "INFO", "round", `,"round":"1","iterations":100,"next":200,"draws":390,"round_trips":30,"rejection":[0.25,0.5]`+
		`,"rhat":1.04,"ess":210,"log_z":-3.5,"log_z_error":0.1`),
	at(8, "WARN", "steep walls", ""),
	at(9, "INFO", "round", `,"round":"2","iterations":200,"next":200,"draws":790,"round_trips":61,"rejection":[0.26,0.51]`+
		`,"rhat":1.002,"ess":700,"log_z":-3.6,"log_z_error":0.05`),
	at(9, "INFO", "progress", `,"doing":"summing up","share":null`),
	at(10, "INFO", "done", `,"draws":790,"seconds":6`),
}

// newRun makes a folder whose log has these lines.
func newRun(t testing.TB, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "run.json", manifest)
	put(t, dir, "log.jsonl", strings.Join(lines, ""))
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// grow appends to the log.
func grow(t testing.TB, dir, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "log.jsonl"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func hold(t testing.TB, dir string) { put(t, dir, ".lock", fmt.Sprintf("%d\n", os.Getpid())) }

// shown is what facts are on the page.
func shown(t testing.TB, f Facts) string {
	t.Helper()
	b, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What a log tells, line by line: the state, how far it is and how long it takes, rounds,
// warnings once each.
//
// Mutants it kills: iterations of one ladder for those of all; the time left by what is done.
func TestFactsOfALog(t *testing.T) {
	dir := newRun(t)
	hold(t, dir)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	states := []State{"begins", "warm-up", "warm-up", "warm-up", "sampling", "sampling", "sampling", "sampling", "sampling",
		"sampling", "sampling",
		"summing up", "done"}
	for i, line := range ofARun {
		grow(t, dir, line)
		q := f.Facts()
		if q.State != states[i] || q.Name != "ring" || q.Command != "sample" || q.What != "2 variables" {
			t.Errorf("after line %d: %s", i+1, shown(t, q))
		}
		r := q.Reached
		var want [5]float64 // iterations, of, share, per second, left
		nan := math.NaN()
		switch i {
		case 0, 1, 3:
			want = [5]float64{0, 0, nan, nan, nan}
		case 2:
			want = [5]float64{0, 0, 0.5, nan, nan}
		case 4, 5:
			want = [5]float64{0, 400, 0, nan, nan}
		case 6:
			want = [5]float64{100, 400, 0.25, nan, nan}
		case 7:
			want = [5]float64{200, 400, 0.5, 50, 4}
		case 8, 9:
			want = [5]float64{400, 800, 0.5, 50, 8}
		case 10:
			want = [5]float64{800, 800, 1, 50, 0}
		default:
			want = [5]float64{0, 0, nan, nan, nan}
		}
		for k, got := range [5]float64{float64(r.Iterations), float64(r.Of), float64(r.Share), float64(r.PerSecond), float64(r.Left)} {
			if got != want[k] && (got == got || want[k] == want[k]) {
				t.Errorf("after line %d: number %d of %+v is not %g", i+1, k+1, r, want[k])
			}
		}
	}
	q := f.Facts()
	if q.Begun.Second() != 0 || q.Ended.Second() != 10 || q.Until != (Until{RHat: 1.01, ESS: 400, Iterations: 6400}) ||
		!slices.Equal(q.Warnings, []string{"steep walls"}) || len(q.Betas) != 3 || len(q.Course) != 1 {
		t.Error(shown(t, q))
	}
	if len(q.Rounds) != 3 || q.Rounds[0].Name != "hmc 1" || !q.Rounds[0].WarmUp || q.Rounds[0].Rejection[1].known() ||
		q.Rounds[2].ESS != 700 ||
		q.Rounds[2].RoundTrips != 61 {
		t.Error(shown(t, q))
	}
}

// A log that grows, by whatever pieces, tells in the end what it tells at once; lines that are
// none of ours tell nothing.
func TestGrowingLog(t *testing.T) {
	lines := append(slices.Clone(ofARun), "no JSON\n", "{}\n", `{"message":7}`+"\n", `[]`+"\n", "\n")
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 30).Draw(rt, "lines"), "")
		dir := newRun(t)
		hold(t, dir)
		f := &Folder{dir: dir}
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "bytes")
			grow(t, dir, rest[:n])
			rest = rest[n:]
			f.Facts()
		}
		if diff := cmp.Diff(shown(t, (&Folder{dir: dir}).Facts()), shown(t, f.Facts())); diff != "" {
			rt.Error(diff)
		}
	})
}

// Rounds and points stay few however long a run is, and the last ones are there.
func TestFactsStayFew(t *testing.T) {
	var h history
	for i := range 10 * mostPoints {
		h.read([]byte(at(0, "INFO", "progress", fmt.Sprintf(`,"iterations":%d,"of":9999`, i+1))))
		h.read([]byte(at(0, "INFO", "round", fmt.Sprintf(`,"round":"%d"`, i+1))))
		h.read([]byte(at(0, "WARN", fmt.Sprint(i+1), "")))
		if n := len(h.Course); n > mostPoints || h.Course[n-1].Iterations != int64(i+1) {
			t.Fatalf("after %d points: %d, the last %v", i+1, n, h.Course[n-1])
		}
	}
	last := fmt.Sprint(10 * mostPoints)
	if n := len(h.Rounds); n != mostRounds || h.Rounds[n-1].Name != last {
		t.Errorf("%d rounds", n)
	}
	if n := len(h.Warnings); n != mostWarnings || h.Warnings[n-1] != last {
		t.Error(h.Warnings)
	}
	if !slices.IsSortedFunc(h.Course, func(a, b Point) int { return int(a.Iterations - b.Iterations) }) {
		t.Error("points are out of order")
	}
}

// A training tells its epochs: scores by their names, how far it is, and how long it takes by its pace
// from the first epoch on that this process has done. What is done anew after a stop is told once, and
// each repetition by itself.
//
// Mutants it kills: the time left by what was done before a stop; epochs twice.
func TestEpochs(t *testing.T) {
	var h history
	epoch := func(second, n int, scores string) {
		h.read([]byte(at(second, "INFO", "epoch", fmt.Sprintf(`,"epoch":%d,"of":8,"scores":{%s}`, n, scores))))
	}
	start := func(second, repeat int, resumed bool) {
		h.read([]byte(at(second, "INFO", "start", fmt.Sprintf(`,"repeat":%d,"resumed":%v`, repeat, resumed))))
	}
	start(0, 1, false)
	epoch(2, 1, `"loss":2`)
	if r := h.Reached; r.Share != 1./8 || r.Left.known() || r.Unit != "epochs" {
		t.Errorf("%+v", r)
	}
	epoch(4, 2, `"loss":1,"accuracy":0.5`)
	epoch(6, 3, `"loss":0.5,"accuracy":0.6`)
	epoch(6, 3, ``) // of no scores
	h.read([]byte(at(7, "INFO", "checkpoint", `,"iteration":936`)))
	if r := h.Reached; r.Iterations != 3 || r.Of != 8 || r.Left != 10 {
		t.Errorf("%+v", r)
	}
	start(30, 1, true) // from a checkpoint after the second epoch
	epoch(31, 3, `"loss":0.5,"accuracy":0.7`)
	epoch(32, 4, `"loss":0.4,"accuracy":0.8`)
	if r := h.Reached; r.Left != 4 || len(h.Epochs) != 4 || h.Epochs[2].Scores["accuracy"] != 0.7 || h.State != Sampling || h.Doing != "repeat 1" {
		t.Error(shown(t, h.Facts))
	}
	start(40, 2, false)
	if r := h.Reached; r.Iterations != 4 || r.Of != 8 {
		t.Errorf("%+v", r)
	}
	epoch(41, 5, `"loss":2`)
	if r := h.Reached; len(h.Epochs) != 1 || h.Epochs[0].Epoch != 5 || r.Share != 5./8 || r.Left.known() {
		t.Error(shown(t, h.Facts))
	}
	for i := range 10 * mostPoints {
		epoch(42, 6+i, `"loss":1`)
	}
	if n := len(h.Epochs); n > mostPoints || h.Epochs[n-1].Epoch != int64(5+10*mostPoints) {
		t.Errorf("%d epochs", n)
	}
}

// A run that was stopped says why, and one that goes on makes its rounds anew from there.
func TestStoppedAndResumed(t *testing.T) {
	dir := newRun(t, ofARun[:9]...)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if q := f.Facts(); q.State != Left {
		t.Error(shown(t, q)) // nobody holds it
	}
	grow(t, dir, at(11, "ERROR", "checkpoint", `,"error":"the disk is full"`)+at(12, "ERROR", "stopped", `,"error":"stopped\ngo on"`))
	q := f.Facts()
	if q.State != Stopped || q.Why != "stopped\ngo on" || q.Ended.Second() != 12 || !slices.Contains(q.Warnings,
		"checkpoint: the disk is full") {
		t.Error(shown(t, q))
	}
	hold(t, dir)
	grow(t, dir, at(20, "INFO", "begin", `,"what":"2 variables","resumed":true`))
	q = f.Facts()
	if q.State != Beginning || q.Why != "" || !q.Ended.IsZero() || len(q.Rounds) != 2 || len(q.Warnings) != 0 {
		t.Error(shown(t, q))
	}
	grow(t, dir, at(21, "INFO", "round", `,"round":"1","rhat":1.5`))
	if q = f.Facts(); len(q.Rounds) != 2 || q.Rounds[1].RHat != 1.5 {
		t.Error(shown(t, q))
	}
}

// A run in this process is shown once it has begun, not what was in its folder before; one that
// is to take the place of another is shown while it is made.
//
// Mutants it kills: the run before, shown as the new one.
func TestComing(t *testing.T) {
	for _, where := range []string{"resumed", "beside", "nothing"} {
		dir := filepath.Join(t.TempDir(), "none")
		if where != "nothing" {
			dir = newRun(t, ofARun...)
		}
		f := Coming(dir)
		if q := f.Facts(); q.State != Beginning || len(q.Rounds) != 0 || q.Name != "" {
			t.Error(where, shown(t, q))
		}
		at := dir
		if where == "beside" {
			at = filepath.Join(dir, ".new-1")
		}
		put(t, at, "run.json", strings.Replace(manifest, "ring", "new", 1))
		hold(t, dir)
		grow(t, at, ofARun[0]+ofARun[1])
		if q := f.Facts(); q.State != WarmingUp || q.Name != "new" || len(q.Rounds) != 0 {
			t.Error(where, shown(t, q))
		}
		if where == "beside" { // and takes its place
			if err := errors.Join(os.Rename(filepath.Join(at, "log.jsonl"), filepath.Join(dir, "log.jsonl")), os.RemoveAll(at)); err != nil {
				t.Fatal(err)
			}
			grow(t, dir, ofARun[12])
			if q := f.Facts(); q.State != Done {
				t.Error(where, shown(t, q))
			}
		}
	}
}

// What rounds do not tell of a run that is done is in its summary.
func TestSummaryOfARunWithoutRounds(t *testing.T) {
	dir := newRun(t, at(1, "INFO", "start", `,"ladders":2,"iterations":10`), at(2, "INFO", "done", ""))
	put(t, dir, "summary.json",
		`{"draws": 7, "parameters": [{"ess_bulk": 90, "ess_tail": 80, "rhat": 1.1},
		{"ess_bulk": 70, "ess_tail": null, "rhat": 1.3},
		{"ess_bulk": 50, "ess_tail": 60, "rhat": 1.2}], "swaps": {"round_trips": 5, "pairs": [{"rungs": [1, 2], "mean_probability": 0.75},
		{"rungs": [1, 3], "mean_probability": 0.5}, {"rungs": [2, 3], "mean_probability": 0.25}]}, "ladder": {"inverse_temperature": [1, 0.5, 0]},
		"log_evidence": {"estimate": null, "se": null}, "warnings": ["few draws"]}`)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	q := f.Facts()
	if len(q.Rounds) != 1 || len(q.Betas) != 3 || !slices.Equal(q.Warnings, []string{"few draws"}) {
		t.Fatal(shown(t, q))
	}
	if r := q.Rounds[0]; r.Draws != 7 || r.RoundTrips != 5 || !slices.Equal(r.Rejection, []number{0.25, 0.75}) || r.RHat != 1.3 ||
		r.ESS != 50 ||
		r.LogZ.known() {
		t.Error(shown(t, q))
	}
	if again := f.Facts(); len(again.Rounds) != 1 {
		t.Error(shown(t, again))
	}
}

// Nothing outside the folder is read, and nothing that is no regular file: neither by the name
// of a figure, nor through links, nor from a pipe, which would never end.
//
// Mutants it kills: names that lead elsewhere; links that are followed.
func TestNothingFromElsewhere(t *testing.T) {
	dir, secret := newRun(t, ofARun...), t.TempDir()
	put(t, secret, "secret.svg", "secret")
	put(t, dir, "figures/trace.svg", "<svg/>")
	put(t, dir, "figures/trace.png", "png")
	put(t, dir, "draws.svg", "<svg/>")
	figures := filepath.Join(dir, "figures")
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(figures, name)); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(secret, "secret.svg"), "absolute.svg")
	link("trace.svg", "inside.svg")
	link(secret, "folder")
	if err := errors.Join(pipe(filepath.Join(figures, "pipe.svg")), os.Mkdir(filepath.Join(figures, "dir.svg"), 0o755)); err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := f.Figure("trace.svg"); err != nil || string(b) != "<svg/>" {
		t.Errorf("%q %v", b, err)
	}
	for _, name := range []string{"", ".", "..", "absolute.svg", "inside.svg", "folder/secret.svg", "pipe.svg", "dir.svg", "trace.png",
		"none.svg",
		"../draws.svg", "..%2fdraws.svg", "/etc/passwd", "trace.svg/", "./trace.svg", "TRACE.svg", "trace.svg\x00", ".svg",
		strings.Repeat("a", 300) + ".svg"} {
		if b, err := f.Figure(name); err == nil {
			t.Errorf("%q gives %q", name, b)
		}
	}
	if q := f.Facts(); len(q.Figures) != 1 || q.Figures[0].Name != "trace.svg" {
		t.Error(q.Figures)
	}
	for _, name := range []string{"figures", "log.jsonl", "summary.json"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.RemoveAll(path), os.Symlink(secret, path)); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := f.Figure("secret.svg"); err == nil {
		t.Errorf("through a linked folder: %q", b)
	}
	if q := f.Facts(); len(q.Figures) != 0 || q.State != Beginning {
		t.Error(shown(t, q))
	}
}

// What is no run folder is refused.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Coming(dir).Figure("trace.svg"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
