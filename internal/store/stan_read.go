package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/r2sgld/r2sgld/internal/regular"
)

// readStanCSV reads Stan CSV files, one chain each: ours, and those of
// CmdStan, CmdStanPy and rstan. Warm-up, and columns whose names end in two
// underscores, which are statistics of the sampler, are left out; x.1.2 becomes
// x[1,2]. Errors name file, line and column.
func readStanCSV(most int, paths ...string) (*Draws, error) {
	if len(paths) == 0 {
		return nil, errors.New("read Stan CSV: no files given")
	}
	d := &Draws{}
	for _, p := range paths {
		s, err := readStan(p)
		if err != nil {
			return nil, err
		}
		if err := d.addStan(s, paths[0], most); err != nil {
			return nil, err
		}
	}
	if err := checkNames(d.Names); err != nil {
		return nil, fmt.Errorf("%s: %w", paths[0], err)
	}
	return d, nil
}

// readStan reads a file.
func readStan(path string) (*stanFile, error) {
	of, err := originalOf(path)
	var file *os.File
	if err == nil {
		file, err = regular.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read Stan CSV: %w", err)
	}
	t := new(tally)
	s, err := parseStan(path, io.TeeReader(file, t))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return s, of.record.intact(path, of.name, t.bytes, 0, func(int64) uint32 { return t.sum })
}

// A stanFile is what one Stan CSV file holds.
type stanFile struct {
	path   string
	header []string  // as written
	line   int       // of the header
	rows   []float64 // the parameters, row by row
	draws  int

	warmup     int  // rows before "Adaptation terminated", -1 without that line
	configured int  // iterations of warm-up said to be
	saved      bool // warm-up is in the file
	fixed      bool // there is no warm-up whatever is said
	thin       int
	names      map[string]string // Stan's name → ours
}

func (s *stanFile) at(line, column int, format string, a ...any) error {
	return fmt.Errorf("%s:%d:%d: %w", s.path, line, column, fmt.Errorf(format, a...))
}

func parseStan(path string, r io.Reader) (*stanFile, error) {
	s := &stanFile{path: path, warmup: -1, thin: 1, names: map[string]string{}}
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := readLine(in)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		last := err == io.EOF
		if last && len(text) > 0 && text[0] != '#' && s.header != nil {
			return nil, s.at(line, len(text), "the file ends within this line: it may have been cut. If it is whole, add a line break at its end")
		}
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if err := s.parseLine(line, strings.TrimRight(string(text), "\r\n")); err != nil {
			return nil, err
		}
		if last {
			break
		}
	}
	if s.header == nil {
		return nil, s.at(1, 1, "no header: a Stan CSV file names its columns in the first line that is no comment")
	}
	return s, nil
}

// mostLine is the length of a line that has an end, in bytes: that of a header of a
// million parameters.
const mostLine = 1 << 27

// readLine reads a line with its end.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case err != bufio.ErrBufferFull:
			return line, err
		case len(line) > mostLine:
			return nil, fmt.Errorf("a line of more than %d bytes: this is no Stan CSV file", mostLine)
		case bytes.IndexByte(piece, 0) >= 0:
			return nil, errors.New("a zero byte: this is no Stan CSV file")
		}
	}
}

func (s *stanFile) parseLine(line int, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case text[0] == '#':
		s.comment(text)
		return nil
	case s.header == nil:
		return s.parseHeader(line, text)
	}
	return s.parseRow(line, text)
}

func (s *stanFile) parseHeader(line int, text string) error {
	column := 1
	seen := map[string]bool{}
	var header []string
	for name := range strings.SplitSeq(text, ",") {
		trimmed := strings.Trim(strings.TrimSpace(name), `"`)
		if trimmed == "" {
			return s.at(line, column, "a column without a name")
		}
		if !utf8.ValidString(trimmed) {
			return s.at(line, column, "the name of this column is no text")
		}
		if _, err := strconv.ParseFloat(trimmed, 64); err == nil && trimmed[0] <= '9' {
			return s.at(line, column, "no header: the first line that is no comment has the number %s where the name of a column was expected",
				trimmed)
		}
		if seen[trimmed] {
			return s.at(line, column, "a second column named %q", shorten(trimmed))
		}
		seen[trimmed] = true
		header = append(header, trimmed)
		column += utf8.RuneCountInString(name) + 1
	}
	if !slices.ContainsFunc(header, isParameter) {
		return s.at(line, 1, "no parameters: every column is a statistic of the sampler")
	}
	s.header, s.line = header, line
	return nil
}

