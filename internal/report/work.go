package report

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/kernel"
)

// ticking calls show now and then until the function that it returns is called.
func ticking(every time.Duration, show func()) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				show()
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(done)
		<-ended
	})
}

// redrawn shows a line on w, which can redraw it, until the function that it returns is
// called.
func redrawn(w io.Writer, line func(width int) string) (stop func()) {
	end := ticking(100*time.Millisecond, func() { text.Status(w, line(text.Width(w))) })
	return sync.OnceFunc(func() {
		end()
		text.Status(w, "")
	})
}

// noting calls note at once, and ever less often later: when a hundredth more of the time has
// passed, a second at least. What it has said after a time t grows like log t. It ends with the
// function that it returns.
func noting(note func()) (stop func()) {
	begun, noted := time.Now(), time.Duration(0)
	note()
	return ticking(time.Second, func() {
		if now := time.Since(begun); now-noted >= now/100 {
			noted = now
			note()
		}
	})
}

// bar is a line of at most so many columns, 0 for no limit: a name, a share as a bar and
// in percent, and of what stands beside it as many parts, two spaces between, as fit.
func bar(width int, name string, share float64, beside string) string {
	const longest, least = 24, 6
	share = min(max(share, 0), 1)
	line := fmt.Sprintf("  %3.0f %%", math.Floor(100*share))
	n := longest
	if width > 0 {
		n = max(least, min(n, width-1-text.Columns(" "+name+"  "+line+"  "+beside)))
		width -= 1 + text.Columns(" "+name+"  "+line) + n
	}
	for part := range strings.SplitSeq(beside, "  ") {
		if at := 2 + text.Columns(part); width == 0 || at <= width {
			line += "  " + part
			width = max(0, width-at)
		}
	}
	half := int(share * float64(2*n))
	cells := strings.Repeat("█", half/2) + strings.Repeat("▌", half%2)
	return " " + name + "  " + cells + strings.Repeat(" ", n-half/2-half%2) + line
}

// A Work shows what is being done, and for how long: in a line that is redrawn, where there
// can be one, else now and then in a line of its own.
type Work struct {
	name string
	stop func()

	mu    sync.Mutex
	what  string
	share func() float64 // how far it is; nil if that is not known
	begun time.Time
}

// pulse is how often a work says that it goes on where no line is redrawn.
const pulse = 30 * time.Second

// StartWork begins to show what is done under a name on w.
func StartWork(w io.Writer, name, what string) *Work {
	k := &Work{name: name}
	k.doing(what, nil)
	if text.Redraws(w) {
		k.stop = redrawn(w, k.line)
	} else {
		k.stop = ticking(pulse, func() { fmt.Fprintln(w, k.plain()) })
	}
	return k
}

// StartBar begins to show on w how far a work is, and what stands beside the bar.
func StartBar(w io.Writer, name string, share func() float64, beside func() string) *Work {
	k := &Work{stop: func() {}}
	if text.Redraws(w) {
		k.stop = redrawn(w, func(width int) string { return bar(width, name, share(), beside()) })
	}
	return k
}

// Doing tells what comes next.
func (k *Work) Doing(what string) { k.doing(what, nil) }

func (k *Work) doing(what string, share func() float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.what, k.share, k.begun = what, share, time.Now()
}

// Stop ends the display. It may be called again.
func (k *Work) Stop() { k.stop() }

// NotedIn has a log say as well, ever less often, what is being done.
func (k *Work) NotedIn(log *slog.Logger) {
	shown, noted := k.stop, noting(func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		share := math.NaN()
		if k.share != nil {
			share = k.share()
		}
		log.Info("progress", "doing", k.what, "share", share)
	})
	k.stop = func() { noted(); shown() }
}

func (k *Work) line(width int) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	text := fmt.Sprintf("%s  %s", k.what, time.Since(k.begun).Truncate(time.Second))
	if k.share == nil {
		return " " + k.name + "  " + text
	}
	return bar(width, k.name, k.share(), text)
}

func (k *Work) plain() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	took := time.Since(k.begun).Truncate(time.Second)
	if k.share == nil {
		return fmt.Sprintf("%s  %s, %s …", k.name, k.what, took)
	}
	return fmt.Sprintf("%s  %s, %.0f %%, %s …", k.name, k.what, math.Floor(100*k.share()), took)
}

// A Warming is the work of a warm-up, whose rounds it watches as the recorder of their
// ladders.
type Warming struct {
	*Work
	reached []counter // per ladder, of the round
}

// StartWarming begins to show the warm-up of so many ladders on w.
func StartWarming(w io.Writer, name string, ladders int) *Warming {
	return &Warming{Work: StartWork(w, name, "warm-up 1"), reached: make([]counter, ladders)}
}

// Round tells that a round begins, from 1, of so many iterations per ladder.
func (k *Warming) Round(n, iterations int) {
	for i := range k.reached {
		k.reached[i].Store(0)
	}
	k.doing(fmt.Sprintf("warm-up %d", n), func() float64 {
		sum := 0.0
		for i := range k.reached {
			sum += float64(k.reached[i].Load())
		}
		return sum / float64(iterations*len(k.reached))
	})
}

// Recorder watches a ladder.
func (k *Warming) Recorder(ladder int) r2sgld.Recorder { return &k.reached[ladder] }

// A counter knows the iteration that a ladder has reached.
type counter struct{ atomic.Int64 }

func (c *counter) Record(k int, _ *kernel.Block) error {
	c.Store(int64(k))
	return nil
}
