// Package parquet reads a Parquet file as the comma-separated values that it stands for.
package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

const magic = "PAR1"

// Is reports whether r holds a Parquet file.
func Is(r io.ReaderAt) bool {
	head := make([]byte, len(magic))
	n, _ := r.ReadAt(head, 0)
	return string(head[:n]) == magic
}

// A Table is the columns of numbers and text of a file: neither lists, nor structs, nor times of type INT96.
type Table struct {
	file    *parquet.File
	columns map[int]column // by index in the file
	names   []string
}

// A column appends a value, of those that are there, as text.
type column func(to []byte, v parquet.Value) []byte

// Open finds the columns of the file in r, so many bytes. Dates are days, and times seconds, since 1970.
func Open(r io.ReaderAt, size int64) (t *Table, err error) {
	defer damaged(&err)
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	t = &Table{file: file, columns: map[int]column{}}
	for _, c := range file.Root().Columns() {
		if !c.Leaf() || c.Repeated() {
			continue
		}
		if write := writer(c); write != nil {
			t.columns[c.Index()], t.names = write, append(t.names, c.Name())
		}
	}
	if len(t.columns) == 0 {
		return nil, errors.New("the Parquet file has no columns of numbers or text")
	}
	return t, nil
}

// damaged makes an error of what the library says of a file that is damaged, which may be a panic.
func damaged(err *error) {
	why := recover()
	if why == nil {
		why = *err
	}
	if why != nil && *err != io.EOF {
		*err = fmt.Errorf("the file begins as a Parquet file does, and is damaged: %v", why)
	}
}

// Rows is how many there are.
func (t *Table) Rows() int { return int(t.file.NumRows()) }

// writer writes values of a column; nil of a type that is neither number nor text.
func writer(c *parquet.Column) column {
	scale, signed := 1.0, true
	if l := c.Type().LogicalType(); l != nil {
		switch of := l.Value.(type) {
		case *format.DecimalType:
			scale = math.Pow10(int(of.Scale))
		case *format.TimestampType:
			scale = perSecond(of.Unit)
		case *format.IntType:
			signed = of.IsSigned
		}
	}
	whole := func(to []byte, v int64, u uint64) []byte {
		switch {
		case !signed:
			return strconv.AppendUint(to, u, 10)
		case scale == 1:
			return strconv.AppendInt(to, v, 10)
		}
		return strconv.AppendFloat(to, float64(v)/scale, 'g', -1, 64)
	}
	switch c.Type().Kind() {
	case parquet.Boolean:
		return func(to []byte, v parquet.Value) []byte {
			if v.Boolean() {
				return append(to, '1')
			}
			return append(to, '0')
		}
	case parquet.Int32:
		return func(to []byte, v parquet.Value) []byte { return whole(to, int64(v.Int32()), uint64(v.Uint32())) }
	case parquet.Int64:
		return func(to []byte, v parquet.Value) []byte { return whole(to, v.Int64(), v.Uint64()) }
	case parquet.Float:
		return func(to []byte, v parquet.Value) []byte { return number(to, float64(v.Float()), 32) }
	case parquet.Double:
		return func(to []byte, v parquet.Value) []byte { return number(to, v.Double(), 64) }
	case parquet.ByteArray:
		if scale == 1 { // else a decimal number in bytes
			return func(to []byte, v parquet.Value) []byte { return quoted(to, string(v.ByteArray())) }
		}
	}
	return nil
}

// perSecond is how many units are a second.
func perSecond(unit format.TimeUnit) float64 {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return 1e3
	case *format.MicroSeconds:
		return 1e6
	}
	return 1e9
}

// number is empty where there is none.
func number(to []byte, v float64, bits int) []byte {
	if math.IsNaN(v) {
		return to
	}
	return strconv.AppendFloat(to, v, 'g', -1, bits)
}

// quoted writes text, in quotes where it needs them.
func quoted(to []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, "\",\r\n") && s == strings.TrimSpace(s) {
		return append(to, s...)
	}
	return append(append(append(to, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}

// Text is the table as text: a line of names, then one of each row.
func (t *Table) Text() io.Reader {
	r := &reader{table: t, groups: t.file.RowGroups(), buffer: make([]parquet.Row, 512)}
	for i, name := range t.names {
		if i > 0 {
			r.text = append(r.text, ',')
		}
		r.text = quoted(r.text, name)
	}
	r.text = append(r.text, '\n')
	return r
}

// A reader writes some rows at a time.
type reader struct {
	table  *Table
	groups []parquet.RowGroup // that follow
	rows   parquet.Rows       // of the one being read; nil before it
	buffer []parquet.Row
	text   []byte // not read yet
	room   []byte
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		if err := r.more(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// more writes the next rows.
func (r *reader) more() (err error) {
	defer damaged(&err)
	if r.rows == nil {
		if len(r.groups) == 0 {
			return io.EOF
		}
		r.rows, r.groups = r.groups[0].Rows(), r.groups[1:]
	}
	n, err := r.rows.ReadRows(r.buffer)
	r.text = r.room[:0]
	for _, row := range r.buffer[:n] {
		for _, v := range row {
			write := r.table.columns[v.Column()]
			if write == nil {
				continue
			}
			if !v.IsNull() {
				r.text = write(r.text, v)
			}
			r.text = append(r.text, ',')
		}
		r.text[len(r.text)-1] = '\n'
	}
	r.room = r.text
	if errors.Is(err, io.EOF) {
		err, r.rows = r.rows.Close(), nil
	}
	return err
}
