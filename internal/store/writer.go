package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// A Writer writes draws.zarr while the draws are made.
//
// Draws go to disk in place, into chunks whose bytes depend on the draws alone:
// a run that was killed and goes on from an older checkpoint writes the same
// bytes again, so that nothing has to be taken back. A store is whole once its
// .zgroup is there, which [Writer.Finish] writes last. While a finished run is
// extended its metadata describe the draws of before, which stay as they are.
type Writer struct {
	folder  *Folder
	files   Files
	root    string
	run     *Run
	tau     float64
	layout  *layout
	writers []*ChainWriter

	once       sync.Once
	syncFailed error // the first failure of a sync, which no later one can mend
}

// NewWriter prepares draws.zarr for draws that come one by one, of every rung
// that has a temperature. What is in r may still change until Finish, but for
// Names and Temperature. A store that is there already is continued by chains
// that are restored, and replaced otherwise.
//
// Memory is at most 64 MB over all chains, and about 2 MB if draws have less
// than 250 numbers. Each array has a file per chain for every so many draws, a
// power of two from 256 to 65,536; hot rungs share them. So d parameters in c
// chains make 2dc files, and as many again whenever the draws exceed that.
func (f *Folder) NewWriter(r *Run, chains int) (*Writer, error) {
	err := r.check()
	if err == nil && chains < 1 {
		err = errors.New("draws without chains")
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", f.Path("draws.zarr"), err)
	}
	l := &layout{names: r.arrayNames(), chains: chains, hot: max(1, len(r.Temperature)) - 1}
	l.fit()
	return newWriter(f, r, l)
}

func newWriter(f *Folder, r *Run, l *layout) (*Writer, error) {
	root := f.Path("draws.zarr")
	s := &Writer{folder: f, files: f.files, root: root, run: r, tau: r.tau(), layout: l}
	if err := f.makeArrays(l); err != nil {
		return nil, fmt.Errorf("write %s: %w", root, advice(err))
	}
	for i := range l.chains {
		s.writers = append(s.writers, newChainWriter(s, l, i))
	}
	return s, nil
}

// makeArrays makes the folders of the arrays.
func (f *Folder) makeArrays(l *layout) error {
	var marks []mark
	for _, t := range l.tracks() {
		name := path.Join("draws.zarr", t.path)
		if _, there := f.record.arrays[name]; there {
			continue
		}
		if err := f.free(name); err != nil {
			return err
		}
		marks = append(marks, mark{Name: name, Array: true, Bytes: t.size(l)})
	}
	if len(marks) > 0 {
		if err := f.enter(marks...); err != nil {
			return err
		}
	}
	err := f.makeDir(f.Path("draws.zarr"))
	for _, t := range l.tracks() {
		if err == nil {
			err = f.files.MkdirAll(f.Path(path.Join("draws.zarr", t.path)))
		}
	}
	return err
}

// beginChunk puts on record that the arrays get a chunk of a chain, or that draws beyond the
// first so many of those of before make place for others.
func (s *Writer) beginChunk(chain, chunk, restored int) error {
	r, key := s.folder.record, fmt.Sprintf("%d.%d", chain, chunk)
	one := filepath.ToSlash(s.layout.tracks()[0].file("draws.zarr", chain, chunk))
	r.mu.Lock()
	there := r.chunks[key]
	stale := slices.ContainsFunc(r.marks[one], func(m mark) bool { return chunk*s.layout.chunk+int(m.Bytes)/bytesPerItem > restored })
	r.mu.Unlock()
	switch {
	case there && !stale:
		return nil
	case !there:
		for _, t := range s.layout.tracks() {
			if err := s.folder.free(t.file("draws.zarr", chain, chunk)); err != nil {
				return err
			}
		}
	}
	return s.folder.enter(mark{Name: "draws.zarr", Chunk: key})
}

// Chain returns the writer of chain i, counted from 0.
func (s *Writer) Chain(i int) *ChainWriter { return s.writers[i] }

// begin takes the mark of a whole store from one that is written anew.
func (s *Writer) begin() error {
	var err error
	s.once.Do(func() { err = s.unfinish() })
	return err
}

// unfinish takes away the mark of a whole store.
func (s *Writer) unfinish() error {
	for _, name := range []string{"draws.zarr/.zgroup", "draws.zarr/.zmetadata"} {
		if err := s.remove(name); err != nil {
			return fmt.Errorf("remove %s: %w", s.folder.Path(name), advice(err))
		}
	}
	return nil
}

// Sync makes durable what was written so far. It may be called while draws are
// kept, and must be called between taking the states of the chains and writing
// the checkpoint that holds them. Once it failed it always fails: what a disk
// refused once it may have forgotten.
func (s *Writer) Sync() error {
	var files, dirs []string
	for _, w := range s.writers {
		f, d := w.unsynced()
		files, dirs = append(files, f...), append(dirs, d...)
	}
	if s.syncFailed == nil && len(files) > 0 {
		s.syncFailed = syncAll(s.files, files, s.folders(dirs))
	}
	return s.syncFailed
}

