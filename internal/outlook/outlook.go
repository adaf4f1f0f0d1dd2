// Package outlook answers what becomes of a configuration of the command theory: it
// measures how fast a process should mix, says what that means for a run, and leaves a
// run folder with the numbers and their figures.
package outlook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/abandon"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/theory"
)

// A Job is what is to be measured, and where the numbers go.
type Job struct {
	Name        string
	Again       string // the command that makes such a measurement, for advice
	Problem     theory.Problem
	Settings    theory.Settings // its temperatures, grid and names of distances filled in
	Intensities []float64       // of swaps, rising and > 0, at which the gap is measured as well; nil is none
	Warnings    []string        // of the configuration
	Config      any             // the resolved configuration, for run.json
	Hash        string          // of Config

	Dir   string // of the run folder
	Force bool   // write into a folder that is not empty
	Files store.Files

	Out      io.Writer // takes the tables
	Terminal io.Writer // takes what is being done, and warnings
}

// A Summary is what was found: summary.json.
type Summary struct {
	Schema int    `json:"schema"`
	Name   string `json:"name"`
	theory.Result
	Curve    *theory.Saturation `json:"intensities"` // nil if it was not asked for
	Warnings []string           `json:"warnings"`
}

// share is how much of the limit is enough.
const share = 0.95

// Stopped says that the measurement was stopped before its end.
type Stopped struct{ Err error }

func (e *Stopped) Error() string {
	return "stopped; a measurement of theory is not resumed, and nothing is left of it."
}

// Unwrap returns the reason.
func (e *Stopped) Unwrap() error { return e.Err }

// Run measures, and leaves summary.json, figures and, last, run.json in the folder,
// which was written by nobody else meanwhile. Its error is a *runner.Refused if what is
// asked for cannot be, and a *Stopped if the context ended; the folder is then as it was.
func (j *Job) Run(ctx context.Context) (*Summary, error) {
	files := j.Files
	if files == nil {
		files = store.Disk{}
	}
	folder, err := store.Draft(files, j.Dir, kind(), j.Force)
	if err != nil {
		return nil, &runner.Refused{Err: err}
	}
	defer folder.Close()
	fmt.Fprintf(j.Terminal, "%s: %s …\n", j.Name, j.plan())
	work := report.StartWork(j.Terminal, j.Name, "measuring")
	defer work.Stop()
	sum, err := abandon.At(ctx, func() (*Summary, error) { return j.measure(ctx) })
	if err != nil {
		if ctx.Err() != nil {
			err = &Stopped{ctx.Err()}
		}
		return nil, errors.Join(err, folder.Discard())
	}
	work.Doing("figures")
	pictures, err := abandon.At(ctx, func() ([]picture, error) { return sum.render(j) })
	if ctx.Err() != nil {
		return nil, errors.Join(&Stopped{ctx.Err()}, folder.Discard())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", j.Name, err), folder.Discard())
	}
	if err := j.write(folder, sum, pictures); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", j.Name, err), folder.Discard())
	}
	if err := folder.Install(); err != nil {
		return nil, fmt.Errorf("%s: %w", j.Name, err)
	}
	work.Stop()
	fmt.Fprint(j.Out, sum.Text(j))
	text.Warn(j.Terminal, sum.Warnings...)
	fmt.Fprint(j.Out, j.footer(pictures))
	return sum, folder.Close()
}

// plan says what is about to be measured.
func (j *Job) plan() string {
	s := j.Settings
	words := []string{text.Counted(j.Problem.Domain.Dim(), "variable"), j.rungs(),
		fmt.Sprintf("%s along the longest side", text.Counted(s.Grid, "cell")), text.Counted(s.Eigenvalues, "eigenvalue")}
	if s.Decay != nil {
		words = append(words, "decay at "+text.Counted(len(s.Decay.Times), "time"))
	}
	if n := len(j.Intensities); n > 0 {
		words = append(words, "gaps at "+text.Counted(n, "swap intensity"))
	}
	return strings.Join(words, ", ")
}

// rungs says which rungs there are.
func (j *Job) rungs() string {
	s := j.Settings
	if len(s.Temperature) == 1 {
		return fmt.Sprintf("temperature %g", s.Temperature[0])
	}
	if s.Intensity == 0 {
		return fmt.Sprintf("temperatures %g and %g that do not swap", s.Temperature[0], s.Temperature[1])
	}
	return fmt.Sprintf("temperatures %g and %g that swap at intensity %g", s.Temperature[0], s.Temperature[1], s.Intensity)
}

