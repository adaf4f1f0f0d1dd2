package child

import (
	"bytes"
	"strings"
	"sync"
)

// A tail keeps the end of what is written to it.
type tail struct {
	mu    sync.Mutex
	bytes []byte
}

// kept is how many bytes a tail keeps at least, tailLines how many lines it tells.
const (
	kept      = 4096
	tailLines = 6
)

// Write keeps the end of b. It never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := b[max(0, len(b)-kept):]
	if len(t.bytes)+len(end) > 2*kept {
		t.bytes = append(t.bytes[:0], t.bytes[max(0, len(t.bytes)-kept):]...)
	}
	t.bytes = append(t.bytes, end...)
	return len(b), nil
}

// last returns the last lines, indented by two blanks.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := bytes.TrimSpace(t.bytes[max(0, len(t.bytes)-kept):])
	if len(end) == 0 {
		return ""
	}
	lines := strings.Split(strings.ToValidUTF8(string(end), "?"), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-tailLines):], "\n  ")
}
