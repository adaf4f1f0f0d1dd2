package forecast

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/stream"
)

// predictive is the stream of the observations beside kept trajectories.
const predictive stream.Purpose = "predictive"

// figureNames are those of the figures that a simulation may have.
func figureNames() []string { return []string{"forecast", "phase", "parting", "predictive"} }

// kind tells the folder of a simulation.
func kind() store.Kind {
	return store.Kind{Manifest: "simulation.json", Files: func(manifest []byte) ([]string, error) {
		var r Report
		if err := json.Unmarshal(manifest, &r); manifest != nil && (err != nil || r.Schema == 0 || r.Name == "" || r.From == "") {
			return nil, errors.New("it is of no simulation of ours")
		}
		return outputs(), nil
	}}
}

// outputs are the files that a simulation may leave.
func outputs() []string {
	return append(job.FigureFiles(figureNames()...), "simulation.json", "simulation.csv", keptPaths, keptRows)
}

// free says why the folder of a simulation to come cannot be this: it holds a run, or is
// part of one.
func free(dir string) error {
	if holds(dir, runFiles()...) {
		return fmt.Errorf("%s holds a run: choose another folder for the simulation", dir)
	}
	at, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	for above := filepath.Dir(at); above != at; at, above = above, filepath.Dir(above) {
		switch filepath.Base(at) {
		case "figures", "checkpoints", "draws.zarr":
			if holds(above, append(runFiles(), "simulation.json")...) {
				return fmt.Errorf("%s belongs to what is in %s: choose another folder for the simulation", dir, above)
			}
		}
	}
	return nil
}

// runFiles are names that tell a folder of a run, any of them.
func runFiles() []string {
	return []string{"run.json", "draws.zarr/.zgroup", "draws-1.csv", "results.json"}
}

// holds reports whether a folder has one of these files.
func holds(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil && !info.IsDir()
	})
}

// render makes the files of an outcome, but for its report. Equal outcomes give
// equal bytes. Its error is that of ctx, or a figure's.
func (o *outcome) render(ctx context.Context) (job.Sheaf, error) {
	table, err := o.csv(ctx)
	if err != nil {
		return nil, err
	}
	files := job.Sheaf{{Name: "simulation.csv", Data: table}}
	if o.keep {
		all, err := o.trajectories(ctx)
		if err != nil {
			return nil, err
		}
		files = append(files, job.File{Name: keptPaths, Data: all})
	}
	drawn := job.Pictures{Write: files.Add}
	for _, name := range []string{"forecast", "phase", "parting"} {
		f, err := o.figure(ctx, name)
		if err := drawn.Add(ctx, name, f, err); err != nil {
			return nil, err
		}
	}
	o.figures, o.report.Warnings = drawn.Names, append(o.report.Warnings, drawn.Warnings...)
	return files, ctx.Err()
}

// write writes files and, last, the report into a folder, each whole or not at all.
func write(folder *job.Folder, files job.Sheaf, told Told) error {
	if err := files.Into(folder); err != nil {
		return err
	}
	return folder.WriteJSON("simulation.json", told)
}

// columns of a table and their names.
type columns struct {
	names  []string
	values [][]float64
}

func (c *columns) add(name string, v []float64) {
	c.names, c.values = append(c.names, name), append(c.values, v)
}

// csv is simulation.csv: the time, then for each state its band, or the only
// trajectory.
func (o *outcome) csv(ctx context.Context) ([]byte, error) {
	var c columns
	r := o.result
	c.add(o.report.Time, r.Times)
	low, high := simulation.Ends(o.report.Level)
	ends := [2]string{".q" + decimal(100*low), ".q" + decimal(100*high)}
	for _, b := range o.bands {
		if len(r.Draws) == 1 {
			c.add(b.State, b.Mean)
		} else {
			c.add(b.State+".mean", b.Mean)
			c.add(b.State+ends[0], b.Low)
			c.add(b.State+".q50", b.Median)
			c.add(b.State+ends[1], b.High)
		}
		if b.ObservedLow != nil {
			c.add(b.State+".observed"+ends[0], b.ObservedLow)
			c.add(b.State+".observed"+ends[1], b.ObservedHigh)
		}
	}
	if len(r.Draws) > 1 {
		c.add("trajectories", r.Left())
	}
	return c.text(ctx)
}

// decimal writes a share in percent: 5, 2.5.
func decimal(v float64) string { return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'g', -1, 64) }

func (c *columns) text(ctx context.Context) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(header(c.names))
	for k := range c.values[0] {
		if k%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for i, v := range c.values {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(number(b.AvailableBuffer(), v[k]))
		}
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// header quotes what holds commas or quotes.
func header(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		if quoted[i] = n; strings.ContainsAny(n, ",\"\n") {
			quoted[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ",") + "\n"
}

// number appends v, or nothing if it is not known.
func number(b []byte, v float64) []byte {
	if v != v {
		return b
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// trajectories is trajectories.csv: every trajectory while it lasts, and, if noise
// is asked for and known, an observation beside each state.
func (o *outcome) trajectories(ctx context.Context) ([]byte, error) {
	r := o.result
	d := len(r.Model.States)
	var noise [][]float64
	if o.noise {
		noise = r.Noise()
	}
	names := append([]string{"draw", o.report.Time}, r.Model.States...)
	if noise != nil {
		for _, s := range r.Model.States {
			names = append(names, s+".observed")
		}
	}
	var b bytes.Buffer
	b.WriteString(header(names))
	for draw, path := range r.Paths {
		random := stream.New(o.seed, draw).Of(0, predictive)
		for k, t := range r.Times {
			if k%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			row := path[k*d : (k+1)*d]
			if row[0] != row[0] {
				break
			}
			b.WriteString(strconv.Itoa(draw + 1))
			for _, v := range append([]float64{t}, row...) {
				b.WriteByte(',')
				b.Write(number(b.AvailableBuffer(), v))
			}
			for i := 0; i < d && noise != nil; i++ {
				b.WriteByte(',')
				e := noise[draw][i] * random.NormFloat64()
				switch {
				case o.bands[i].Below != nil: // has no logarithm
				case r.Model.LogNormal:
					b.Write(number(b.AvailableBuffer(), math.Max(row[i], 0)*math.Exp(e)))
				default:
					b.Write(number(b.AvailableBuffer(), row[i]+e))
				}
			}
			b.WriteByte('\n')
		}
		if draw == 0 {
			b.Grow(b.Len() * len(r.Paths) * 21 / 20) // the others are as long, more or less
		}
	}
	return b.Bytes(), nil
}

// figure draws a figure by its name; nil if there is nothing to show.
func (o *outcome) figure(ctx context.Context, name string) (*figure.Figure, error) {
	if len(o.result.Times) < 2 {
		return nil, nil
	}
	switch name {
	case "forecast":
		return o.forecast()
	case "phase":
		return o.phase(ctx)
	}
	return o.parting()
}
