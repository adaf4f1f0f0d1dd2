package images

import (
	"archive/zip"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func words(v ...int64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

func floats(v ...float32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func TestNPZ(t *testing.T) {
	dir := t.TempDir()
	labels := npy("<i8", "(2,)", words(0, 1))
	last := count(36) // 2 × 3 × 2 × 3: channels last
	first := make([]byte, 36)
	for i, v := range last {
		n, p, c := i/18, i/3%6, i%3
		first[n*18+c*6+p] = v
	}
	put(t, dir, "train.npz", npz(t, zip.Deflate, map[string][]byte{"x": npy("|u1", "(2, 3, 2, 3)", last), "y": labels}))
	refused(t, NPZ, dir, "cannot be told")
	wide := slices.Concat(last, last)[:48] // 2 × 2 × 4 × 3
	put(t, dir, "train.npz", npz(t, zip.Deflate, map[string][]byte{"x": npy("|u1", "(2, 2, 4, 3)", wide), "y": labels}))
	put(t, dir, "test.npz", npz(t, zip.Store,
		map[string][]byte{"images": npy("|u1", "(2, 3, 2, 4)", wide), "labels": npy("|u1", "(2, 1)", []byte{1, 0})}))
	train, test, err := Load(NPZ, dir)
	if err != nil {
		t.Fatal(err)
	}
	if train.shape() != [3]int{3, 2, 4} || !strings.Contains(train.Name, "N×H×W×C") || train.Pixels[1] != 3 || train.Pixels[8] != 1 ||
		train.Pixels[24+16] != 26 {
		t.Errorf("%+v", train)
	}
	if !slices.Equal(test.Pixels, wide) || !strings.Contains(test.Name, "N×C×H×W") || !slices.Equal(test.Labels, []int32{1, 0}) ||
		test.Classes != 2 {
		t.Errorf("%+v", test)
	}
	if got := planes(last, 3, 6); !slices.Equal(got, first) {
		t.Error(got)
	}
}

func TestNPZOfOneFile(t *testing.T) {
	dir := t.TempDir()
	x, y := npy("<f4", "(2, 3)", floats(1, 2, 3, 4, 5, 6)), npy("|b1", "(2,)", []byte{0, 1})
	path := put(t, dir, "small.npz", npz(t, zip.Deflate, map[string][]byte{"x_train": x, "y_train": y, "test_x": x, "test_labels": y}))
	for _, p := range []string{dir, path} {
		train, test, err := Load(NPZ, p)
		if err != nil {
			t.Fatal(err)
		}
		if train.shape() != [3]int{1, 1, 3} || train.Values[5] != 6 || train.Len() != 2 || test.Len() != 2 || train.Classes != 2 {
			t.Errorf("%+v", train)
		}
	}
	targets := npy("<f8", "(2, 1)", words(int64(math.Float64bits(0.5)), int64(math.Float64bits(-2))))
	put(t, dir, "small.npz", npz(t, zip.Deflate, map[string][]byte{"x": x, "y": targets}))
	train, test, err := Load(NPZ, dir)
	if err != nil {
		t.Fatal(err)
	}
	if test != nil || !slices.Equal(train.Targets, []float32{0.5, -2}) || train.Labels != nil || train.Classes != 0 {
		t.Errorf("%+v", train)
	}
}

func TestNPZRefused(t *testing.T) {
	x, y := npy("|u1", "(2, 2, 2)", count(8)), npy("<i8", "(2,)", words(0, 1))
	version3 := slices.Clone(x)
	version3[6] = 3
	for _, c := range []struct {
		x, y []byte
		want string
	}{
		{npy("<f8", "(2, 2, 2)", count(8)), y, "of 8-byte numbers, 8 bytes of data"},
		{npy("|u1", "(2, 2, 2)", count(9)), y, "needs 8 bytes of data, found 9"},
		{npy("|u1", "(2, 2, 2)", count(7)), y, "cut short"},
		{npy("|u1", "(2, 2147483647, 2147483647)", count(8)), y, "cut short"},
		{npy("|u1", "(0, 2, 2)", nil), y, "empty"},
		{npy("|u1", "(2, 99999999999999, 1)", count(8)), y, "shape"},
		{npy("|O", "(2, 2, 2)", count(8)), y, `type "|O"`},
		{npy("<i8", "(2, 2)", words(1, 2, 3, 4)), y, "pixels must be uint8"},
		{npy("<f4", "(2, 1)", floats(1, float32(math.NaN()))), y, "element 1 is NaN"},
		{npy("|u1", "()", count(1)), y, "single number"},
		{npy("|u1", "(2, 2, 2, 1, 1)", count(8)), y, "were expected"},
		{[]byte("no array"), y, "array x: cut short"},
		{[]byte("no array at all"), y, "no array of NumPy"},
		{version3, y, "array x"},
		{x, npy("<i8", "(3,)", words(0, 1, 2)), "has 2 rows"},
		{x, npy("<i8", "(2,)", words(-1, 1)), "label -1 of example 1"},
		{x, npy("<i8", "(2, 2)", words(0, 1, 0, 1)), "N or N×1"},
		{x, nil, "no array y or labels: it has x"},
	} {
		arrays := map[string][]byte{"x": c.x, "y": c.y}
		if c.y == nil {
			delete(arrays, "y")
		}
		refused(t, NPZ, put(t, t.TempDir(), "a.npz", npz(t, zip.Deflate, arrays)), c.want)
	}
	dir := t.TempDir()
	refused(t, NPZ, dir, "no .npz file")
	put(t, dir, "train_32x32.mat", nil)
	refused(t, NPZ, dir, "scipy.io.loadmat")
	b := npz(t, zip.Deflate, map[string][]byte{"x": x, "y": y})
	path := put(t, dir, "a.npz", b[:len(b)-5])
	refused(t, NPZ, path, "cut short")
	put(t, dir, "b.npz", b)
	refused(t, NPZ, dir, "which of these")
	refused(t, NPZ, filepath.Join(dir, "c.npz"), "train.npz and test.npz")
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}

// Whatever an archive holds, reading ends in an error or in sets whose sizes agree.
func FuzzArray(f *testing.F) {
	f.Add(npy("|u1", "(2, 2, 2)", count(8)))
	f.Add(npy("<f4", "(1, 2)", floats(1, 2)))
	f.Add([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		y := npy("|u1", "(2,)", []byte{0, 1})
		s, _, err := Load(NPZ, put(t, t.TempDir(), "a.npz", npz(t, zip.Store, map[string][]byte{"x": b, "y": y})))
		if err == nil && (s.Len() != len(s.Labels) || s.Channels*s.Height*s.Width*s.Len() != len(s.Pixels)+len(s.Values)) {
			t.Errorf("%+v", s)
		}
	})
}

// Likewise for IDX.
func FuzzIDX(f *testing.F) {
	f.Add(idx(count(36), 6, 2, 3))
	f.Add([]byte{0x1f, 0x8b, 8})
	f.Fuzz(func(t *testing.T, b []byte) {
		shape, data, err := readTensor(put(t, t.TempDir(), "a", b), 3)
		if err == nil && shape[0]*shape[1]*shape[2] != len(data) {
			t.Errorf("%v with %d bytes", shape, len(data))
		}
	})
}