// folders adds those above.
func (s *Writer) folders(dirs []string) []string {
	all := append(slices.Clone(dirs), s.root)
	for _, d := range dirs {
		all = append(all, filepath.Dir(d))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// syncAll makes files and folders durable, many at once: a file system commits
// them together.
func syncAll(files Files, names, dirs []string) error {
	var g errgroup.Group
	g.SetLimit(16)
	for _, name := range names {
		g.Go(func() error {
			f, err := files.OpenAt(name)
			if err != nil {
				return fmt.Errorf("sync draws: %w", advice(err))
			}
			if err = errors.Join(f.Sync(), f.Close()); err != nil {
				return fmt.Errorf("sync %s: %w", name, advice(err))
			}
			return nil
		})
	}
	err := g.Wait()
	for _, d := range dirs {
		g.Go(func() error {
			if err := files.SyncDir(d); err != nil {
				return fmt.Errorf("sync %s: %w", d, advice(err))
			}
			return nil
		})
	}
	return errors.Join(err, g.Wait())
}

// Finish completes draws.zarr and writes one draws-N.csv per chain, as many at
// once as there are threads. All chains must have kept equally many draws, unless
// the run says that they need not. After a failure it may be called again.
func (s *Writer) Finish(threads int) error {
	if err := s.finishZarr(); err != nil {
		return err
	}
	return s.writeStanCSV(threads)
}

func (s *Writer) finishZarr() error {
	if err := s.run.check(); err != nil { // which may have got more since it began
		return fmt.Errorf("write %s: %w", s.root, err)
	}
	err := s.complete()
	if err == nil {
		err = advice(s.enterDraws())
	}
	if err == nil {
		err = s.writeMetadata()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", s.root, err)
	}
	return nil
}

// draws is the number of draws that every chain has.
func (s *Writer) draws() int {
	n := s.writers[0].kept()
	for _, w := range s.writers {
		n = min(n, w.kept())
	}
	return n
}

// complete puts on disk what chains still hold.
func (s *Writer) complete() error {
	n := s.writers[0].kept()
	for i, w := range s.writers {
		if w.failed != nil {
			return w.failed
		}
		if k := w.kept(); k != n && !s.run.Unequal {
			return fmt.Errorf("chain %d kept %d draws where chain 1 kept %d: go on until they are equally many", i+1, k, n)
		}
		if err := w.write(); err != nil {
			return err
		}
		if err := w.wipe(); err != nil {
			return err
		}
	}
	return s.Sync()
}

// enterDraws puts on record what was written.
func (s *Writer) enterDraws() error {
	r, all := s.folder.record, []mark(nil)
	for _, w := range s.writers {
		for k, sum := range w.final() {
			t, chunk := &w.tracks[k%len(w.tracks)], k/len(w.tracks)
			m := mark{Name: filepath.ToSlash(t.file("draws.zarr", w.chain, chunk)), CRC32C: sum, Grows: true,
				Bytes: bytesPerItem * int64(t.segments*min(w.kept()-chunk*w.l.chunk, w.l.chunk))}
			if t.segments > 1 {
				m.Rungs, m.Block = t.segments, bytesPerItem*int64(w.l.buffer)
			}
			if !slices.Contains(r.marks[m.Name], m) {
				all = append(all, m)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return s.folder.enter(all...)
}

// writeMetadata writes all but the draws, the mark of a whole store last.
func (s *Writer) writeMetadata() error {
	z := &zarrStore{metadata: map[string]any{}}
	z.put(".zgroup", zarrGroup{2})
	z.put(".zattrs", map[string]any{})
	z.addGroups(s)
	z.put(".zmetadata", map[string]any{"metadata": z.metadata, "zarr_consolidated_format": 1})
	if z.err != nil {
		return z.err
	}
	if err := s.unfinish(); err != nil {
		return err
	}
	first, last := z.entries[0], z.entries[len(z.entries)-1]
	if err := s.folder.writeTree("draws.zarr", z.entries[1:len(z.entries)-1]); err != nil {
		return advice(err)
	}
	if err := s.removeLater(); err != nil {
		return advice(err)
	}
	if err := s.removeGroups(z.metadata); err != nil {
		return advice(err)
	}
	for _, e := range []entry{last, first} {
		if err := s.folder.WriteFile("draws.zarr/"+e.path, e.data); err != nil {
			return err
		}
	}
	return nil
}

// removeGroups removes the arrays of groups that a run wrote before and that now are not among the metadata.
func (s *Writer) removeGroups(metadata map[string]any) error {
	f := s.folder
	for name := range f.record.owned() {
		inner, ok := strings.CutPrefix(name, "draws.zarr/")
		group, _, _ := strings.Cut(inner, "/")
		dir := path.Dir(inner)
		if !ok || !slices.Contains(groups, group) || metadata[dir+"/.zarray"] != nil || metadata[dir+"/.zgroup"] != nil {
			continue
		}
		if err := s.remove(name); err != nil {
			return err
		}
		for d := dir; d != "." && f.files.Remove(f.Path(path.Join("draws.zarr", d))) == nil; d = path.Dir(d) { // which may hold more
		}
	}
	return nil
}

// removeLater removes the chunks of draws beyond the last, which a run that was
// killed had come to.
func (s *Writer) removeLater() error {
	groups := map[string]bool{}
	for _, w := range s.writers {
		for chunk := s.chunks(w.kept(), w.l.chunk); s.folder.record.chunks[fmt.Sprintf("%d.%d", w.chain, chunk)]; chunk++ {
			for i := range w.tracks {
				if err := s.files.Remove(w.tracks[i].file(s.root, w.chain, chunk)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		}
		for i := range w.tracks {
			groups[path.Dir(w.tracks[i].path)] = true
		}
	}
	for g := range groups {
		for chunk := s.chunks(s.draws(), mostNumbers); ; chunk++ {
			name := path.Join("draws.zarr", g, "draw", strconv.Itoa(chunk))
			if !s.folder.record.has(name) {
				break
			}
			if err := s.remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunks is the number of those of n draws.
func (s *Writer) chunks(n, length int) int { return (n + length - 1) / length }

// remove removes a file, if it is there as it was written.
func (s *Writer) remove(name string) error {
	if !s.folder.record.has(name) {
		return nil
	}
	if err := s.files.Remove(s.folder.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.folder.record.keep(name, false)
	return nil
}
