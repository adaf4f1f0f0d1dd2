package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// WriteZarr writes draws.zarr, whole or not at all: a Zarr v2 store,
// uncompressed, with the groups of ArviZ's InferenceData. A parameter is one
// array with dimensions chain and draw in group posterior (warmup_posterior if
// burn-in was kept); lp = −U/τ, the energy U and other statistics are in
// sample_stats; hot rungs, numbered from 2, are in tempered and
// tempered_stats with dimensions chain, rung, draw; data are in
// observed_data. An array whose name is not fit for a folder has its own name
// in attribute long_name.
func (f *Folder) WriteZarr(d *Draws) error {
	path := f.Path("draws.zarr")
	if err := d.check(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	s := &zarrStore{metadata: map[string]any{}}
	s.put(".zgroup", zarrGroup{2})
	s.put(".zattrs", map[string]any{})
	s.addGroups(d)
	s.put(".zmetadata", map[string]any{"metadata": s.metadata, "zarr_consolidated_format": 1})
	if s.err != nil {
		return fmt.Errorf("write %s: %w", path, s.err)
	}
	return writeFolder(f.files, path, s.entries)
}

// chunkBytes is the size up to which an array is one chunk. Larger ones have a
// chunk per chain (and rung).
const chunkBytes = 4 << 20

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
func (s *zarrStore) put(path string, v any) {
	data, err := JSON(v)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("%s: %w", path, err)
	}
	s.entries = append(s.entries, entry{path, data})
	s.metadata[path] = json.RawMessage(data)
}

func (s *zarrStore) addGroups(d *Draws) {
	names := arrayNames(d.Names, "chain", "draw", "rung")
	s.addPosterior("posterior", d, names, d.Chains)
	if d.Warmup != nil {
		s.addPosterior("warmup_posterior", d, names, d.Warmup)
	}
	s.addStats("sample_stats", d, d.Chains)
	if d.Warmup != nil {
		s.addStats("warmup_sample_stats", d, d.Warmup)
	}
	if len(d.Chains[0].X) > 1 {
		s.addTempered(d, names)
	}
	if len(d.Observed) > 0 {
		s.addObserved(d)
	}
}

func (s *zarrStore) group(name string, d *Draws, a zarrAttributes) {
	a.Library, a.Version, a.Model = library, d.Version, d.Model
	s.put(name+"/.zgroup", zarrGroup{2})
	s.put(name+"/.zattrs", a)
}

func (s *zarrStore) addPosterior(group string, d *Draws, names []string, chains []Chain) {
	s.group(group, d, zarrAttributes{Parameters: names, BurnIn: &d.BurnIn, Thin: max(1, d.Thin),
		Seed: fmt.Sprint(d.Seed), Tau: d.tau()})
	n := length(chains, len(names))
	s.coordinates(group, len(chains), 0, n)
	for j, name := range names {
		values := make([]float64, 0, len(chains)*n)
		for _, c := range chains {
			values = append(values, c.parameter(0, j, len(names))...)
		}
		s.floats(group+"/"+name, longName(d.Names[j], name), []string{"chain", "draw"}, []int{len(chains), n}, values)
	}
}

func (s *zarrStore) addStats(group string, d *Draws, chains []Chain) {
	stats := make([][]Column, len(chains))
	for i, c := range chains {
		stats[i] = d.stats(c)
	}
	first := stats[0]
	if len(first) == 0 {
		return
	}
	s.group(group, d, zarrAttributes{})
	n := length(chains, len(d.Names))
	s.coordinates(group, len(chains), 0, n)
	given := make([]string, len(first))
	for i, c := range first {
		given[i] = c.Name
	}
	names := arrayNames(given, "chain", "draw")
	for i, name := range names {
		values := make([]float64, 0, len(chains)*n)
		for _, cols := range stats {
			values = append(values, cols[i].Values...)
		}
		s.floats(group+"/"+name, longName(given[i], name), []string{"chain", "draw"}, []int{len(chains), n}, values)
	}
}

