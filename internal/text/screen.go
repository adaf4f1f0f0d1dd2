// Package text answers how words and numbers are shown to a person: how a number and a noun
// are written, how a table is laid out, what of foreign text is fit to be shown, how many
// columns a terminal has, where a longer line goes on, and which line is redrawn.
package text

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"
)

// usual is the width of a terminal that does not tell its own.
const usual = 80

// A Screen is a writer that knows its width: longer lines go on below, at words, by
// [Wrap]. Under them may stand a line that is redrawn, by [Status]. Several goroutines may
// write to it.
type Screen struct {
	w     io.Writer
	width func() int
	color bool
	last  *status
	part  []byte // of a line that has no end yet
}

// A status is the line that is redrawn; the screens of one terminal share it.
type status struct {
	mu   sync.Mutex
	on   *Screen // where it stands; nil is a terminal that cannot redraw
	text string
}

// New returns the screens of standard output and standard error, which share their last
// line. Their width is COLUMNS if that is set; else that of the terminal, 80 where it is
// not told; of what is no terminal 0, which folds nothing. What goes to stdout is written
// to out.
func New(stdout, stderr *os.File, out io.Writer) (o, e *Screen) {
	last := new(status)
	o, e = on(stdout, out, last), on(stderr, stderr, last)
	if term.IsTerminal(int(stderr.Fd())) && !dumb() {
		last.on = e
	}
	return o, e
}

// on is the screen of what is shown on f and written to w.
func on(f *os.File, w io.Writer, last *status) *Screen {
	is := term.IsTerminal(int(f.Fd()))
	return &Screen{w: w, width: func() int { return widthOf(f, is) }, color: is && coloured(), last: last}
}

// coloured tells whether a terminal is to have colours.
func coloured() bool { return os.Getenv("NO_COLOR") == "" && !dumb() }

// dumb tells a terminal that knows no escape sequences.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

func widthOf(f *os.File, is bool) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !is {
		return 0
	}
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		return n
	}
	return usual
}

// Fixed returns a screen of so many columns that writes to w, and redraws if redraw.
func Fixed(w io.Writer, width int, redraw bool) *Screen {
	s := &Screen{w: w, width: func() int { return width }, last: new(status)}
	if redraw {
		s.last.on = s
	}
	return s
}

// Width is the number of columns of w; 0 if it has no limit, as what is no Screen.
func Width(w io.Writer) int {
	if s, ok := w.(*Screen); ok {
		return s.width()
	}
	return 0
}

// Color reports whether w shows ANSI colours.
func Color(w io.Writer) bool {
	s, ok := w.(*Screen)
	return ok && s.color
}

// Redraws reports whether [Status] shows anything on w.
func Redraws(w io.Writer) bool {
	s, ok := w.(*Screen)
	return ok && s.last.on != nil
}

// Raw is w without folding, for what programs read.
func Raw(w io.Writer) io.Writer {
	if s, ok := w.(*Screen); ok {
		return s.w
	}
	return w
}

// Status shows text in the line below all others, cut to the width, in place of the text
// before; "" takes the line away. What does not redraw ignores it.
func Status(w io.Writer, text string) {
	s, ok := w.(*Screen)
	if !ok || s.last.on == nil {
		return
	}
	l := s.last
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.text
	if l.text = Plain(text); text != "" {
		l.draw()
	} else if was != "" {
		l.erase()
	}
}

func (l *status) draw() {
	text := l.text
	if n := l.on.width(); n > 0 {
		text = Cut(text, n-1) // so that the cursor stays in the line
	}
	_, _ = io.WriteString(l.on.w, "\r"+text+"\x1b[K")
}

func (l *status) erase() { _, _ = io.WriteString(l.on.w, "\r\x1b[K") }

// colors are those that this program's text has.
var colors = regexp.MustCompile("\x1b\\[(0|31|33)m")

// shown is text as it may be shown, whoever wrote it: as of [Plain], our colours
// aside where there are any.
func (s *Screen) shown(text string) string {
	if !s.color {
		return Plain(text)
	}
	var b strings.Builder
	from := 0
	for _, at := range colors.FindAllStringIndex(text, -1) {
		b.WriteString(Plain(text[from:at[0]]) + text[at[0]:at[1]])
		from = at[1]
	}
	return b.String() + Plain(text[from:])
}

// Write implements io.Writer. Control characters are written out. A line appears when it is
// complete.
func (s *Screen) Write(b []byte) (int, error) {
	s.last.mu.Lock()
	defer s.last.mu.Unlock()
	width := s.width()
	s.part = append(s.part, s.shown(string(b))...)
	end := bytes.LastIndexByte(s.part, '\n') + 1
	if width == 0 {
		end = len(s.part)
	}
	if end == 0 {
		return len(b), nil
	}
	whole := s.part[:end]
	if width > 0 {
		var out strings.Builder
		for line := range strings.Lines(string(whole)) {
			out.WriteString(Wrap(strings.TrimSuffix(line, "\n"), width) + "\n")
		}
		whole = []byte(out.String())
	}
	s.part = append([]byte(nil), s.part[end:]...)
	if s.last.text != "" {
		s.last.erase()
		defer s.last.draw()
	}
	if _, err := s.w.Write(whole); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close ends the line that has no end yet, and takes away the one that is redrawn.
func (s *Screen) Close() error {
	Status(s, "")
	if len(s.part) == 0 {
		return nil
	}
	_, err := s.Write([]byte("\n"))
	return err
}
