package weights

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/bnn"
	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

// theirs was written by safetensors.numpy.save of the package safetensors 0.8.0:
// fc.bias = float32 (0.5, −2), fc.weight = float32 ((1, 2, 3), (4, 5, 6.25)), wide =
// float64 (0.1), none = float32 of shape (0, 2), metadata format = pt.
const theirs = "18010000000000007b225f5f6d657461646174615f5f223a7b22666f726d6174223a227074227d2c2277696465223a7b226474797065223a22463634222c227368617065223a5b315d2c22646174615f6f666673657473223a5b302c385d7d2c2266632e62696173223a7b226474797065223a22463332222c227368617065223a5b325d2c22646174615f6f666673657473223a5b382c31365d7d2c2266632e776569676874223a7b226474797065223a22463332222c227368617065223a5b322c335d2c22646174615f6f666673657473223a5b31362c34305d7d2c226e6f6e65223a7b226474797065223a22463332222c227368617065223a5b302c325d2c22646174615f6f666673657473223a5b34302c34305d7d7d202020202020209a9999999999b93f0000003f000000c00000803f0000004000004040000080400000a0400000c840"

// decode reads what Encode writes, and files of others that are alike.
func decode(t interface {
	Helper()
	Fatal(...any)
}, b []byte) *File {
	t.Helper()
	size := 8 + binary.LittleEndian.Uint64(b)
	header := map[string]json.RawMessage{}
	if err := json.Unmarshal(b[8:size], &header); err != nil {
		t.Fatal(err)
	}
	f, data, entries := &File{}, b[size:], map[string]entry{}
	for name, text := range header {
		var e entry
		to := any(&e)
		if name == metadataKey {
			to = &f.Metadata
		}
		if err := json.Unmarshal(text, to); err != nil {
			t.Fatal(err)
		}
		if name != metadataKey {
			entries[name] = e
		}
	}
	names, end := slices.Collect(maps.Keys(entries)), 0
	slices.SortFunc(names, func(a, b string) int {
		x, y := entries[a].Offsets, entries[b].Offsets
		return cmp.Or(slices.Compare(x[:], y[:]), strings.Compare(a, b))
	})
	for _, name := range names {
		e := entries[name]
		x := Tensor{Name: name, Shape: e.Shape, Values: []float64{}}
		if e.Offsets[0] != end {
			t.Fatal(name, "starts at", e.Offsets[0], "instead of", end)
		}
		for end < e.Offsets[1] {
			if e.Type == "F32" {
				x.Values = append(x.Values, float64(math.Float32frombits(binary.LittleEndian.Uint32(data[end:]))))
				end += 4
			} else {
				x.Values = append(x.Values, math.Float64frombits(binary.LittleEndian.Uint64(data[end:])))
				end += 8
			}
		}
		f.Tensors = append(f.Tensors, x)
	}
	if end != len(data) {
		t.Fatal("tensors end at", end, "of", len(data))
	}
	return f
}

// Two programs mean the same by a file: what the other wrote is read as it was, and what
// is read so is what Encode was given.
func TestTheirs(t *testing.T) {
	b, err := hex.DecodeString(theirs)
	if err != nil {
		t.Fatal(err)
	}
	f := decode(t, b)
	want := &File{Metadata: map[string]string{"format": "pt"}, Tensors: []Tensor{
		{"wide", []int{1}, []float64{0.1}},
		{"fc.bias", []int{2}, []float64{0.5, -2}},
		{"fc.weight", []int{2, 3}, []float64{1, 2, 3, 4, 5, 6.25}},
		{"none", []int{0, 2}, []float64{}},
	}}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("%+v, want %+v", f, want)
	}
}