func (s *zarrStore) addTempered(d *Draws, names []string) {
	hot, n := len(d.Chains[0].X)-1, d.N()
	dims, shape := []string{"chain", "rung", "draw"}, []int{len(d.Chains), hot, n}
	s.group("tempered", d, zarrAttributes{Parameters: names})
	s.coordinates("tempered", len(d.Chains), hot, n)
	for j, name := range names {
		values := make([]float64, 0, len(d.Chains)*hot*n)
		for _, c := range d.Chains {
			for r := range hot {
				values = append(values, c.parameter(r+1, j, len(names))...)
			}
		}
		s.floats("tempered/"+name, longName(d.Names[j], name), dims, shape, values)
	}
	withEnergy, withTau := len(d.Chains[0].Energy) == hot+1, len(d.Temperature) == hot+1
	if !withEnergy && !withTau {
		return
	}
	s.group("tempered_stats", d, zarrAttributes{})
	s.coordinates("tempered_stats", len(d.Chains), hot, n)
	if withTau {
		s.floats("tempered_stats/temperature", "", []string{"rung"}, []int{hot}, d.Temperature[1:])
	}
	if withEnergy {
		values := make([]float64, 0, len(d.Chains)*hot*n)
		for _, c := range d.Chains {
			for _, u := range c.Energy[1:] {
				values = append(values, u...)
			}
		}
		s.floats("tempered_stats/energy", "", dims, shape, values)
	}
}

func (s *zarrStore) addObserved(d *Draws) {
	s.group("observed_data", d, zarrAttributes{})
	given := make([]string, len(d.Observed))
	for i, a := range d.Observed {
		given[i] = a.Name
	}
	for i, name := range arrayNames(given) {
		a := d.Observed[i]
		s.floats("observed_data/"+name, longName(a.Name, name), a.Dims, a.Shape, a.Values)
	}
}

func longName(name, safe string) string {
	if name == safe {
		return ""
	}
	return name
}

// coordinates numbers chains and draws from 0 as ArviZ does, and the hot rungs
// from 2: rung 1 is the cold one.
func (s *zarrStore) coordinates(group string, chains, hot, n int) {
	s.ints(group+"/chain", "chain", 0, chains)
	if hot > 0 {
		s.ints(group+"/rung", "rung", 2, hot)
	}
	s.ints(group+"/draw", "draw", 0, n)
}

func (s *zarrStore) ints(path, dim string, from, n int) {
	s.array(path, zarrAttributes{Dims: []string{dim}}, zarrArray{Dtype: "<i8", Shape: []int{n}}, 8*n, func(i int) uint64 {
		return uint64(from + i)
	})
}

func (s *zarrStore) floats(path, long string, dims []string, shape []int, values []float64) {
	s.array(path, zarrAttributes{Dims: dims, LongName: long}, zarrArray{Dtype: "<f8", Fill: "NaN", Shape: shape}, 8*len(values), func(i int) uint64 {
		return math.Float64bits(values[i])
	})
}

// array adds an array of 64-bit numbers, in one chunk or in one for each row
// of the last dimension.
func (s *zarrStore) array(path string, attrs zarrAttributes, a zarrArray, bytes int, bits func(int) uint64) {
	a.Chunks = slices.Clone(a.Shape)
	whole := bytes <= chunkBytes || len(a.Shape) < 2
	for i := range a.Chunks {
		if !whole && i < len(a.Chunks)-1 {
			a.Chunks[i] = 1
		}
		a.Chunks[i] = max(1, a.Chunks[i])
	}
	a.Order, a.Format = "C", 2
	s.put(path+"/.zarray", a)
	s.put(path+"/.zattrs", attrs)
	size := 8
	for _, c := range a.Chunks {
		size *= c
	}
	at := make([]int, len(a.Shape))
	for start := 0; start < bytes; start += size {
		data := make([]byte, 0, size)
		for i := range size / 8 {
			data = binary.LittleEndian.AppendUint64(data, bits(start/8+i))
		}
		s.entries = append(s.entries, entry{path + "/" + joinChunk(at), data})
		for i := len(at) - 2; i >= 0; i-- { // the next row
			if at[i]++; at[i] < a.Shape[i]/a.Chunks[i] {
				break
			}
			at[i] = 0
		}
	}
}

// joinChunk is the name of a chunk; that of a number without dimensions is 0.
func joinChunk(at []int) string {
	if len(at) == 0 {
		return "0"
	}
	return joinInts(at, ".")
}
