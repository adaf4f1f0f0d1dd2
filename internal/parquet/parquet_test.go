package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/parquet-go/parquet-go"
)

// types is what script/parquet-types writes, as text: lists, structs and decimal numbers in bytes are left out.
const types = `id,small,x,single,flag,site,kind,day,when,cents,last
1,1,0.1,0.1,1,A,u,1,1.5,7,4
2,255,,1.5,0,"B, the second",v,10957,,8,3
3,3,,,,,u,,1e+09,9,2
,4,-2.5e-300,3,1,"say ""C""",u,-1,0,10,1
`

// Files of another program, of two row groups and of one, are the text that they stand for, whatever is read at once.
func TestFilesOfPyArrow(t *testing.T) {
	for _, name := range []string{"testdata/types-snappy.parquet", "testdata/types-zstd.parquet"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := bytes.NewReader(data)
		if !Is(r) {
			t.Fatalf("%s is none", name)
		}
		table, err := Open(r, r.Size())
		if err != nil {
			t.Fatal(err)
		}
		if n := table.Rows(); n != 4 {
			t.Errorf("%s: %d rows", name, n)
		}
		for i, text := range []io.Reader{table.Text(), iotest.OneByteReader(table.Text())} {
			if got, err := io.ReadAll(text); string(got) != types || err != nil {
				t.Errorf("%s, reader %d: %v\n%s", name, i, err, got)
			}
		}
	}
}

// Many rows are those that were written.
func TestManyRows(t *testing.T) {
	type row struct {
		A int32   `parquet:"a"`
		B float64 `parquet:"b"`
		C string  `parquet:"c"`
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var want strings.Builder
	want.WriteString("a,b,c\n")
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.MaxRowsPerRowGroup(1000))
	for range 3500 {
		v := row{rng.Int32() - 1<<30, rng.NormFloat64(), string(rune('A' + rng.IntN(3)))}
		if _, err := w.Write([]row{v}); err != nil {
			t.Fatal(err)
		}
		want.Write(number(fmt.Appendf(nil, "%d,", v.A), v.B, 64))
		want.WriteString("," + v.C + "\n")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	table, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(table.Text()); string(got) != want.String() || err != nil {
		t.Errorf("%v, %d bytes of %d", err, len(got), want.Len())
	}
}

// What is cut short, damaged or without columns is told, and no text of another kind is taken for a table.
func TestBadFiles(t *testing.T) {
	whole, err := os.ReadFile("testdata/types-snappy.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if Is(strings.NewReader("PA")) || Is(strings.NewReader("x,PAR1\n")) {
		t.Error("text is taken for a table")
	}
	bad := [][]byte{append([]byte("PAR1"), whole[len(whole)/2:]...)}
	for n := range whole[:len(whole)-1] {
		bad = append(bad, whole[:n])
	}
	for _, data := range bad {
		table, err := Open(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			_, err = io.ReadAll(table.Text())
		}
		if err == nil {
			t.Errorf("%d bytes of a file are taken for one", len(data))
		}
	}
}
