package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// WriteStanCSV writes the draws of the cold rung as draws-1.csv, draws-2.csv,
// …, one file per chain, each whole or not at all, in the layout of CmdStan's
// fixed_param sampler: that is the one that asks for neither step size nor
// mass matrix. Files of further chains of an earlier run are removed.
func (f *Folder) WriteStanCSV(d *Draws) error {
	if err := d.check(); err != nil {
		return fmt.Errorf("write %s: %w", f.Path("draws-1.csv"), err)
	}
	for i := range d.Chains {
		if err := f.writeStan(d, i, d.N(), d.source(i)); err != nil {
			return err
		}
	}
	return f.removeStan(len(d.Chains))
}

// writeStanCSV is WriteStanCSV from the chunks on disk.
func (s *Stream) writeStanCSV(threads int) error {
	var g errgroup.Group
	g.SetLimit(max(1, threads))
	for i, w := range s.writers {
		g.Go(func() error { return s.folder.writeStan(s.draws, i, w.kept(), w.source()) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return s.folder.removeStan(len(s.writers))
}

// removeStan removes the files of all but the first chains.
func (f *Folder) removeStan(chains int) error {
	entries, err := f.files.ReadDir(f.dir)
	if err != nil {
		return fmt.Errorf("list %s: %w", f.dir, advice(err))
	}
	for _, e := range entries {
		if n := csvNumber(e); n > chains {
			if err := f.files.Remove(f.Path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove %s: %w", f.Path(e.Name()), advice(err))
			}
		}
	}
	return nil
}

// A source gives draws of the cold rung: columns are those of the parameters,
// then of the statistics that it names; read fills them from draw from on.
type source struct {
	stats []string
	block int // draws at once
	read  func(columns [][]float64, from int) error
}

// source reads from memory.
func (d *Draws) source(chain int) source {
	c, dim := d.Chains[chain], len(d.Names)
	cols := d.stats(c)
	s := source{block: blockOf(dim), read: func(columns [][]float64, from int) error {
		for j, column := range columns {
			for i := range column {
				if j < dim {
					column[i] = c.X[0][(from+i)*dim+j]
				} else {
					column[i] = cols[j-dim].Values[from+i]
				}
			}
		}
		return nil
	}}
	for _, col := range cols {
		s.stats = append(s.stats, col.Name)
	}
	return s
}

// source reads from disk.
func (w *ChainWriter) source() source {
	block := min(blockOf(len(w.l.names)), w.l.chunk)
	data := make([]byte, bytesPerItem*block)
	return source{stats: w.l.given, block: block, read: func(columns [][]float64, from int) error {
		for j, column := range columns {
			data := data[:bytesPerItem*len(column)]
			f, err := w.s.files.OpenAt(w.tracks[j].file(w.s.root, w.chain, from/w.l.chunk))
			if err != nil {
				return err
			}
			_, err = f.ReadAt(data, bytesPerItem*int64(from%w.l.chunk))
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
			for i := range column {
				column[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[bytesPerItem*i:]))
			}
		}
		return nil
	}}
}

// blockOf is how many draws of so many parameters make about 4 MB, as a power
// of two.
func blockOf(dim int) int { return max(1, powerOfTwo(4<<20/(bytesPerItem*(dim+3)))) }

// csvNumber is N of a file draws-N.csv, or 0.
func csvNumber(e fs.DirEntry) int {
	if !isOurs(e.Name(), e.IsDir()) || !isDrawsCSV(e.Name()) {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(e.Name(), "draws-"), ".csv"))
	return n
}

// Comments that carry what Stan's layout has no place for.
const (
	parameterComment   = "# parameter "
	temperatureComment = "# temperature of the cold rung: "
)

func (f *Folder) writeStan(d *Draws, chain, n int, from source) error {
	return writeRenamed(f.files, f.Path(fmt.Sprintf("draws-%d.csv", chain+1)), func(w io.Writer) error {
		return stanCSV(w, d, chain, n, from)
	})
}

// stanCSV writes n draws of a chain, all that d says of them but the draws
// being from the source.
func stanCSV(to io.Writer, d *Draws, chain, n int, from source) error {
	w := bufio.NewWriterSize(to, 1<<20)
	names := stanNames(d.Names)
	stanHead(w, d, names, chain, n)
	if err := stanRows(w, from, names, n); err != nil {
		return err
	}
	_, _ = w.WriteString(`# 
#  Elapsed Time: 0 seconds (Warm-up)
#                0 seconds (Sampling)
#                0 seconds (Total)
# times are in summary.json, so that equal runs give equal files
`)
	return w.Flush() // the first error of all
}

func stanHead(w io.Writer, d *Draws, names []string, chain, n int) {
	thin := max(1, d.Thin)
	// num_samples counts iterations: readers expect num_samples/thin rows.
	fmt.Fprintf(w, `# model = %s
# method = sample (Default)
#   sample
#     num_samples = %d
#     num_warmup = %d
#     save_warmup = 0
#     thin = %d
#     adapt
#       engaged = 0
#     algorithm = fixed_param
#     metric = unit_e
# id = %d
# random
#   seed = %d
`, legal(d.Model)+"_model", n*thin, d.BurnIn, thin, chain+1, d.Seed)
	fmt.Fprintf(w, "# written by r2sgld %s: reflected Langevin draws, one ladder per file\n", oneWord(d.Version))
	fmt.Fprintf(w, "%s%s\n", temperatureComment, shortest(d.tau()))
	for j, n := range d.Names {
		if n != bracketed(names[j]) {
			fmt.Fprintf(w, "%s%s is %s\n", parameterComment, names[j], quote(n))
		}
	}
}

func stanRows(w *bufio.Writer, from source, names []string, n int) error {
	stats, at := stanStats(from.stats)
	for _, s := range stats {
		_, _ = w.WriteString(s + ",")
	}
	_, _ = w.WriteString(strings.Join(names, ",") + "\n")
	dim := len(names)
	columns := make([][]float64, dim+len(from.stats))
	for j := range columns {
		columns[j] = make([]float64, min(n, from.block))
	}
	var row []byte
	for start := 0; start < n; start += from.block {
		rows := min(from.block, n-start)
		for j := range columns {
			columns[j] = columns[j][:rows]
		}
		if err := from.read(columns, start); err != nil {
			return err
		}
		for i := range rows {
			row = row[:0]
			for _, j := range at {
				if j < 0 {
					row = append(row, "0,"...)
					continue
				}
				row = append(appendFloat(row, columns[dim+j][i]), ',')
			}
			for _, c := range columns[:dim] {
				row = append(appendFloat(row, c[i]), ',')
			}
			row[len(row)-1] = '\n'
			if _, err := w.Write(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// stanStats are the sampler's columns, named as Stan names them, and which of
// the given statistics they are, -1 for a column of zeros: lp__ and
// accept_stat__ first, always there, then the energy. Other statistics are in
// the Zarr store only: rstan takes columns that it does not know for
// parameters.
func stanStats(given []string) (names []string, at []int) {
	names, at = []string{"lp__", "accept_stat__"}, []int{-1, -1}
	for j, s := range given {
		switch s {
		case "lp":
			at[0] = j
		case "accept_stat":
			at[1] = j
		case "energy":
			names, at = append(names, "energy__"), append(at, j)
		}
	}
	return names, at
}

// appendFloat writes the shortest text that reads back as v, and NaN, Inf and
// -Inf, which R reads too.
func appendFloat(b []byte, v float64) []byte {
	if math.IsInf(v, 1) {
		return append(b, "Inf"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

func shortest(v float64) string { return string(appendFloat(nil, v)) }

// quote writes a name in ASCII and without the signs that readers of comments
// look for.
func quote(name string) string {
	return strings.NewReplacer("=", `\x3d`, "#", `\x23`).Replace(strconv.QuoteToASCII(name))
}

func oneWord(s string) string { return regexp.MustCompile(`[^0-9A-Za-z.+-]+`).ReplaceAllString(s, "-") }
