package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// writeStanCSV writes the draws of the cold rung from the chunks on disk as
// draws-1.csv, draws-2.csv, …, one file per chain, each whole or not at all, in
// the layout of CmdStan's fixed_param sampler: that is the one that asks for
// neither step size nor mass matrix.
func (s *Writer) writeStanCSV(threads int) error {
	var g errgroup.Group
	g.SetLimit(max(1, threads))
	for _, w := range s.writers {
		g.Go(func() error {
			return s.folder.writeFile(csvName(w.chain+1), w.stanCSV)
		})
	}
	return g.Wait()
}

// read fills columns of the cold rung, of equal lengths within a chunk, with the
// draws from one on, and adds them to the checksum of each, which begins with the chunk.
func (w *ChainWriter) read(columns [][]float64, sums []uint32, from int) error {
	for j, column := range columns {
		data := w.data[:bytesPerItem*len(column)]
		f, err := w.s.files.OpenAt(w.tracks[j].file(w.s.root, w.chain, from/w.l.chunk))
		if err != nil {
			return err
		}
		_, err = f.ReadAt(data, bytesPerItem*int64(from%w.l.chunk))
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		sums[j] = crc32.Update(sums[j], castagnoli, data)
		for i := range column {
			column[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[bytesPerItem*i:]))
		}
	}
	return nil
}

// unchanged says which of the columns of a chunk, read whole, is not what was written, and
// begins their checksums anew.
func (w *ChainWriter) unchanged(sums []uint32, chunk int) error {
	want := w.final()[chunk*len(w.tracks):]
	for j, sum := range sums {
		if sum != want[j] {
			return damaged(w.tracks[j].file(w.s.root, w.chain, chunk))
		}
	}
	clear(sums)
	return nil
}

// csvNumber is N of a file draws-N.csv, or 0.
func csvNumber(e fs.DirEntry) int {
	text := strings.TrimSuffix(strings.TrimPrefix(e.Name(), "draws-"), ".csv")
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || e.IsDir() || e.Name() != csvName(n) {
		return 0
	}
	return n
}

func csvName(n int) string { return fmt.Sprintf("draws-%d.csv", n) }

// parameterComment begins the comment with the name of a parameter that Stan
// could not have written.
const parameterComment = "# parameter "

// stanCSV writes the draws of the chain.
func (w *ChainWriter) stanCSV(to io.Writer) error {
	out := bufio.NewWriterSize(to, 1<<16)
	names := stanNames(w.s.run.Names)
	w.stanHead(out, names)
	if err := w.stanRows(out, names); err != nil {
		return err
	}
	_, _ = out.WriteString(`# 
#  Elapsed Time: 0 seconds (Warm-up)
#                0 seconds (Sampling)
#                0 seconds (Total)
# times are in summary.json, so that equal runs give equal files
`)
	return out.Flush() // the first error of all
}

func (w *ChainWriter) stanHead(out io.Writer, names []string) {
	r := w.s.run
	thin := max(1, r.Thin)
	// num_samples counts iterations: readers expect num_samples/thin rows.
	fmt.Fprintf(out, `# model = %s
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
`, legal(r.Model)+"_model", w.s.draws()*thin, r.BurnIn, thin, w.chain+1, r.Seed)
	fmt.Fprintf(out, "# written by r2sgld %s: reflected Langevin draws, one ladder per file\n", oneWord(r.Version))
	fmt.Fprintf(out, "# temperature of the cold rung: %s\n", appendFloat(nil, r.tau()))
	for j, n := range r.Names {
		if n != bracketed(names[j]) {
			fmt.Fprintf(out, "%s%s is %s\n", parameterComment, names[j], quote(n))
		}
	}
}

// stanRows writes the header and the rows. The sampler's columns come first:
// lp__, accept_stat__, which readers expect but is nothing here, and energy__.
func (w *ChainWriter) stanRows(out *bufio.Writer, names []string) error {
	_, _ = out.WriteString("lp__,accept_stat__,energy__," + strings.Join(names, ",") + "\n")
	dim, n, block := len(names), w.s.draws(), w.l.buffer // which divides chunks
	columns := make([][]float64, w.l.cold())
	for j := range columns {
		columns[j] = make([]float64, min(n, block))
	}
	sums := make([]uint32, len(columns))
	var row []byte
	for start := 0; start < n; start += block {
		rows := min(block, n-start)
		for j := range columns {
			columns[j] = columns[j][:rows]
		}
		if err := w.read(columns, sums, start); err != nil {
			return err
		}
		if next := start + rows; next%w.l.chunk == 0 || next == w.kept() { // else there are more draws than are written
			if err := w.unchanged(sums, start/w.l.chunk); err != nil {
				return err
			}
		}
		for i := range rows {
			row = append(appendFloat(row[:0], columns[dim][i]), ",0,"...)
			row = append(appendFloat(row, columns[dim+1][i]), ',')
			for _, c := range columns[:dim] {
				row = append(appendFloat(row, c[i]), ',')
			}
			row[len(row)-1] = '\n'
			if _, err := out.Write(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendFloat writes the shortest text that reads back as v, and NaN, Inf and
// -Inf, which R reads too.
func appendFloat(b []byte, v float64) []byte {
	if math.IsInf(v, 1) {
		return append(b, "Inf"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// quote writes a name in ASCII and without the signs that readers of comments
// look for.
func quote(name string) string {
	return strings.NewReplacer("=", `\x3d`, "#", `\x23`).Replace(strconv.QuoteToASCII(name))
}

func oneWord(s string) string { return regexp.MustCompile(`[^0-9A-Za-z.+-]+`).ReplaceAllString(s, "-") }