// measure finds all the numbers. An error that is the problem's own fault is a
// *runner.Refused.
func (j *Job) measure(ctx context.Context) (*Summary, error) {
	start := time.Now()
	r, err := theory.Measure(ctx, j.Problem, j.Settings)
	if err != nil {
		if fault := j.fault(ctx); fault != nil && ctx.Err() == nil {
			return nil, &runner.Refused{Err: fmt.Errorf("%s: %w", j.Name, fault)}
		}
		return nil, j.failed(err)
	}
	sum := &Summary{Schema: 1, Name: j.Name, Result: *r, Warnings: append([]string{}, j.Warnings...)}
	if len(j.Intensities) > 0 {
		if sum.Curve, err = r.Process.Saturate(ctx, j.Intensities, share); err != nil {
			return nil, j.failed(err)
		}
		sum.Seconds = time.Since(start).Seconds()
	}
	return sum, nil
}

// failed says whose measurement failed, and that nothing is left of it.
func (j *Job) failed(err error) error {
	return fmt.Errorf("%s: %w.\nnothing was written", j.Name, err)
}

// fault is what is wrong with what is asked for, that only its cells tell; nil is
// nothing.
func (j *Job) fault(ctx context.Context) error {
	s := j.Settings
	p, err := theory.NewProcess(ctx, j.Problem, s.Temperature, s.Intensity, s.Grid)
	if err == nil && s.Decay != nil {
		_, _, err = p.Start(s.Decay.Start)
	}
	return err
}

// figureNames are those of the figures that there may be.
func figureNames() []string { return []string{"modes", "decay", "intensities"} }

// kind tells the folder of a measurement.
func kind() store.Kind {
	return store.Kind{Manifest: "run.json", Files: func(manifest []byte) ([]string, error) {
		return outputs(), runner.IsOf(manifest, "theory")
	}}
}

// outputs are the files that may be left.
func outputs() []string {
	names := []string{"run.json", "summary.json"}
	for _, f := range figureNames() {
		names = append(names, "figures/"+f+".svg", "figures/"+f+".png")
	}
	return names
}

// A picture is a figure as it is written.
type picture struct {
	name     string
	svg, png []byte
}

// render draws all figures. One that cannot be drawn is a warning.
func (s *Summary) render(j *Job) ([]picture, error) {
	var out []picture
	for _, name := range figureNames() {
		f, err := s.figure(name, j)
		if err != nil {
			s.Warnings = append(s.Warnings, fmt.Sprintf("no figure %s: %v.", name, err))
			continue
		}
		if f == nil {
			continue
		}
		var svg, png bytes.Buffer
		if err := errors.Join(f.WriteSVG(&svg), f.WritePNG(&png)); err != nil {
			return nil, err
		}
		out = append(out, picture{name, svg.Bytes(), png.Bytes()})
	}
	return out, nil
}

// write writes everything, run.json last.
func (j *Job) write(folder *store.Folder, sum *Summary, pictures []picture) error {
	for _, p := range pictures {
		if err := errors.Join(folder.WriteFile("figures/"+p.name+".svg", p.svg), folder.WriteFile("figures/"+p.name+".png", p.png)); err != nil {
			return err
		}
	}
	if err := folder.WriteJSON("summary.json", sum); err != nil {
		return err
	}
	return folder.WriteJSON("run.json", manifest{Schema: 1, Command: "theory", Name: j.Name, Version: r2sgld.Version,
		Go: runtime.Version(), Arch: runtime.GOARCH, Hash: j.Hash, Config: j.Config})
}

// A manifest is a [runner.Manifest] of what has no random numbers, and so no seed, and is
// not resumed.
type manifest struct {
	Schema  int    `json:"schema"`
	Command string `json:"command"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"`
	Arch    string `json:"arch"`
	Hash    string `json:"hash"`
	Config  any    `json:"config"`
}

// footer says where everything is, and what may come next.
func (j *Job) footer(pictures []picture) string {
	names := make([]string, len(pictures))
	for i, p := range pictures {
		names[i] = p.name
	}
	line := fmt.Sprintf(" wrote %s/: run.json, summary.json", j.Dir)
	if len(names) > 0 {
		line += fmt.Sprintf(", figures (%s)", strings.Join(names, " "))
	}
	return line + "\n" + j.next()
}

// next is a command that tells more.
func (j *Job) next() string {
	s := j.Settings
	hotter := fmt.Sprintf("[%g, %g]", s.Temperature[0], 10*s.Temperature[0])
	switch {
	case len(s.Temperature) == 1:
		return fmt.Sprintf(" next, what a hotter replica gains: %s --set 'theory.temperature=%s' --set theory.intensity=100 --set 'theory.intensities=[1, 10, 100, 1000]' --set theory.grid=null\n", j.Again, hotter)
	case len(j.Intensities) == 0:
		return fmt.Sprintf(" next, which intensity suffices: %s --set 'theory.intensities=[0.1, 1, 10, 100, 1000]'\n", j.Again)
	}
	return ""
}

// known reports whether v is a number.
func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
