package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// WriteZarr writes draws.zarr, whole or not at all: a Zarr v2 store,
// uncompressed, with the groups of ArviZ's InferenceData. A parameter is one
// array with dimensions chain and draw in group posterior (warmup_posterior if
// burn-in was kept); lp = −U/τ, the energy U and other statistics are in
// sample_stats; hot rungs, numbered from 2, are in tempered and
// tempered_stats with dimensions chain, rung, draw; data are in
// observed_data. An array whose name is not fit for a folder has its own name
// in attribute long_name. The bytes are those of a [Stream].
func (f *Folder) WriteZarr(d *Draws) error {
	path := f.Path("draws.zarr")
	if err := d.check(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	tmp := path + temporary
	err := f.files.RemoveAll(tmp)
	if err == nil {
		err = f.writeZarr(d, tmp)
	}
	if err == nil {
		err = replaceFolder(f.files, tmp, path)
	}
	if err != nil {
		_ = f.files.RemoveAll(tmp)
		return fmt.Errorf("write %s: %w", path, advice(err))
	}
	return nil
}

func (f *Folder) writeZarr(d *Draws, root string) error {
	s, err := d.replay(f, root, "", d.Chains)
	if err == nil && d.Warmup != nil {
		s.warm, err = d.replay(f, root, "warmup_", d.Warmup)
	}
	if err != nil {
		return err
	}
	return s.finishZarr()
}

// replay streams draws that are all there.
func (d *Draws) replay(f *Folder, root, prefix string, chains []Chain) (*Stream, error) {
	stats := make([][]Column, len(chains))
	for i, c := range chains {
		stats[i] = d.stats(c)
	}
	l := &layout{prefix: prefix, names: d.arrayNames(), chains: len(chains)}
	for _, c := range stats[0] {
		l.given = append(l.given, c.Name)
	}
	if prefix == "" { // hot rungs are kept after burn-in only
		l.hot = len(chains[0].X) - 1
		l.energy = len(chains[0].Energy) == l.hot+1
	}
	s, err := newStream(f, root, d, l)
	if err != nil {
		return nil, err
	}
	for i := range chains {
		if err := s.writers[i].replay(&chains[i], stats[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// replay keeps the draws of a chain.
func (w *ChainWriter) replay(c *Chain, stats []Column) error {
	dim := len(w.l.names)
	for i := range len(c.X[0]) / dim {
		w.rows = append(w.rows, c.X[0][i*dim:(i+1)*dim]...)
		for _, s := range stats {
			w.rows = append(w.rows, s.Values[i])
		}
		for r := 1; r <= w.l.hot; r++ {
			w.rows = append(w.rows, c.X[r][i*dim:(i+1)*dim]...)
			if w.l.energy {
				w.rows = append(w.rows, c.Energy[r][i])
			}
		}
		if err := w.full(); err != nil {
			return err
		}
	}
	return nil
}

type zarrGroup struct {
	Format int `json:"zarr_format"`
}

// zarrArray is the content of .zarray.
type zarrArray struct {
	Chunks     []int           `json:"chunks"`
	Compressor *zarrCompressor `json:"compressor"`
	Dtype      string          `json:"dtype"`
	Fill       any             `json:"fill_value"`
	Filters    []any           `json:"filters"`
	Order      string          `json:"order"`
	Shape      []int           `json:"shape"`
	Format     int             `json:"zarr_format"`
	Separator  string          `json:"dimension_separator,omitempty"`
}

type zarrCompressor struct {
	ID    string `json:"id"`
	Level int    `json:"level"`
}

// zarrAttributes are those that we write and understand, of arrays and groups.
type zarrAttributes struct {
	Dims       []string `json:"_ARRAY_DIMENSIONS,omitempty"`
	LongName   string   `json:"long_name,omitempty"`
	Library    string   `json:"inference_library,omitempty"`
	Version    string   `json:"inference_library_version,omitempty"`
	Model      string   `json:"model_name,omitempty"`
	Parameters []string `json:"parameters,omitempty"` // arrays in the order of the model
	BurnIn     *int     `json:"burn_in,omitempty"`
	Thin       int      `json:"thinning,omitempty"`
	Seed       string   `json:"seed,omitempty"` // decimal: 64 bits do not fit into a float
	Tau        float64  `json:"temperature,omitempty"`
}

const library = "r2sgld"

type zarrStore struct {
	entries  []entry
	metadata map[string]any
	err      error
}

// put adds a metadata document.
func (z *zarrStore) put(path string, v any) {
	data, err := JSON(v)
	if err != nil && z.err == nil {
		z.err = fmt.Errorf("%s: %w", path, err)
	}
	z.entries = append(z.entries, entry{path: path, data: data})
	z.metadata[path] = json.RawMessage(data)
}

func (z *zarrStore) addGroups(s *Stream) {
	d := s.draws
	z.addPosterior(s)
	if s.warm != nil {
		z.addPosterior(s.warm)
	}
	z.addStats(s)
	if s.warm != nil {
		z.addStats(s.warm)
	}
	if s.layout.hot > 0 {
		z.addTempered(s)
	}
	if len(d.Observed) > 0 {
		z.addObserved(d)
	}
}

func (z *zarrStore) group(name string, d *Draws, a zarrAttributes) {
	a.Library, a.Version, a.Model = library, d.Version, d.Model
	z.put(name+"/.zgroup", zarrGroup{2})
	z.put(name+"/.zattrs", a)
}

func (z *zarrStore) addPosterior(s *Stream) {
	d, group := s.draws, s.layout.posterior()
	z.group(group, d, zarrAttributes{Parameters: s.layout.names, BurnIn: &d.BurnIn, Thin: max(1, d.Thin),
		Seed: fmt.Sprint(d.Seed), Tau: d.tau()})
	z.coordinates(group, s, 0)
	for j, name := range s.layout.names {
		z.cold(group, s, name, d.Names[j])
	}
}

func (z *zarrStore) addStats(s *Stream) {
	group := s.layout.sampleStats()
	if len(s.layout.stats) == 0 {
		return
	}
	z.group(group, s.draws, zarrAttributes{})
	z.coordinates(group, s, 0)
	for j, name := range s.layout.stats {
		z.cold(group, s, name, s.layout.given[j])
	}
}

func (z *zarrStore) addTempered(s *Stream) {
	d, l := s.draws, s.layout
	z.group("tempered", d, zarrAttributes{Parameters: l.names})
	z.coordinates("tempered", s, l.hot)
	for j, name := range l.names {
		z.every("tempered", s, name, d.Names[j])
	}
	withTau := len(d.Temperature) == l.hot+1
	if !l.energy && !withTau {
		return
	}
	z.group("tempered_stats", d, zarrAttributes{})
	z.coordinates("tempered_stats", s, l.hot)
	if withTau {
		z.floats("tempered_stats/temperature", "", []string{"rung"}, []int{l.hot}, d.Temperature[1:])
	}
	if l.energy {
		z.every("tempered_stats", s, "energy", "energy")
	}
}

func (z *zarrStore) addObserved(d *Draws) {
	z.group("observed_data", d, zarrAttributes{})
	given := make([]string, len(d.Observed))
	for i, a := range d.Observed {
		given[i] = a.Name
	}
	for i, name := range arrayNames(given) {
		a := d.Observed[i]
		z.floats("observed_data/"+name, longName(a.Name, name), a.Dims, a.Shape, a.Values)
	}
}

func longName(name, safe string) string {
	if name == safe {
		return ""
	}
	return name
}

// cold describes an array of draws of the cold rung.
func (z *zarrStore) cold(group string, s *Stream, name, given string) {
	l := s.layout
	z.describe(group+"/"+name, zarrAttributes{Dims: []string{"chain", "draw"}, LongName: longName(given, name)},
		zarrArray{Dtype: "<f8", Fill: "NaN", Shape: []int{l.chains, s.writers[0].kept()}, Chunks: []int{1, l.chunk}})
}

// every describes an array of draws of the hot rungs.
func (z *zarrStore) every(group string, s *Stream, name, given string) {
	l := s.layout
	z.describe(group+"/"+name, zarrAttributes{Dims: []string{"chain", "rung", "draw"}, LongName: longName(given, name)},
		zarrArray{Dtype: "<f8", Fill: "NaN", Shape: []int{l.chains, l.hot, s.writers[0].kept()}, Chunks: []int{1, l.hot, l.chunk}})
}

// coordinates numbers chains and draws from 0 as ArviZ does, and the hot rungs
// from 2: rung 1 is the cold one.
func (z *zarrStore) coordinates(group string, s *Stream, hot int) {
	z.ints(group+"/chain", "chain", 0, s.layout.chains)
	if hot > 0 {
		z.ints(group+"/rung", "rung", 2, hot)
	}
	z.ints(group+"/draw", "draw", 0, s.writers[0].kept())
}

func (z *zarrStore) ints(path, dim string, from, n int) {
	z.array(path, zarrAttributes{Dims: []string{dim}}, zarrArray{Dtype: "<i8", Shape: []int{n}}, func(i int) uint64 {
		return uint64(from + i)
	})
}

func (z *zarrStore) floats(path, long string, dims []string, shape []int, values []float64) {
	z.array(path, zarrAttributes{Dims: dims, LongName: long}, zarrArray{Dtype: "<f8", Fill: "NaN", Shape: shape}, func(i int) uint64 {
		return math.Float64bits(values[i])
	})
}

func (z *zarrStore) describe(path string, attrs zarrAttributes, a zarrArray) {
	a.Order, a.Format = "C", 2
	z.put(path+"/.zarray", a)
	z.put(path+"/.zattrs", attrs)
}

// mostNumbers is the length of the chunks of a coordinate.
const mostNumbers = 1 << 19

// array adds an array of 64-bit numbers, in one chunk unless it is long and has
// one dimension.
func (z *zarrStore) array(path string, attrs zarrAttributes, a zarrArray, bits func(int) uint64) {
	a.Chunks = make([]int, len(a.Shape))
	total, size := 1, 1
	for i, n := range a.Shape {
		a.Chunks[i] = max(1, n)
		if len(a.Shape) == 1 {
			a.Chunks[i] = min(a.Chunks[i], mostNumbers)
		}
		total *= n
		size *= a.Chunks[i]
	}
	z.describe(path, attrs, a)
	for from := 0; from < total; from += size {
		at := make([]int, len(a.Shape))
		if len(at) == 1 {
			at[0] = from / size
		}
		z.entries = append(z.entries, entry{path: path + "/" + joinChunk(at), size: bytesPerItem * size, fill: func(data []byte) []byte {
			for i := from; i < min(from+size, total); i++ {
				data = binary.LittleEndian.AppendUint64(data, bits(i))
			}
			return data
		}})
	}
}

// joinChunk is the name of a chunk; that of a number without dimensions is 0.
func joinChunk(at []int) string {
	if len(at) == 0 {
		return "0"
	}
	return joinInts(at, ".")
}
