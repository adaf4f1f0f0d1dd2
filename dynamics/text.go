package dynamics

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"unicode"

	"github.com/r2sgld/r2sgld/internal/parquet"
)

// Text reads the text of r, a file of that name: without the byte order mark of UTF-8, and
// with lines that end in carriage returns alone, as those of old Macintosh programs, ending
// in line feeds. A Parquet file is the text of its columns of numbers and text: dates are days, and times
// seconds, since 1970. What is no text in UTF-8 is a [*DataError].
func Text(r io.Reader, file string) (io.Reader, error) {
	if table, err := columnar(r); err != nil {
		return nil, &DataError{file, 0, 0, err.Error()}
	} else if table != nil {
		return table.Text(), nil
	}
	b := bufio.NewReaderSize(r, 1<<16)
	head, _ := b.Peek(1 << 16)
	switch zero := bytes.IndexByte(head, 0); {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, &DataError{file, 1, 1, "the file is UTF-16 text: save it as UTF-8"}
	case zero >= 0:
		return nil, &DataError{file, 1 + bytes.Count(head[:zero], []byte("\n")), 0,
			"the file holds a zero byte, so that it is no UTF-8 text: save it as comma-separated values in UTF-8"}
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = b.Discard(3)
	}
	if head = bytes.TrimSuffix(head, []byte("\r")); bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0 {
		return &newlines{b}, nil
	}
	return b, nil
}

// newlines reads with each carriage return as a line feed.
type newlines struct{ io.Reader }

func (l *newlines) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// inked reads text and finds the last line that is not blank.
type inked struct {
	io.Reader
	ended, last int // lines; counted from 1
}

func (r *inked) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if ink := bytes.TrimRightFunc(p[:n], unicode.IsSpace); len(ink) > 0 {
		r.last = r.ended + bytes.Count(ink, []byte("\n")) + 1
	}
	r.ended += bytes.Count(p[:n], []byte("\n"))
	return n, err
}

// extents are how many lines and cells r may have at most, which is then where it was; 0 where
// that cannot be told beforehand.
func extents(r io.Reader) (lines, cells int) {
	if table, _ := columnar(r); table != nil {
		return table.Rows(), math.MaxInt
	}
	file, ok := r.(io.Seeker)
	if !ok {
		return 0, 0
	}
	from, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, 0
	}
	for buf := make([]byte, 1<<16); err == nil; {
		var n int
		n, err = r.Read(buf)
		lines, cells = lines+bytes.Count(buf[:n], []byte("\n")), cells+n
	}
	_, _ = file.Seek(from, io.SeekStart) // where it was a moment ago
	return lines + 1, cells + 1
}

// columnar is the table of a Parquet file; nil if r is none.
func columnar(r io.Reader) (*parquet.Table, error) {
	file, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !ok || !parquet.Is(file) {
		return nil, nil
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	return parquet.Open(file, size)
}
