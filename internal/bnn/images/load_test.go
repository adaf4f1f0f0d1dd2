package images

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fashion is where Debian's package dataset-fashion-mnist puts its files.
const fashion = "/usr/share/datasets/fashion-mnist"

// The test set alone: ExampleLoad reads both, and the published moments 0.2860 and
// 0.3530 there kill division by 256.
func TestFashion(t *testing.T) {
	test, err := readIDX(fashion, "test", "t10k")
	if err != nil {
		t.Fatal(err)
	}
	if test.Len() != 10000 || test.shape() != [3]int{1, 28, 28} {
		t.Fatal(test.Len(), test.shape())
	}
	counts := make([]int, 10)
	for _, l := range test.Labels {
		counts[l]++
	}
	if slices.Min(counts) != 1000 || slices.Max(counts) != 1000 {
		t.Error("examples of the classes:", counts)
	}
}

// put writes a file into a folder and returns its path.
func put(t testing.TB, folder, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// idx is an IDX file of bytes.
func idx(data []byte, shape ...int) []byte {
	b := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return append(b, data...)
}

func zipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var w bytes.Buffer
	z := gzip.NewWriter(&w)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// count is 0, 1, … n − 1 mod 251: no row is like another.
func count(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// smallIDX writes a data set of 6 and 4 pictures of 2 × 3 pixels.
func smallIDX(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "train-images-idx3-ubyte", idx(count(36), 6, 2, 3))
	put(t, dir, "train-labels-idx1-ubyte.gz", zipped(t, idx([]byte{0, 1, 2, 0, 1, 2}, 6)))
	put(t, dir, "t10k-images-idx3-ubyte.gz", zipped(t, idx(count(24), 4, 2, 3)))
	put(t, dir, "t10k-labels.idx1-ubyte", idx([]byte{2, 1, 0, 1}, 4))
	return dir
}

func TestIDX(t *testing.T) {
	train, test, err := Load(IDX, smallIDX(t))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(train.Pixels, count(36)) || !slices.Equal(test.Labels, []int32{2, 1, 0, 1}) || test.Classes != 3 ||
		train.shape() != [3]int{1, 2, 3} {
		t.Errorf("%+v, %+v", train, test)
	}
}

func TestIDXRefused(t *testing.T) {
	long := zipped(t, idx(count(24), 4, 2, 3))
	flipped := slices.Clone(long)
	flipped[len(flipped)-6] ^= 1 // of the checksum
	for _, c := range []struct {
		name, file string
		b          []byte
		want       string
	}{
		{"foreign", "train-images-idx3-ubyte", []byte("a file of another kind, long enough"),
			"starts with 0x61206669, an IDX file of bytes in 3 dimensions with 0x00000803"},
		{"labels for pictures", "train-images-idx3-ubyte", idx(count(36), 36), "starts with 0x00000801"},
		{"short", "train-images-idx3-ubyte", idx(count(35), 6, 2, 3), "cut short"},
		{"long", "train-images-idx3-ubyte", idx(count(37), 6, 2, 3), "found more"},
		{"huge", "train-images-idx3-ubyte", idx(count(36), 1<<31, 1<<20, 3), "cut short"},
		{"huger", "train-images-idx3-ubyte", idx(count(36), 1<<31, 1<<31, 1<<31), "dimension 2"},
		{"empty", "train-images-idx3-ubyte", nil, "cut short"},
		{"no pictures", "train-images-idx3-ubyte", idx(nil, 0, 2, 3), "dimension 1"},
		{"truncated gzip", "t10k-images-idx3-ubyte.gz", long[:len(long)-9], "cut short"},
		{"half gzip", "t10k-images-idx3-ubyte.gz", long[:8], "cut short"},
		{"checksum", "t10k-images-idx3-ubyte.gz", flipped, "damaged"},
		{"huge gzip", "t10k-images-idx3-ubyte.gz", zipped(t, idx(nil, 1<<20, 1<<10, 1<<10)), "cannot have more than"},
		{"gzip shorter than its header", "t10k-images-idx3-ubyte.gz", zipped(t, idx(count(23), 4, 2, 3)), "found 39"},
		{"another count", "t10k-labels.idx1-ubyte", idx([]byte{1, 2}, 2), "has 2 labels"},
		{"label", "t10k-labels.idx1-ubyte", idx([]byte{2, 1, 3, 1}, 4), "label 3 of example 3: those of 3 classes are 0 … 2"},
		{"gap", "train-labels-idx1-ubyte.gz", zipped(t, idx([]byte{0, 1, 9, 0, 1, 2}, 6)), "class 3 has no example"},
		{"one class", "train-labels-idx1-ubyte.gz", zipped(t, idx(make([]byte, 6), 6)), "all 6 labels are the same"},
		{"another shape", "t10k-images-idx3-ubyte.gz", zipped(t, idx(count(24), 4, 3, 2)), "of one shape"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := smallIDX(t)
			put(t, dir, c.file, c.b)
			refused(t, IDX, dir, c.want)
		})
	}
	dir := smallIDX(t)
	if err := os.Remove(filepath.Join(dir, "t10k-labels.idx1-ubyte")); err != nil {
		t.Fatal(err)
	}
	refused(t, IDX, dir, "dataset-fashion-mnist")
	refused(t, IDX, filepath.Join(dir, "absent"), "dataset-fashion-mnist")
	refused(t, CIFAR10, filepath.Join(dir, "absent"), "cs.toronto.edu/~kriz/cifar.html")
	refused(t, CIFAR100, dir, "cs.toronto.edu/~kriz/cifar.html")
	refused(t, IDX, filepath.Join(dir, "train-images-idx3-ubyte"), "is a file")
	refused(t, "mnist", dir, `of kind "mnist"`)
}

