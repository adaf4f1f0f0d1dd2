package simulation

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/figure"
	"github.com/r2sgld/r2sgld/store"
	"github.com/r2sgld/r2sgld/stream"
)

// An Outcome is all that is written down of a simulation.
type Outcome struct {
	Report *Report
	Result *Result
	Bands  []Band
	Mode   []float64 // the parameters of the trajectory that stands for all in phase portraits
	Data   Data
	Other  *Other      // what the trajectories are compared with; nil is nothing
	Parted *Comparison // with it
	Noise  bool        // kept trajectories have observations beside them
	Seed   uint64      // of these
	Keep   bool        // writes every trajectory
}

// Data is what was observed.
type Data struct {
	Time   []float64
	Values [][]float64 // per state of the model; NaN is missing
}

// Other is a trajectory to compare with.
type Other struct {
	Name  string
	Times []float64
	Path  []float64 // by rows
}

// predictive is the stream of the observations beside kept trajectories.
const predictive stream.Purpose = "predictive"

// figureNames are those of the figures that a simulation may have.
func figureNames() []string { return []string{"forecast", "phase", "parting"} }

// outputs are the files that a simulation may leave, simulation.json first.
func outputs() []string {
	names := []string{"simulation.json", "simulation.csv", "trajectories.csv"}
	for _, n := range figureNames() {
		names = append(names, "figures/"+n+".svg", "figures/"+n+".png")
	}
	return names
}

// Take takes the folder of a simulation to come. One that is not empty is an
// error, unless force is set; one that holds a run always.
func Take(files store.Files, dir string, force bool) (*store.Folder, error) {
	f, err := store.Open(dir)
	if err == nil {
		for _, name := range []string{"run.json", "draws.zarr/.zgroup", "draws-1.csv", "results.json"} {
			if _, err := f.ReadFile(name); err == nil {
				return nil, fmt.Errorf("%s holds a run: choose another folder for the simulation", dir)
			}
		}
	}
	return store.Take(files, dir, force)
}

// Write writes tables, figures and, last, the report into a folder, each whole or
// not at all, and returns the names of the figures. What an earlier simulation
// left is removed. Equal outcomes give equal bytes.
func (o *Outcome) Write(folder *store.Folder) (figures []string, err error) {
	type file struct {
		name string
		data []byte
	}
	files := []file{{"simulation.csv", o.csv()}}
	if o.Keep {
		files = append(files, file{"trajectories.csv", o.trajectories()})
	}
	for _, name := range figureNames() {
		f, err := o.figure(name)
		if err != nil {
			o.Report.Warnings = append(o.Report.Warnings, fmt.Sprintf("no figure %s: %v.", name, err))
			continue
		}
		if f == nil {
			continue
		}
		var svg, png bytes.Buffer
		if err := f.WriteSVG(&svg); err != nil {
			return nil, err
		}
		if err := f.WritePNG(&png); err != nil {
			return nil, err
		}
		figures = append(figures, name)
		files = append(files, file{"figures/" + name + ".svg", svg.Bytes()}, file{"figures/" + name + ".png", png.Bytes()})
	}
	if err := folder.Clear(outputs()...); err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := folder.WriteFile(f.name, f.data); err != nil {
			return nil, err
		}
	}
	return figures, folder.WriteJSON("simulation.json", o.Report)
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
func (o *Outcome) csv() []byte {
	var c columns
	r := o.Result
	c.add(o.Report.Time, r.Times)
	low, high := Ends(o.Report.Level)
	ends := [2]string{".q" + decimal(100*low), ".q" + decimal(100*high)}
	for _, b := range o.Bands {
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
	return c.text()
}

// decimal writes a share in percent: 5, 2.5.
func decimal(v float64) string { return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'g', -1, 64) }

// Left is how many trajectories have come to each time.
func (r *Result) Left() []float64 {
	d := len(r.Model.States)
	out := make([]float64, len(r.Times))
	for k := range out {
		for _, path := range r.Paths {
			if v := path[k*d]; v == v {
				out[k]++
			}
		}
	}
	return out
}

func (c *columns) text() []byte {
	var b bytes.Buffer
	b.WriteString(header(c.names))
	for k := range c.values[0] {
		for i, v := range c.values {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(number(b.AvailableBuffer(), v[k]))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
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
func (o *Outcome) trajectories() []byte {
	r := o.Result
	d := len(r.Model.States)
	noise := r.noise(o.Noise)
	names := append([]string{"draw", o.Report.Time}, r.Model.States...)
	if noise != nil {
		for _, s := range r.Model.States {
			names = append(names, s+".observed")
		}
	}
	var b bytes.Buffer
	b.WriteString(header(names))
	for draw, path := range r.Paths {
		random := stream.New(o.Seed, draw).Of(0, predictive)
		for k, t := range r.Times {
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
				if r.Model.LogNormal {
					b.Write(number(b.AvailableBuffer(), row[i]*math.Exp(e)))
				} else {
					b.Write(number(b.AvailableBuffer(), row[i]+e))
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// figure draws a figure by its name; nil if there is nothing to show.
func (o *Outcome) figure(name string) (*figure.Figure, error) {
	switch name {
	case "forecast":
		return o.forecast()
	case "phase":
		return o.phase()
	}
	return o.parting()
}
