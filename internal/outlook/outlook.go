// Package outlook answers what becomes of a configuration of the command theory: it
// measures how fast a process should mix, says what that means for a run, and leaves a
// run folder with the numbers and their figures.
package outlook

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/internal/theory"
)

// A Job is what is to be measured, and where the numbers go.
type Job struct {
	job.Request
	Problem     theory.Problem
	Settings    theory.Settings   // its temperatures, grid and names of distances filled in
	Intensities []float64         // of swaps, rising and > 0, at which the gap is measured as well; nil is none
	Fault       func(error) error // tells where what is wrong with the problem stands; nil is under its name
}

// A Summary is what was found: summary.json.
type Summary struct {
	Schema int    `json:"schema"`
	Name   string `json:"name"`
	theory.Result
	Curve    *theory.Saturation `json:"intensities"` // nil if it was not asked for
	Warnings []string           `json:"warnings"`
}

const (
	share = 0.95    // of the limit is enough
	told  = 1 << 29 // bytes of memory, from which a measurement is told to be large
)

// Stopped says that the measurement was stopped before its end.
type Stopped struct{ Err error }

func (e *Stopped) Error() string {
	return "stopped; a measurement of theory is not resumed, and nothing is left of it."
}

// Unwrap returns the reason.
func (e *Stopped) Unwrap() error { return e.Err }

// Run measures, and leaves summary.json, figures and, last, run.json in the folder,
// which was written by nobody else meanwhile. Its error is a *job.Refused if what is
// asked for cannot be, and a *Stopped if the context ended; the folder is then as it was.
func (j *Job) Run(ctx context.Context) (sum *Summary, err error) {
	j.Command = command
	var names []string
	err = j.Draft(job.KindOf(command, outputs()), func(folder *job.Folder) error {
		sum, names, err = j.make(ctx, folder)
		return err
	})
	if err != nil {
		return nil, err
	}
	fmt.Fprint(j.Out, sum.Text(j))
	j.Warn(sum.Warnings...)
	fmt.Fprint(j.Out, j.footer(names))
	return sum, nil
}

// make measures, draws and writes. It returns the names of the figures.
func (j *Job) make(ctx context.Context, folder *job.Folder) (*Summary, []string, error) {
	fmt.Fprintf(j.Terminal, "%s: %s …\n", j.Name, j.plan())
	work := report.StartWork(j.Terminal, j.Name, "measuring")
	defer work.Stop()
	sum, err := job.Await(ctx, 0, func() (*Summary, error) { return j.measure(ctx) })
	if ctx.Err() != nil {
		return nil, nil, &Stopped{ctx.Err()}
	}
	if err != nil {
		return nil, nil, err
	}
	work.Doing("figures")
	drawn, err := job.Await(ctx, 0, func() (*pictures, error) { return sum.render(ctx, j) })
	if ctx.Err() != nil {
		return nil, nil, &Stopped{ctx.Err()}
	}
	if err == nil {
		sum.Warnings = append(sum.Warnings, drawn.Warnings...)
		err = j.write(folder, sum, drawn.files)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", j.Name, err)
	}
	return sum, drawn.Names, nil
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
	if need := s.Bytes(s.Cells(j.Problem.Domain)); need > told {
		words = append(words, fmt.Sprintf("up to %.2g GiB of memory", need/(1<<30)))
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
// *job.Refused.
func (j *Job) measure(ctx context.Context) (*Summary, error) {
	start := time.Now()
	r, err := theory.Measure(ctx, j.Problem, j.Settings)
	if err != nil {
		if fault := j.fault(ctx); fault != nil && ctx.Err() == nil {
			if j.Fault != nil {
				return nil, &job.Refused{Err: j.Fault(fault)}
			}
			return nil, &job.Refused{Err: fmt.Errorf("%s: %w", j.Name, fault)}
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

// command is that of the program.
const command = "theory"

// outputs are the files that may be left beside run.json.
func outputs() []string { return append(job.FigureFiles(figureNames()...), "summary.json") }

// pictures are the figures, and their files as they are to be written.
type pictures struct {
	job.Pictures
	files job.Sheaf
}

// render draws all figures. One that cannot be drawn is a warning.
func (s *Summary) render(ctx context.Context, j *Job) (*pictures, error) {
	p := new(pictures)
	p.Write = p.files.Add
	for _, name := range figureNames() {
		f, err := s.figure(name, j)
		if err := p.Add(ctx, name, f, err); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// write writes everything, run.json last.
func (j *Job) write(folder *job.Folder, sum *Summary, files job.Sheaf) error {
	if err := files.Into(folder); err != nil {
		return err
	}
	if err := folder.WriteJSON("summary.json", sum); err != nil {
		return err
	}
	return folder.WriteManifest()
}

// footer says where everything is, and what may come next.
func (j *Job) footer(names []string) string {
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
		return fmt.Sprintf(" next, what a hotter replica gains: %s --set 'theory.temperature=%s' --set theory.intensity=100 --set "+
			"'theory.intensities=[1, 10, 100, 1000]' --set theory.grid=null\n", j.Again, hotter)
	case len(j.Intensities) == 0:
		return fmt.Sprintf(" next, which intensity suffices: %s --set 'theory.intensities=[0.1, 1, 10, 100, 1000]'\n", j.Again)
	}
	return ""
}

// known reports whether v is a number.
func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
