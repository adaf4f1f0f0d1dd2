package outlook

import (
	"io"
	"strings"
	"testing"
	"time"
)

// A long measurement says that it goes on, and nothing once it has ended.
func TestHeartbeat(t *testing.T) {
	r, w := io.Pipe()
	j := &Job{Name: "slow", Terminal: w}
	quiet := j.heartbeat(time.Millisecond)
	text := make([]byte, 100)
	n, err := r.Read(text)
	if err != nil || !strings.HasPrefix(string(text[:n]), "slow: still measuring, 0s …") {
		t.Errorf("%q, %v", text[:n], err)
	}
	_ = r.Close() // later words go nowhere
	quiet()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
