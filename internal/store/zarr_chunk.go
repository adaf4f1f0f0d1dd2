package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

var errNoChunk = errors.New("none of its chunks is there")

// read reads all chunks, of dimension 1, the draws, every stride-th number. A
// chunk at the edge is stored whole; one of others that is not there holds the fill value.
func (m *zarrArray) read(path string, stride int) ([]float64, error) {
	if product(m.Shape) == 0 {
		return nil, nil
	}
	if !m.anyChunk(path) {
		return nil, errNoChunk
	}
	values := make([]float64, m.Shape[0]*(m.Shape[1]/stride)*product(m.Shape[2:]))
	fill := m.fill()
	for i := range values {
		values[i] = fill
	}
	at := make([]int, len(m.Shape)) // of the chunk
	for {
		drawn := min(m.Chunks[1], m.Shape[1]-at[1]*m.Chunks[1])
		there, err := m.readChunk(filepath.Join(path, m.chunkName(at)), drawn*m.width(),
			&placement{zarrArray: m, values: values, at: at, stride: stride})
		if err != nil {
			return nil, err
		}
		if !there && m.whole {
			return nil, fmt.Errorf("chunk %s is gone: put it back from a copy", m.chunkName(at))
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i]*m.Chunks[i] < m.Shape[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return values, nil
		}
	}
}

func (m *zarrArray) anyChunk(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name()[0] >= '0' && e.Name()[0] <= '9'
	})
}

func (m *zarrArray) fill() float64 {
	switch v := m.Fill.(type) {
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	case string:
		if x, err := strconv.ParseFloat(v, 64); err == nil {
			return x
		}
	}
	return math.NaN()
}

func (m *zarrArray) chunkName(at []int) string {
	if m.Separator == "/" && len(at) > 0 {
		return filepath.FromSlash(joinInts(at, "/"))
	}
	return joinChunk(at)
}

// readChunk has a chunk placed, of which at least so many bytes count, and reports whether it
// is there. What is compressed is never there whole.
func (m *zarrArray) readChunk(path string, least int, p *placement) (bool, error) {
	size := product(m.Chunks) * m.width()
	most := int64(size)
	if m.Compressor != nil {
		most += most/8 + 1024 // what cannot be compressed grows a little
	}
	data, err := m.from.read(path, most, int64(least))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var r io.Reader = bytes.NewReader(data)
	if m.Compressor == nil && len(data) != size {
		return false, fmt.Errorf("chunk %s has %d bytes instead of %d", filepath.Base(path), len(data), size)
	} else if m.Compressor != nil {
		r, err = inflate(m.Compressor.ID, r)
	}
	if err == nil {
		err = p.fill(r, size)
	}
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("chunk %s is cut short: it becomes less than %d bytes", filepath.Base(path), size)
	case err != nil:
		err = fmt.Errorf("chunk %s: %w", filepath.Base(path), err)
	}
	return true, err
}

func inflate(id string, r io.Reader) (io.Reader, error) {
	if id == "gzip" {
		return gzip.NewReader(r)
	}
	return zlib.NewReader(r)
}

// A placement copies numbers of a chunk to where they belong.
type placement struct {
	*zarrArray
	values []float64
	at     []int // of the chunk
	stride int   // of dimension 1

	in    *bufio.Reader
	ahead int // bytes to leave out before the next number
	word  []byte
}

// fill places what is read, which must be so many bytes.
func (p *placement) fill(r io.Reader, size int) error {
	p.in, p.word = bufio.NewReaderSize(r, 1<<16), make([]byte, p.width())
	if err := p.place(0, 0, size); err != nil {
		return err
	}
	if _, err := p.in.Discard(p.ahead); err != nil {
		return err
	}
	switch _, err := p.in.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("it becomes more than %d bytes", size)
	default:
		return err
	}
}

// place goes dimension by dimension; to is the position reached so far, and size the number
// of bytes that lie there. What lies beyond the array is left out.
func (p *placement) place(dim, to, size int) error {
	if dim == len(p.at) {
		if _, err := p.in.Discard(p.ahead); err != nil {
			return err
		}
		p.ahead = 0
		_, err := io.ReadFull(p.in, p.word)
		p.values[to] = p.value(p.word)
		return err
	}
	step := 1
	if dim == 1 {
		step = p.stride
	}
	size /= p.Chunks[dim]
	i := p.at[dim] * p.Chunks[dim]
	end := i + p.Chunks[dim]
	for i < end {
		next := i + step - 1 - i%step // that counts
		if next >= min(end, p.Shape[dim]) {
			break
		}
		p.ahead += size * (next - i)
		if err := p.place(dim+1, to*(p.Shape[dim]/step)+next/step, size); err != nil {
			return err
		}
		i = next + 1
	}
	p.ahead += size * (end - i)
	return nil
}
