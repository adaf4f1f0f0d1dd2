package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"path/filepath"
	"slices"
	"sync"
)

// A ChainWriter takes the draws of one ladder. It belongs to one goroutine;
// those of several ladders work at the same time.
type ChainWriter struct {
	s        *Writer
	l        *layout
	tracks   []track
	chain    int
	rows     []float64 // drawn, but not yet on disk
	flushed  int       // draws before them
	data     []byte    // a column of them
	sums     []uint32  // CRC-32C of what is on disk of each chunk, track by track, in the order of writing
	next     []uint32  // of the chunk that is being written
	restored bool
	known    int   // draws that were restored
	failed   error // draws were lost: no checkpoint may tell otherwise
	beside   func(x []float64) float64

	mu    sync.Mutex
	dirty []int // chunks written but not synced, ascending
}

func newChainWriter(s *Writer, l *layout, chain int) *ChainWriter {
	w := &ChainWriter{s: s, l: l, tracks: l.tracks(), chain: chain,
		rows: make([]float64, 0, l.buffer*l.width()), data: make([]byte, bytesPerItem*l.buffer)}
	if s.run.Beside != nil {
		w.beside = s.run.Beside()
	}
	return w
}

// Keep takes one draw of every rung, the coldest first: x[rung] of length d and
// energy[rung], its U. It keeps neither, and allocates only when its buffer is
// full and goes to disk. After an error nothing more can be kept.
func (w *ChainWriter) Keep(x [][]float64, energy []float64) error {
	if err := w.fits(x, energy); err != nil {
		return err
	}
	if err := w.room(); err != nil {
		return err
	}
	lp := -energy[0] / w.s.tau
	if w.beside != nil {
		lp -= w.beside(x[0])
	}
	w.rows = append(w.rows, x[0]...)
	w.rows = append(w.rows, lp, energy[0])
	for r, v := range x[1:] {
		w.rows = append(append(w.rows, v...), energy[r+1])
	}
	return w.full()
}

func (w *ChainWriter) fits(x [][]float64, energy []float64) error {
	if len(x) != w.l.hot+1 || len(energy) != len(x) {
		return fmt.Errorf("chain %d: a draw of %d rungs with %d energies, but the ladder has %d", w.chain+1, len(x), len(energy), w.l.hot+1)
	}
	for _, v := range x {
		if len(v) != len(w.l.names) {
			return fmt.Errorf("chain %d: a draw of %d parameters, but there are %d", w.chain+1, len(v), len(w.l.names))
		}
	}
	return nil
}

// room makes room for a draw where the disk had none before. A draw that finds
// none is lost, and with it the chain since the last checkpoint.
func (w *ChainWriter) room() error {
	if w.failed == nil && len(w.rows) == cap(w.rows) {
		w.failed = w.flush()
	}
	return w.failed
}

// full sends a full buffer to disk. If that fails its draws are still there,
// for a checkpoint or another attempt.
func (w *ChainWriter) full() error {
	if len(w.rows) < cap(w.rows) {
		return nil
	}
	return w.flush()
}

func (w *ChainWriter) flush() error {
	if err := w.write(); err != nil {
		return err
	}
	w.sums = append(w.sums[:w.flushed/w.l.chunk*len(w.tracks)], w.next...)
	w.flushed += w.held()
	w.rows = w.rows[:0]
	return nil
}

// final are the checksums of the chunks, once all that is held is on disk.
func (w *ChainWriter) final() []uint32 {
	if w.held() == 0 {
		return w.sums
	}
	return append(slices.Clone(w.sums[:w.flushed/w.l.chunk*len(w.tracks)]), w.next...)
}

// held is the number of draws in the buffer.
func (w *ChainWriter) held() int { return len(w.rows) / w.l.width() }

// kept is the number of draws in all.
func (w *ChainWriter) kept() int { return w.flushed + w.held() }