func refused(t *testing.T, kind Kind, folder, want string) {
	t.Helper()
	if _, _, err := Load(kind, folder); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want an error with %q", kind, err, want)
	}
}

// records are n records of CIFAR whose last label is i mod classes.
func records(n, labels, classes int) (b []byte) {
	for i := range n {
		b = append(b, make([]byte, labels-1)...)
		b = append(b, byte(i%classes))
		b = append(b, bytes.Repeat([]byte{byte(i), byte(i + 1), byte(i + 2)}, cifarPixels/3)...)
	}
	return b
}

func TestCIFAR(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		put(t, dir, fmt.Sprintf("cifar-10-batches-bin/data_batch_%d.bin", i+1), records(12, 1, 10))
	}
	put(t, dir, "cifar-10-batches-bin/test_batch.bin", records(11, 1, 10))
	names := "airplane automobile bird cat deer dog frog horse ship truck"
	put(t, dir, "cifar-10-batches-bin/batches.meta.txt", []byte(strings.ReplaceAll(names, " ", "\n")+"\n\n"))
	train, test, err := Load(CIFAR10, dir)
	if err != nil {
		t.Fatal(err)
	}
	if train.Len() != 60 || test.Len() != 11 || train.Classes != 10 || train.Names[9] != "truck" || test.Names[0] != "airplane" ||
		train.Labels[12+3] != 3 || train.Pixels[13*cifarPixels+1] != 2 || train.shape() != [3]int{3, 32, 32} {
		t.Error(train.Len(), test.Len(), train.Names, train.Labels)
	}
	put(t, dir, "cifar-10-batches-bin/batches.meta.txt", []byte("airplane\n"))
	refused(t, CIFAR10, dir, "has 1 names")
	put(t, dir, "cifar-10-batches-bin/data_batch_3.bin", records(12, 1, 11))
	refused(t, CIFAR10, dir, "data_batch_3.bin: label 10 of record 11: those of CIFAR-10 are 0 … 9")
	put(t, dir, "cifar-10-batches-bin/data_batch_3.bin", records(12, 1, 10)[1:])
	refused(t, CIFAR10, dir, "data_batch_3.bin: has 36875 bytes, no multiple of the 3073")

	put(t, dir, "train.bin", records(200, 2, 100))
	put(t, dir, "test.bin", records(100, 2, 100))
	train, _, err = Load(CIFAR100, dir) // as unpacked without its folder
	if err != nil {
		t.Fatal(err)
	}
	if train.Len() != 200 || train.Classes != 100 || train.Labels[199] != 99 || train.Pixels[cifarPixels] != 1 || train.Names != nil {
		t.Error(train.Len(), train.Labels)
	}
	put(t, dir, "test.bin", records(100, 2, 100)[:3074*100-1])
	refused(t, CIFAR100, dir, "multiple of the 3074")
}

