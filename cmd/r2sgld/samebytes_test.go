package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// keptHashes is the table: what it depends on, then a line for each run and file.
const keptHashes = "testdata/samebytes.txt"

// A made run is a configuration and what is done with it.
type made struct {
	name string // begins with "train" where the worker program computes
	text string // of the configuration; DATA is the folder data of the module, HERE that of the run
	// Commands one after the other; none is the command that the configuration is of.
	// FILE is the configuration, RUN the folder of the run, OTHER that of a second one. What a
	// command says with --json is a file too. "stop" before a command interrupts it at
	// its first checkpoint.
	do []string
}

// What small runs of every kind write is, byte for byte, what it was when the table was
// kept, wherever they are made: a change that means to change no number changes no
// line. One that means to change some rewrites the table by script/samebytes write, and
// the lines that differ say where it did. R2SGLD_SAMEBYTES is all, write, or nothing for
// every third run.
//
// The table holds for one floating-point arithmetic, that of networks for one set of
// features of the processor and one libtorch as well: on others nothing is compared.
//
// Mutants it kills: a drift uphill in kernel/sgld.go, a cross 1e-4 narrower in
// domain/polygon.go, one weight of ode/dopri5.go off by 3e-7. internal/mutants has none for
// it, since it is skipped on other machines.
func TestSameBytesAsKept(t *testing.T) {
	pace.Slow(t)
	how := os.Getenv("R2SGLD_SAMEBYTES")
	table := readTable(t)
	now := hashes{"numbers": numbers(), "torch": libtorch()}
	if how == "write" {
		table["numbers"], table["torch"] = now["numbers"], cmp.Or(now["torch"], table["torch"])
	} else if table["numbers"] != now["numbers"] {
		t.Skipf("%s is for the arithmetic %s, this is %s: bytes of draws differ between them", keptHashes, table["numbers"], now["numbers"])
	}
	if now["torch"] != "" {
		t.Setenv("R2SGLD_TORCH", workerProgram())
	}
	var mu sync.Mutex
	t.Run("runs", func(t *testing.T) {
		for i, m := range allMade() {
			if how == "" && i%3 != 0 {
				continue
			}
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				if strings.HasPrefix(m.name, "train") && (now["torch"] == "" || table["torch"] != now["torch"]) {
					t.Skipf("%s is for networks by %q, this is %q", keptHashes, table["torch"], now["torch"])
				}
				got := m.hashes(t)
				mu.Lock()
				defer mu.Unlock()
				if how == "write" {
					table.replace(m.name, got)
				} else {
					table.compare(t, m.name, got)
				}
			})
		}
	})
	if how == "write" && !t.Failed() {
		table.write(t)
	}
}

// numbers is the part of the arithmetic on which bytes depend.
func numbers() string {
	all := r2sgld.Arithmetic()
	return runtime.GOARCH + all[strings.LastIndexByte(all, ' '):]
}

// libtorch names what the bytes of networks depend on: libtorch, a checksum of the
// processor's features, by which it chooses its loops, and the BLAS that it takes. It is empty
// where there is no worker program.
func libtorch() string {
	libraries, _ := exec.Command("ldd", workerProgram()).Output()
	name := regexp.MustCompile(`libtorch_cpu\S*`).Find(libraries)
	processor, _ := os.ReadFile("/proc/cpuinfo")
	features := regexp.MustCompile(`(?m)^(flags|Features)\s*:.*$`).Find(processor)
	if name == nil || features == nil {
		return ""
	}
	blas := "no BLAS of its own"
	if path := regexp.MustCompile(`libblas\S* => (\S+)`).FindSubmatch(libraries); path != nil {
		if file, err := filepath.EvalSymlinks(string(path[1])); err == nil {
			blas = filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
		}
	}
	return fmt.Sprintf("%s %08x %s", name, crc32.ChecksumIEEE(features), blas)
}

// hashes are the lines of a table, by "name file".
type hashes map[string]string

func readTable(t *testing.T) hashes {
	t.Helper()
	h := hashes{}
	text, err := os.ReadFile(keptHashes)
	if err != nil && os.Getenv("R2SGLD_SAMEBYTES") != "write" {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if key, value, ok := strings.Cut(s.Text(), ": "); ok {
			h[strings.TrimPrefix(key, "# ")] = value
		}
	}
	return h
}

