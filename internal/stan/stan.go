// Package stan answers where a potential comes from that is a Stan program: it finds what
// compiles one, compiles it once, and says what the program's parameters are. The compiled
// program computes energies as any other does, by package command.
//
// A program is read with its walls: parameters with bounds, ordered vectors and simplexes are
// coordinates themselves, and their bounds are walls. What Stan transforms beyond that, such
// as correlations, goes through its transforms, and so does everything where that is asked for.
package stan

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/internal/child"
)

var (
	//go:embed walls.hpp
	walls string
	//go:embed serve.hpp
	serve string
)

// A Program is a compiled Stan program.
type Program struct {
	Path string // of the executable
}

// A Model is a program with its data.
type Model struct {
	// Of the d coordinates: a parameter is called as in Stan programs, theta[1], and what goes
	// through one of Stan's transforms theta[1].free.
	Names        []string
	Plain        []bool      // parameters themselves
	Lower, Upper []float64   // their bounds, ±Inf where there is none
	Rows         []Row       // walls between them
	Starts       [][]float64 // where the density is finite, one at least, eight at most
}

// A Row is the wall Σ Times[k]·x[Of[k]] ≥ Least.
type Row struct {
	Of    []int
	Times []float64
	Least float64
}

// Args are the program's arguments where it computes energies of these data, "" being none.
func (p *Program) Args(data string, transform bool) []string {
	way := "walls"
	if transform {
		way = "own"
	}
	if data == "" {
		data = "-"
	}
	return []string{p.Path, data, way}
}

// Compile compiles a file, unless that was done before: what was compiled is kept in a folder
// of the user's cache, by the C++ that the Stan compiler makes of the file, the flags and the
// compilers. allow is called before a program is run, with its name and what it works on; an
// error of its ends it. tell is told if it takes long. An error of the Stan compiler is its own
// text, with the line.
func Compile(ctx context.Context, file string, allow func(args []string) error, tell func(string)) (*Program, error) {
	t, err := Find()
	if err != nil {
		return nil, err
	}
	if err := allow([]string{t.Stanc, file}); err != nil {
		return nil, err
	}
	source, err := t.translate(ctx, file)
	if err != nil {
		return nil, err
	}
	folder, err := cacheFolder()
	if err != nil {
		return nil, err
	}
	p := &Program{Path: filepath.Join(folder, t.key(source))}
	if s, err := os.Stat(p.Path); err == nil && s.Mode().IsRegular() && s.Mode()&0o100 != 0 {
		return p, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("the cache of Stan programs: %w", err)
	}
	work, err := os.MkdirTemp(folder, ".new-")
	if err != nil {
		return nil, fmt.Errorf("the cache of Stan programs: %w", err)
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "model.cpp"), []byte(walls+source+serve), 0o644); err != nil {
		return nil, fmt.Errorf("the cache of Stan programs: %w", err)
	}
	args := t.link("model", "model.cpp")
	if err := allow([]string{args[0], filepath.Base(file) + ".cpp"}); err != nil {
		return nil, err
	}
	defer time.AfterFunc(quick, func() {
		tell(filepath.Base(file) + " is being compiled, which may take some minutes; this is kept, and later runs of it begin at once")
	}).Stop()
	if out, err := output(ctx, work, args); err != nil {
		return nil, fmt.Errorf("%s: the C++ of the Stan program is not compiled: %w\n%s", file, err, firstErrors(out))
	}
	if err := os.Rename(filepath.Join(work, "model"), p.Path); err != nil {
		return nil, fmt.Errorf("the cache of Stan programs: %w", err)
	}
	return p, nil
}

// cacheFolder is where compiled programs are kept.
func cacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder to keep compiled Stan programs in: %w: set XDG_CACHE_HOME", err)
	}
	return filepath.Join(dir, "r2sgld", "stan"), nil
}

// output runs a program to its end in a folder and returns what it wrote to both outputs. The
// program ends with ctx.
func output(ctx context.Context, dir string, args []string) (string, error) {
	c := exec.Command("/bin/sh", append([]string{"-c", `exec "$@" 2>&1`, "sh"}, args...)...)
	c.Dir = dir
	p, err := child.Start(c)
	if err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, p.Kill)()
	_ = p.In.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(p.Out)
	p.Stop(ending)
	text := strings.TrimRight(b.String(), "\n")
	switch {
	case ctx.Err() != nil:
		return text, context.Cause(ctx)
	case err == nil && !p.State().Success():
		err = errors.New(p.State().String())
	}
	return text, err
}

// quick is how long a compiler may take before that is told.
var quick = 3 * time.Second

// ending is how long a program may take to end after its output has.
const ending = 10 * time.Second

// firstErrors are the first lines of a compiler's text that tell errors.
func firstErrors(text string) string {
	const most = 5
	var kept []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, "error") && len(kept) < most {
			kept = append(kept, strings.TrimRight(line, "\n"))
		}
	}
	if kept == nil {
		return text
	}
	return strings.Join(kept, "\n")
}

// Model says what the program is with the data in a file, "" being none.
func (p *Program) Model(ctx context.Context, data string, transform bool) (*Model, error) {
	text, err := output(ctx, "", append(p.Args(data, transform), "describe"))
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		if data == "" && strings.Contains(text, "stage=data initialization") {
			return nil, fmt.Errorf("the Stan program reads data, and none are given: name a file of JSON (data: data.json, or r2sgld stan "+
				"MODEL.stan DATA.json):\n%s", text)
		}
		return nil, fmt.Errorf("the Stan program and its data do not go together:\n%s", text)
	}
	var said struct {
		Names        []string
		Plain        []bool
		Lower, Upper []*float64
		Rows         []Row
		Bent         []int
		Starts       [][]float64
		Why          string
	}
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return nil, fmt.Errorf("the Stan program %s describes itself as nothing known: %w", p.Path, err)
	}
	m := &Model{Names: said.Names, Plain: said.Plain, Rows: said.Rows, Starts: said.Starts,
		Lower: bounds(said.Lower, math.Inf(-1)), Upper: bounds(said.Upper, math.Inf(1))}
	switch {
	case len(m.Names) == 0:
		return nil, errors.New("the Stan program has no parameters: there is nothing to sample")
	case !transform && len(said.Bent) > 0:
		return nil, fmt.Errorf("a bound of %s depends on other parameters, and not linearly: give transform: true, by which Stan takes such "+
			"bounds away", m.Names[said.Bent[0]])
	case len(m.Starts) == 0:
		return nil, fmt.Errorf("the Stan program has no finite log density at 100 starts, drawn as Stan draws them: of the last, %s", said.Why)
	}
	return m, nil
}

// bounds are numbers, those that are not there as they say.
func bounds(of []*float64, none float64) []float64 {
	out := make([]float64, len(of))
	for i, v := range of {
		if out[i] = none; v != nil {
			out[i] = *v
		}
	}
	return out
}