// Without the one tensor that needs 64 bits, our bytes are laid out as theirs are.
func TestBytes(t *testing.T) {
	f := &File{Metadata: map[string]string{"b": "2", "a": "<1>"}, Tensors: []Tensor{
		{"fc.bias", []int{2}, []float64{0.5, -2}},
		{"one", nil, []float64{3}},
	}}
	b, err := Encode(f)
	if err != nil {
		t.Fatal(err)
	}
	header := `{"__metadata__":{"a":"\u003c1\u003e","b":"2"},"fc.bias":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"one":{"dtype":"F32","shape":[],"data_offsets":[8,12]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	want := string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header + "\x00\x00\x00\x3f\x00\x00\x00\xc0\x00\x00\x40\x40"
	if string(b) != want {
		t.Errorf("%q, want %q", b, want)
	}
}

// What is encoded is decoded, to the bit; equal files give equal bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		narrow := rapid.Bool().Draw(t, "narrow")
		f := &File{Metadata: rapid.MapOfN(rapid.String(), rapid.String(), 1, 3).Draw(t, "metadata")}
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z.é"<]{1,6}`), 0, 5, rapid.ID).Draw(t, "names") {
			shape := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 3).Draw(t, "shape")
			n, _ := product(append([]int{}, shape...), 27)
			values := make([]float64, n)
			for i := range values {
				values[i] = rapid.Float64().Draw(t, "value")
				if narrow {
					values[i] = float64(rapid.Float32().Draw(t, "value"))
				}
			}
			f.Tensors = append(f.Tensors, Tensor{name, shape, values})
		}
		a, err := Encode(f)
		if err != nil {
			t.Fatal(err)
		}
		g := decode(t, a)
		b, err := Encode(g)
		if err != nil {
			t.Fatal(err)
		}
		same := reflect.DeepEqual(g.Metadata, f.Metadata) && len(g.Tensors) == len(f.Tensors)
		byName := map[string]Tensor{} // empty ones may change places
		for _, x := range g.Tensors {
			byName[x.Name] = x
		}
		for _, x := range f.Tensors {
			y, ok := byName[x.Name]
			same = same && ok && len(x.Values) == len(y.Values) && len(x.Shape) == len(y.Shape)
			for j := 0; same && j < len(x.Values); j++ {
				same = math.Float64bits(x.Values[j]) == math.Float64bits(y.Values[j])
			}
		}
		if !same || len(a) != len(b) {
			t.Errorf("%+v became %+v", f, g)
		}
	})
}

func TestRefused(t *testing.T) {
	for _, tensors := range [][]Tensor{
		{{"a", []int{2}, []float64{1}}},
		{{"a", []int{-1, -1}, []float64{1}}},
		{{"a", nil, []float64{1}}, {"a", nil, []float64{1}}},
		{{metadataKey, nil, []float64{1}}},
	} {
		if _, err := Encode(&File{Tensors: tensors}); err == nil {
			t.Errorf("%v was encoded", tensors)
		}
	}
}

// layout is that of a linear map with a normalisation.
func layout() bnn.Layout {
	return bnn.Layout{
		Parameters: []bnn.Tensor{
			{Name: "fc.weight", Role: bnn.Weight, Shape: []int{2, 3}, Size: 6},
			{Name: "fc.bias", Role: bnn.Bias, Shape: []int{2}, Offset: 6, Size: 2},
		},
		Buffers: []bnn.Tensor{{Name: "bn.running_mean", Shape: []int{2}, Size: 2}},
	}
}

func TestDraw(t *testing.T) {
	l, parameters, buffers := layout(), []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{0.1, 0.2}
	metadata, err := Describe(bnn.Network{Kind: "resnet20", Norm: "batch", Input: [3]int{1, 28, 28}, Outputs: 10},
		[]float64{0.25}, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Draw(l, parameters, buffers, metadata)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Encode(f)
	if err != nil {
		t.Fatal(err)
	}
	g := decode(t, b)
	if g.Metadata["input"] != "[1,28,28]" || g.Metadata["outputs"] != "10" || g.Metadata["mean"] != "[0.25]" {
		t.Error(g.Metadata)
	}
	want := []Tensor{
		{"fc.weight", []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}}, {"fc.bias", []int{2}, []float64{7, 8}},
		{"bn.running_mean", []int{2}, []float64{0.1, 0.2}},
	}
	if !reflect.DeepEqual(g.Tensors, want) {
		t.Errorf("%v, want %v", g.Tensors, want)
	}
	if _, err := Draw(l, parameters[:7], buffers, nil); err == nil {
		t.Error("a draw of 7 parameters for 8")
	}
}
