package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"
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
		if err := f.WriteFile(fmt.Sprintf("draws-%d.csv", i+1), stanCSV(d, i)); err != nil {
			return err
		}
	}
	entries, err := f.files.ReadDir(f.dir)
	if err != nil {
		return fmt.Errorf("list %s: %w", f.dir, advice(err))
	}
	for _, e := range entries {
		if n := csvNumber(e); n > len(d.Chains) {
			if err := f.files.Remove(f.Path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove %s: %w", f.Path(e.Name()), advice(err))
			}
		}
	}
	return nil
}

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

func stanCSV(d *Draws, chain int) []byte {
	var b bytes.Buffer
	thin := max(1, d.Thin)
	// num_samples counts iterations: readers expect num_samples/thin rows.
	fmt.Fprintf(&b, `# model = %s
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
`, legal(d.Model)+"_model", d.N()*thin, d.BurnIn, thin, chain+1, d.Seed)
	fmt.Fprintf(&b, "# written by r2sgld %s: reflected Langevin draws, one ladder per file\n", oneWord(d.Version))
	fmt.Fprintf(&b, "%s%s\n", temperatureComment, shortest(d.tau()))
	names := stanNames(d.Names)
	for j, n := range d.Names {
		if n != bracketed(names[j]) {
			fmt.Fprintf(&b, "%s%s is %s\n", parameterComment, names[j], quote(n))
		}
	}
	c := d.Chains[chain]
	stats := stanStats(d.stats(c), d.N())
	for _, s := range stats {
		b.WriteString(s.Name + ",")
	}
	b.WriteString(strings.Join(names, ",") + "\n")
	writeRows(&b, stats, c.X[0], len(names))
	b.WriteString(`# 
#  Elapsed Time: 0 seconds (Warm-up)
#                0 seconds (Sampling)
#                0 seconds (Total)
# times are in summary.json, so that equal runs give equal files
`)
	return b.Bytes()
}

func writeRows(b *bytes.Buffer, stats []Column, x []float64, dim int) {
	var row []byte
	for i := range len(x) / dim {
		row = row[:0]
		for _, s := range stats {
			row = append(appendFloat(row, s.Values[i]), ',')
		}
		for _, v := range x[i*dim : (i+1)*dim] {
			row = append(appendFloat(row, v), ',')
		}
		row[len(row)-1] = '\n'
		b.Write(row)
	}
}

// stanStats are the sampler's columns, named as Stan names them: lp__ and
// accept_stat__ first, always there, then the energy. Other statistics are in
// the Zarr store only: rstan takes columns that it does not know for
// parameters.
func stanStats(stats []Column, n int) []Column {
	out := []Column{{Name: "lp__"}, {Name: "accept_stat__"}}
	for _, s := range stats {
		switch s.Name {
		case "lp":
			out[0].Values = s.Values
		case "accept_stat":
			out[1].Values = s.Values
		case "energy":
			out = append(out, Column{"energy__", s.Values})
		}
	}
	for i := range out {
		if out[i].Values == nil {
			out[i].Values = make([]float64, n)
		}
	}
	return out
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
