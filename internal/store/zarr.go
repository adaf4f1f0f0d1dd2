package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

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

	whole bool // no chunk may be missing
	from  *original
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

func (z *zarrStore) addGroups(s *Writer) {
	z.addPosterior(s)
	z.addStats(s)
	if s.layout.hot > 0 {
		z.addTempered(s)
	}
	for i := range s.run.Groups {
		z.add(s.run, &s.run.Groups[i])
	}
}

func (z *zarrStore) group(name string, r *Run, a zarrAttributes) {
	a.Library, a.Version, a.Model = library, r.Version, r.Model
	z.put(name+"/.zgroup", zarrGroup{2})
	z.put(name+"/.zattrs", a)
}

func (z *zarrStore) addPosterior(s *Writer) {
	r := s.run
	z.group("posterior", r, zarrAttributes{Parameters: s.layout.names, BurnIn: &r.BurnIn, Thin: max(1, r.Thin),
		Seed: fmt.Sprint(r.Seed), Tau: r.tau()})
	z.coordinates("posterior", s, 0)
	for j, name := range s.layout.names {
		z.cold("posterior", s, name, r.Names[j])
	}
}

func (z *zarrStore) addStats(s *Writer) {
	z.group("sample_stats", s.run, zarrAttributes{})
	z.coordinates("sample_stats", s, 0)
	for _, name := range statistics {
		z.cold("sample_stats", s, name, name)
	}
}

func (z *zarrStore) addTempered(s *Writer) {
	r, l := s.run, s.layout
	z.group("tempered", r, zarrAttributes{Parameters: l.names})
	z.coordinates("tempered", s, l.hot)
	for j, name := range l.names {
		z.every("tempered", s, name, r.Names[j])
	}
	z.group("tempered_stats", r, zarrAttributes{})
	z.coordinates("tempered_stats", s, l.hot)
	z.array("tempered_stats/temperature", zarrAttributes{Dims: []string{"rung"}}, zarrArray{Dtype: "<f8", Fill: "NaN", Shape: []int{l.hot}},
		func(i int) uint64 { return math.Float64bits(r.Temperature[1+i]) })
	z.every("tempered_stats", s, "energy", "energy")
}

// add adds a group.
func (z *zarrStore) add(r *Run, g *Group) {
	z.group(g.Name, r, zarrAttributes{})
	given := make([]string, len(g.Arrays))
	for i, a := range g.Arrays {
		given[i] = a.Name
	}
	for i, name := range arrayNames(given) {
		a := g.Arrays[i]
		at := zarrArray{Dtype: "<f8", Fill: "NaN", Shape: a.Shape}
		bits := func(i int) uint64 { return math.Float64bits(a.Values[i]) }
		if a.Whole {
			at.Dtype, at.Fill = "<i8", nil
			bits = func(i int) uint64 { return uint64(int64(a.Values[i])) }
		}
		z.array(g.Name+"/"+name, zarrAttributes{Dims: a.Dims, LongName: longName(a.Name, name)}, at, bits)
	}
}

func longName(name, safe string) string {
	if name == safe {
		return ""
	}
	return name
}

// cold describes an array of draws of the cold rung.
func (z *zarrStore) cold(group string, s *Writer, name, given string) {
	l := s.layout
	z.describe(group+"/"+name, zarrAttributes{Dims: []string{"chain", "draw"}, LongName: longName(given, name)},
		zarrArray{Dtype: "<f8", Fill: "NaN", Shape: []int{l.chains, s.draws()}, Chunks: []int{1, l.chunk}})
}

// every describes an array of draws of the hot rungs.
func (z *zarrStore) every(group string, s *Writer, name, given string) {
	l := s.layout
	z.describe(group+"/"+name, zarrAttributes{Dims: []string{"chain", "rung", "draw"}, LongName: longName(given, name)},
		zarrArray{Dtype: "<f8", Fill: "NaN", Shape: []int{l.chains, l.hot, s.draws()}, Chunks: []int{1, l.hot, l.chunk}})
}

// coordinates numbers chains and draws from 0 as ArviZ does, and the hot rungs
// from 2: rung 1 is the cold one.
func (z *zarrStore) coordinates(group string, s *Writer, hot int) {
	z.ints(group+"/chain", "chain", 0, s.layout.chains)
	if hot > 0 {
		z.ints(group+"/rung", "rung", 2, hot)
	}
	z.ints(group+"/draw", "draw", 0, s.draws())
}

func (z *zarrStore) ints(path, dim string, from, n int) {
	z.array(path, zarrAttributes{Dims: []string{dim}}, zarrArray{Dtype: "<i8", Shape: []int{n}}, func(i int) uint64 {
		return uint64(from + i)
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