func encoded(t testing.TB, m image.Image) []byte {
	t.Helper()
	var w bytes.Buffer
	if err := png.Encode(&w, m); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// grey and coloured are pictures of 3 × 2 pixels.
func grey(v byte) image.Image {
	m := image.NewGray(image.Rect(0, 0, 3, 2))
	for i := range m.Pix {
		m.Pix[i] = v + byte(i)
	}
	return m
}

func coloured() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	for i := range 6 {
		m.SetNRGBA(i%3, i/3, color.NRGBA{byte(i), 100, 200, 255})
	}
	return m
}

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "cat/1.png", encoded(t, grey(10)))
	put(t, dir, "cat/2.PNG", encoded(t, grey(20)))
	var w bytes.Buffer
	if err := jpeg.Encode(&w, image.NewGray(image.Rect(0, 0, 3, 2)), nil); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "dog/a.jpeg", w.Bytes())
	put(t, dir, "dog/readme.txt", []byte("no picture"))
	put(t, dir, ".hidden/x.png", nil)
	s, test, err := Load(Images, dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := []byte{10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 0, 0, 0, 0, 0, 0}; test != nil || !slices.Equal(s.Pixels, want) ||
		!slices.Equal(s.Labels, []int32{0, 0, 1}) || !slices.Equal(s.Names, []string{"cat", "dog"}) || s.Channels != 1 {
		t.Errorf("%+v", s)
	}
	put(t, dir, "dog/b.png", encoded(t, coloured()))
	if s, _, err = Load(Images, dir); err != nil {
		t.Fatal(err)
	}
	if want := []byte{0, 1, 2, 3, 4, 5, 100, 100, 100, 100, 100, 100, 200, 200, 200, 200, 200, 200}; s.Channels != 3 ||
		!slices.Equal(s.Pixels[3*18:], want) || !slices.Equal(s.Pixels[6:12], s.Pixels[:6]) {
		t.Errorf("%+v", s)
	}
	put(t, dir, "dog/c.png", encoded(t, image.NewGray(image.Rect(0, 0, 2, 3))))
	refused(t, Images, dir, "c.png is of 2 × 3 pixels")
	put(t, dir, "dog/c.png", encoded(t, grey(1))[:30])
	refused(t, Images, dir, "c.png: no PNG or JPEG picture")
	whole := encoded(t, grey(1))
	put(t, dir, "dog/c.png", whole[:len(whole)-20])
	refused(t, Images, dir, "c.png: damaged")
	binary.BigEndian.PutUint32(whole[16:], 1<<30) // the width, of which the checksum is not yet right
	put(t, dir, "cat/0.png", whole)
	refused(t, Images, dir, "0.png")
	put(t, dir, "eel/none.txt", nil)
	refused(t, Images, dir, "has no PNG or JPEG file")
	refused(t, Images, t.TempDir(), "a subfolder of PNG or JPEG files for each class")
}

func TestPicturesOfTwoSets(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "train/cat/1.png", encoded(t, grey(1)))
	put(t, dir, "train/dog/1.png", encoded(t, coloured()))
	put(t, dir, "test/cat/1.png", encoded(t, grey(3)))
	refused(t, Images, dir, "test/ [cat]")
	put(t, dir, "test/dog/1.png", encoded(t, grey(3)))
	_, test, err := Load(Images, dir)
	if err != nil {
		t.Fatal(err)
	}
	if test.Channels != 3 || test.Len() != 2 || test.Pixels[6] != 3 || test.Classes != 2 {
		t.Errorf("%+v", test)
	}
}

// npy is a file of one array as NumPy writes it.
func npy(kind string, shape string, data []byte) []byte {
	h := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	h += strings.Repeat(" ", 63-(len(h)+10)%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(h)), byte(len(h)>>8))
	return append(append(b, h...), data...)
}

// npz is an archive of arrays, packed or not.
func npz(t testing.TB, method uint16, arrays map[string][]byte) []byte {
	t.Helper()
	var w bytes.Buffer
	z := zip.NewWriter(&w)
	for _, name := range slices.Sorted(keys(arrays)) {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
		if err == nil {
			_, err = f.Write(arrays[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func keys(m map[string][]byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
