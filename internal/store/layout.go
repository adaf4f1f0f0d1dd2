package store

import (
	"fmt"
	"path/filepath"
)

// A layout says which number of a draw goes into which array, and how long the
// chunks of these are. A draw of a ladder is a row: the parameters of the cold
// rung, lp = −U/τ and the energy U, then the parameters and the energy of each hot rung.
//
// The layout depends on the shape of a draw alone, not on how many there are,
// so that a run that is resumed or extended goes on in the same files.
type layout struct {
	names  []string // of the arrays of the parameters
	chains int
	hot    int // rungs beside the cold one
	chunk  int // draws per chunk
	buffer int // draws that are held back, of each chain; divides chunk
}

// A track is an array in which a chain has one chunk for every so many draws: a
// column of numbers for the cold rung, or one for every hot rung.
type track struct {
	path     string // of the array in the store
	column   int    // of the first of its columns in a row
	segments int    // columns: 1, or one per hot rung
	step     int    // from one of them to the next
	name     string // format of a chunk's name: chain, chunk
}

// What the layout costs over all chains, in bytes: buffers are in memory and in
// every checkpoint, chunks are what a run of few draws takes up, most of it
// never written. Where draws have many numbers both are larger, up to a bound,
// because opening a file costs as much as writing thousands of numbers.
const (
	bufferBytes  = 2 << 20
	bufferMost   = 64 << 20
	bufferDraws  = 1024
	chunkBytes   = 8 << 20
	chunkMost    = 256 << 20
	chunkDraws   = 4096
	leastChunk   = 256 // draws, whatever they cost
	mostChunk    = 65536
	bytesPerItem = 8
)

// fit chooses the lengths of chunks and buffers.
func (l *layout) fit() {
	row := bytesPerItem * l.chains * l.width()
	length := func(usual, most, draws int) int {
		return max(powerOfTwo(usual/row), min(powerOfTwo(most/row), draws))
	}
	l.chunk = min(max(length(chunkBytes, chunkMost, chunkDraws), leastChunk), mostChunk)
	l.buffer = min(max(length(bufferBytes, bufferMost, bufferDraws), 1), l.chunk)
}

// powerOfTwo is the largest that is at most n, and 0 for n = 0.
func powerOfTwo(n int) int {
	p := 1
	for p <= n/2 {
		p *= 2
	}
	return min(p, n)
}

// width is the number of columns in a row.
func (l *layout) width() int { return l.cold() + l.hot*l.step() }

// cold is the number of columns of the cold rung.
func (l *layout) cold() int { return len(l.names) + len(statistics) }

// step is the number of columns of a hot rung.
func (l *layout) step() int { return len(l.names) + 1 }

// statistics are the arrays of the cold rung beside the parameters, in the order
// of their columns.
var statistics = [...]string{"lp", "energy"}

// tracks lists the arrays, those of the cold rung first, in the order of its
// columns.
func (l *layout) tracks() []track {
	var all []track
	one := func(group, name string, column int) {
		all = append(all, track{group + "/" + name, column, 1, 0, "%d.%d"})
	}
	every := func(group, name string, column int) {
		all = append(all, track{group + "/" + name, l.cold() + column, l.hot, l.step(), "%d.0.%d"})
	}
	for j, name := range l.names {
		one("posterior", name, j)
	}
	for j, name := range statistics {
		one("sample_stats", name, len(l.names)+j)
	}
	if l.hot == 0 {
		return all
	}
	for j, name := range l.names {
		every("tempered", name, j)
	}
	every("tempered_stats", "energy", len(l.names))
	return all
}

// file is where a chunk lies.
func (t *track) file(root string, chain, chunk int) string {
	return filepath.Join(root, filepath.FromSlash(t.path), fmt.Sprintf(t.name, chain, chunk))
}

// size is that of a chunk in bytes.
func (t *track) size(l *layout) int64 { return int64(bytesPerItem * t.segments * l.chunk) }