// write puts what is in the buffer where it belongs on disk.
func (w *ChainWriter) write() error {
	n := w.held()
	if n == 0 {
		return nil
	}
	if w.flushed == 0 && !w.restored {
		if err := w.s.begin(); err != nil {
			return err
		}
	}
	chunk := w.flushed / w.l.chunk
	w.next = append(w.next[:0], w.sums[min(len(w.sums), chunk*len(w.tracks)):]...)
	w.next = append(w.next, make([]uint32, len(w.tracks)-len(w.next))...)
	if err := w.s.beginChunk(w.chain, chunk, w.known); err != nil {
		return fmt.Errorf("write draws: %w", advice(err))
	}
	for i := range w.tracks {
		if err := w.writeTrack(&w.tracks[i], &w.next[i], chunk, n); err != nil {
			return fmt.Errorf("write draws: %w", advice(err))
		}
	}
	w.mu.Lock() // only now: a sync that ends earlier does not count
	defer w.mu.Unlock()
	if k := len(w.dirty); k == 0 || w.dirty[k-1] != chunk {
		w.dirty = append(w.dirty, chunk)
	}
	return nil
}

func (w *ChainWriter) writeTrack(t *track, sum *uint32, chunk, n int) error {
	path := t.file(w.s.root, w.chain, chunk)
	if err := apart(w.s.files, path); err != nil {
		return err
	}
	f, err := w.s.files.OpenAt(path)
	if err != nil {
		return err
	}
	err = f.Truncate(t.size(w.l))
	for r := range t.segments {
		if err != nil {
			break
		}
		column, width := t.column+r*t.step, w.l.width()
		data := w.data[:bytesPerItem*n]
		for i := range n {
			binary.LittleEndian.PutUint64(data[bytesPerItem*i:], math.Float64bits(w.rows[i*width+column]))
		}
		*sum = crc32.Update(*sum, castagnoli, data)
		_, err = f.WriteAt(data, bytesPerItem*int64(r*w.l.chunk+w.flushed%w.l.chunk))
	}
	return errors.Join(err, f.Close())
}

// wipe removes what an earlier attempt left behind the last draw, within its
// chunk, so that the bytes do not tell of it.
func (w *ChainWriter) wipe() error {
	at := w.kept() % w.l.chunk
	if at == 0 {
		return nil
	}
	data := make([]byte, bytesPerItem*(w.l.chunk-at))
	for i := range w.tracks {
		t := &w.tracks[i]
		path := t.file(w.s.root, w.chain, w.kept()/w.l.chunk)
		if err := apart(w.s.files, path); err != nil {
			return fmt.Errorf("write draws: %w", advice(err))
		}
		f, err := w.s.files.OpenAt(path)
		for r := 0; err == nil && r < t.segments; r++ {
			from := bytesPerItem * int64(r*w.l.chunk+at)
			if _, err = f.ReadAt(data, from); err == nil && slices.ContainsFunc(data, func(b byte) bool { return b != 0 }) {
				clear(data)
				_, err = f.WriteAt(data, from)
			}
		}
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return fmt.Errorf("write draws: %w", advice(err))
		}
	}
	return nil
}

// unsynced hands over the files that were written since it was last called, and
// the folders that got new ones.
func (w *ChainWriter) unsynced() (files, dirs []string) {
	w.mu.Lock()
	dirty := w.dirty
	w.dirty = nil
	w.mu.Unlock()
	for i := range w.tracks {
		for _, chunk := range dirty {
			files = append(files, w.tracks[i].file(w.s.root, w.chain, chunk))
		}
		if len(dirty) > 0 {
			dirs = append(dirs, filepath.Dir(files[len(files)-1]))
		}
	}
	return files, dirs
}