func (h hashes) write(t *testing.T) {
	t.Helper()
	heads := []string{"numbers", "torch"}
	var b strings.Builder
	for _, key := range heads {
		fmt.Fprintf(&b, "# %s: %s\n", key, h[key])
	}
	known := map[string]bool{}
	for _, m := range allMade() {
		known[m.name] = true
	}
	for _, key := range slices.Sorted(maps.Keys(h)) {
		if name, _, _ := strings.Cut(key, " "); known[name] {
			fmt.Fprintf(&b, "%s: %s\n", key, h[key])
		}
	}
	if err := os.WriteFile(keptHashes, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// of are the lines of a run.
func (h hashes) of(name string) hashes {
	out := hashes{}
	for key, value := range h {
		if strings.HasPrefix(key, name+" ") {
			out[key] = value
		}
	}
	return out
}

func (h hashes) replace(name string, by hashes) {
	for key := range h.of(name) {
		delete(h, key)
	}
	maps.Copy(h, by)
}

// compare prints each difference of a run.
func (h hashes) compare(t *testing.T, name string, got hashes) {
	t.Helper()
	want := h.of(name)
	both := maps.Clone(want)
	maps.Copy(both, got)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		switch was, is := want[key], got[key]; {
		case was == "":
			t.Errorf("%s: new", key)
		case is == "":
			t.Errorf("%s: gone", key)
		case was != is:
			t.Errorf("%s: %s, was %s", key, is, was)
		}
	}
}

// hashes makes the run.
func (m made) hashes(t *testing.T) hashes {
	t.Helper()
	dir := t.TempDir()
	data, err := filepath.Abs("../../data")
	if err != nil {
		t.Fatal(err)
	}
	places := strings.NewReplacer("FILE", filepath.Join(dir, "run.yaml"), "RUN", filepath.Join(dir, "run"), "OTHER",
		filepath.Join(dir, "other"), "DATA", data, "HERE", dir)
	write(t, dir, "run.yaml", places.Replace(m.text))
	sums := hashed{sums: map[string]hash.Hash{}, replace: strings.NewReplacer(data, "DATA", filepath.Join(filepath.Dir(data), "examples"),
		"EXAMPLES", dir, "HERE")}
	for i, line := range m.commands() {
		words := strings.Fields(line)
		stop := words[0] == "stop"
		if stop {
			words = append(words[1:], "--checkpoint", "1ms")
		}
		for j, w := range words {
			words[j] = places.Replace(w)
		}
		if !slices.Contains(words, "--quiet") {
			words = append(words, "--quiet")
		}
		p := start(t, words...)
		if stop {
			p.await(filepath.Join(dir, "run/checkpoints/000001"))
			p.signal(syscall.SIGINT, 0)
		}
		if code := p.code(t); code != exitDone && !(stop && code == exitInterrupted) {
			t.Fatalf("%s: exit %d: %s", line, code, &p.stderr)
		}
		if slices.Contains(words, "--json") {
			sums.add(fmt.Sprintf("%d.%s.json", i+1, words[0]), p.stdout.Bytes())
		}
	}
	sums.folder(t, dir)
	out := hashes{}
	for file, sum := range sums.sums {
		out[m.name+" "+file] = fmt.Sprintf("%x", sum.Sum(nil)[:12])
	}
	return out
}

// commands are those of the run in full.
func (m made) commands() []string {
	if len(m.do) > 0 {
		return m.do
	}
	for word, command := range map[string]string{"data: {kind": "train", "model:": "identify", "theory:": "theory"} {
		if strings.Contains(m.text, "\n"+word) {
			return []string{command + " FILE --out RUN"}
		}
	}
	return []string{"sample FILE --out RUN"}
}

// measured are the keys of what is measured or belongs to the machine and the version of
// the program, which no hash counts.
var measured = regexp.MustCompile(`"(seconds|steps_per_second|images_per_second|peak_bytes|seconds_per_iteration|cpu_seconds|` +
	`microseconds_per_iteration|ns_per_chain_step|version|inference_library_version|go|arch|goarch|numbers)":\s*("[^"]*"|\[[^\]]*\]|[^\s,\]}]+)`)

// written is the version in a draws-*.csv.
var written = regexp.MustCompile(`written by r2sgld [^:]*`)

// unhashed are files that tell times, or are for the program alone.
var unhashed = regexp.MustCompile(`(^|/)(checkpoints/|studies/|log\.jsonl$|report\.html$|reproduce\.json$|\.lock$|\.r2sgld\.files$)`)

// grouped are files that share a line, by what its name is.
var grouped = []struct {
	name string
	of   *regexp.Regexp
}{
	{"draws.zarr", regexp.MustCompile(`^draws\.zarr/`)},
	{"draws.csv", regexp.MustCompile(`^draws-\d+\.csv$`)},
	{"figures", regexp.MustCompile(`^figures/`)},
	{"simulation/figures", regexp.MustCompile(`^simulation/figures/`)},
	{"models", regexp.MustCompile(`^models/`)},
}

// hashed are sums of files and groups.
type hashed struct {
	sums    map[string]hash.Hash
	replace *strings.Replacer // of folders
}

// add hashes the text of a file, with its name where it is one of a group.
func (h hashed) add(file string, text []byte) {
	name := file
	for _, g := range grouped {
		if inner := strings.TrimPrefix(file, "other/"); g.of.MatchString(inner) {
			name = strings.TrimSuffix(file, inner) + g.name
		}
	}
	if ext := filepath.Ext(file); ext == ".json" || ext == ".jsonl" || strings.HasPrefix(filepath.Base(file), ".z") {
		text = []byte(h.replace.Replace(string(measured.ReplaceAll(text, nil))))
	} else if ext == ".csv" {
		text = written.ReplaceAll(text, nil)
	}
	if h.sums[name] == nil {
		h.sums[name] = sha256.New()
	}
	fmt.Fprintf(h.sums[name], "%s %d\n%s", file, len(text), text)
}

// folder hashes what the runs in a folder wrote, in the order of names.
func (h hashed) folder(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		run, inRun := strings.CutPrefix(name, "run/")
		if err != nil || !d.Type().IsRegular() || unhashed.MatchString(name) || name == "run.yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if inRun {
			name = run
		}
		h.add(name, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