func isParameter(name string) bool { return !strings.HasSuffix(name, "__") }

func (s *stanFile) parseRow(line int, text string) error {
	column, n := 1, 0
	for field := range strings.SplitSeq(text, ",") {
		if n == len(s.header) {
			return s.at(line, column, "row of %d fields where the header (line %d) names %d", strings.Count(text, ",")+1, s.line, len(s.header))
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || strings.ContainsAny(field, "_xX") { // 2_000, 0x1p1
			return s.at(line, column, "%s is no number: %q", shorten(s.header[n]), shorten(field))
		}
		if isParameter(s.header[n]) {
			s.rows = append(s.rows, v)
		}
		column += utf8.RuneCountInString(field) + 1
		n++
	}
	if n < len(s.header) {
		return s.at(line, column-1, "row of %d fields where the header (line %d) names %d: is the file complete?", n, s.line, len(s.header))
	}
	s.draws++
	return nil
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// comment takes what it understands from a comment line.
func (s *stanFile) comment(text string) {
	if strings.Contains(text, "Adaptation terminated") && s.header != nil {
		s.warmup = s.draws
		return
	}
	if rest, ok := strings.CutPrefix(text, parameterComment); ok {
		name, quoted, _ := strings.Cut(rest, " is ")
		if original, err := strconv.Unquote(quoted); err == nil && original != "" && utf8.ValidString(original) {
			s.names[name] = original
		}
		return
	}
	key, value, ok := strings.Cut(strings.TrimLeft(text, "# "), "=")
	if ok {
		s.setting(strings.TrimSpace(key), strings.TrimSpace(strings.TrimSuffix(value, "(Default)")))
	}
}

func (s *stanFile) setting(key, value string) {
	n, err := strconv.Atoi(value)
	number := err == nil && n >= 0
	switch key {
	case "num_warmup", "warmup": // CmdStan, rstan
		if number {
			s.configured = n
		}
	case "thin":
		if number && n > 0 {
			s.thin = n
		}
	case "save_warmup":
		s.saved = value == "1" || value == "true"
	case "algorithm":
		s.fixed = value == "fixed_param"
	}
}

// warm is how many of the rows are warm-up.
func (s *stanFile) warm() int {
	switch {
	case s.warmup >= 0:
		return s.warmup
	case s.saved && !s.fixed:
		return int(min(uint64(s.draws), (uint64(s.configured)+uint64(s.thin)-1)/uint64(s.thin)))
	}
	return 0
}

// display is the name under which a column is shown.
func (s *stanFile) display(name string) string {
	if n, ok := s.names[name]; ok {
		return n
	}
	return bracketed(name)
}

// bracketed turns x.1.2 into x[1,2].
func bracketed(name string) string {
	if base, at := splitIndex(name); at != nil {
		return base + "[" + joinInts(at, ",") + "]"
	}
	return name
}

// addStan adds the chain of a file and checks that it fits those before.
func (d *Draws) addStan(s *stanFile, first string, most int) error {
	var names []string
	for _, h := range s.header {
		if isParameter(h) {
			names = append(names, s.display(h))
		}
	}
	warm := s.warm()
	n := s.draws - warm
	if d.Names == nil {
		d.Names, d.X = names, make([][][]float64, len(names))
		d.Kept, d.Stride = n, strideOf(n, most)
	}
	if i := firstDifference(d.Names, names); i >= 0 {
		return s.at(s.line, 1, "parameter %d is %s, in %s it is %s: chains of one run have the same parameters", i+1, nameAt(names, i), first,
			nameAt(d.Names, i))
	}
	if n != d.Kept {
		return fmt.Errorf("%s: %d draws, but %d in %s: was one of the runs cut short?", s.path, n, d.Kept, first)
	}
	for j := range names {
		column := make([]float64, n/d.Stride)
		for i := range column {
			column[i] = s.rows[(warm+(i+1)*d.Stride-1)*len(names)+j]
		}
		d.X[j] = append(d.X[j], column)
	}
	return nil
}

func firstDifference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

func nameAt(names []string, i int) string {
	if i < len(names) {
		return strconv.Quote(names[i])
	}
	return "missing"
}