// AppendBinary appends all that a checkpoint needs: how many draws are on disk, their
// checksums, and those draws that are not. Before the checkpoint itself is written, the draws on
// disk must be made durable by [Writer.Sync].
func (w *ChainWriter) AppendBinary(b []byte) ([]byte, error) {
	if w.failed != nil {
		return b, w.failed
	}
	b = slices.Grow(b, 24+4*len(w.sums)+bytesPerItem*len(w.rows))
	for _, n := range []int{w.flushed, w.held(), w.l.width()} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	for _, v := range w.sums {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for _, v := range w.rows {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b, nil
}

// UnmarshalBinary takes the writer to where AppendBinary saw it. It is an error
// if draws of before are no longer on disk, or are others: all are read.
func (w *ChainWriter) UnmarshalBinary(b []byte) error {
	if len(b) < 24 {
		return errors.New("the saved state of the draws is cut short")
	}
	var n [3]uint64
	for i := range n {
		n[i], b = binary.LittleEndian.Uint64(b), b[bytesPerItem:]
	}
	flushed, held, width := n[0], n[1], uint64(w.l.width())
	chunks := (flushed + uint64(w.l.chunk) - 1) / uint64(w.l.chunk)
	if n[2] != width || held > uint64(w.l.buffer) || flushed%uint64(w.l.buffer) != 0 || flushed > math.MaxInt32*uint64(w.l.buffer) ||
		uint64(len(b)) != 4*chunks*uint64(len(w.tracks))+held*width*bytesPerItem {
		return fmt.Errorf("the saved state of the draws does not fit %d rungs of %d parameters", w.l.hot+1, len(w.l.names))
	}
	sums := make([]uint32, chunks*uint64(len(w.tracks)))
	for i := range sums {
		sums[i], b = binary.LittleEndian.Uint32(b), b[4:]
	}
	if err := w.verify(int(flushed), sums); err != nil {
		return err
	}
	w.flushed, w.sums, w.restored, w.failed = int(flushed), sums, true, nil
	w.rows = w.rows[:0]
	for i := range held * width {
		w.rows = append(w.rows, math.Float64frombits(binary.LittleEndian.Uint64(b[bytesPerItem*i:])))
	}
	w.known = w.kept()
	return nil
}

// verify says whether the first n draws on disk are there, and those that were
// written.
func (w *ChainWriter) verify(n int, sums []uint32) error {
	for k := range sums {
		i, chunk := k%len(w.tracks), k/len(w.tracks)
		path := w.tracks[i].file(w.s.root, w.chain, chunk)
		sum, err := w.sum(&w.tracks[i], path, min(n-chunk*w.l.chunk, w.l.chunk))
		if err != nil {
			return fmt.Errorf("draws that the checkpoint refers to are gone: put the file back from a copy, or start the run anew with --force: %w",
				err)
		}
		if sum != sums[k] {
			return damaged(path)
		}
	}
	return nil
}

// damaged says that a chunk of draws was changed.
func damaged(path string) error {
	return fmt.Errorf("%s is damaged: the draws in it are not those that were written. Put it back from a copy, or start the run anew "+
		"with --force", path)
}

// sum is the checksum of the first n draws in a chunk.
func (w *ChainWriter) sum(t *track, path string, n int) (sum uint32, err error) {
	info, err := w.s.files.Stat(path)
	if err == nil && (info.Size() != t.size(w.l) || !info.Mode().IsRegular()) {
		err = fmt.Errorf("%s has %d bytes instead of %d", path, info.Size(), t.size(w.l))
	}
	if err != nil {
		return 0, err
	}
	f, err := w.s.files.OpenAt(path)
	if err != nil {
		return 0, err
	}
	for at := 0; at < n && err == nil; at += w.l.buffer {
		for r := 0; r < t.segments && err == nil; r++ {
			_, err = f.ReadAt(w.data, bytesPerItem*int64(r*w.l.chunk+at))
			sum = crc32.Update(sum, castagnoli, w.data)
		}
	}
	return sum, errors.Join(err, f.Close())
}
