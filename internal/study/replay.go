package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Replays do cases of studies for another machine. A study runs until the list of a case, with what
// the lists before it came to elsewhere, and stays there for further cases: what it does on the way
// is done once.
type Replays struct {
	// Study returns the study of a name, or says why no cases of it are done for others.
	Study   func(name string) (func(context.Context, Options) (*Study, error), error)
	Threads int    // at most so many at once in a study, besides its cases
	Program string // a fingerprint of this program

	mu  sync.Mutex
	all []*replay // the last ones, the newest first
}

// ErrBuild is the error of a case that another build of the program asks for: its code may have
// other settings under the same names.
var ErrBuild = errors.New("the study is of another build of the program: workers of studies take the very file that began it")

// mostReplays is how many are kept.
const mostReplays = 4

// Do does the case that config tells of, as JSON, whose files lie where place says, and leaves what
// it came to in a folder that it makes.
func (s *Replays) Do(ctx context.Context, config []byte, place func(path string) string, dir string) error {
	var c Case
	if err := json.Unmarshal(config, &c); err != nil {
		return err
	}
	if c.Program != s.Program {
		return ErrBuild
	}
	before, marks := make([]string, len(c.Before)), make([]string, len(c.Before))
	for k, path := range c.Before {
		var err error
		before[k] = place(path)
		if marks[k], err = markOf(before[k]); err != nil {
			return err
		}
	}
	text, err := []byte(nil), errPassed
	for errors.Is(err, errPassed) {
		var r *replay
		if r, err = s.at(&c, marks); err == nil {
			text, err = r.do(ctx, &c, before, marks)
		}
	}
	if err == nil {
		err = os.Mkdir(dir, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, outcome), text, 0o666)
	}
	return err
}

// at returns a study that is at a case or before it.
func (s *Replays) at(c *Case, marks []string) (*replay, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := slices.IndexFunc(s.all, func(r *replay) bool { return r.before(c, marks) })
	if k >= 0 {
		r := s.all[k]
		s.all = slices.Insert(slices.Delete(s.all, k, k+1), 0, r)
		return r, nil
	}
	run, err := s.Study(c.Study)
	if err != nil {
		return nil, err
	}
	for k, old := range s.all {
		if k >= mostReplays-1 {
			old.stop()
		}
	}
	r := replayOf(run, c, s.Threads)
	s.all = slices.Insert(s.all[:min(len(s.all), mostReplays-1)], 0, r)
	return r, nil
}

// Close ends all studies, and waits for what they remove, a second at most.
func (s *Replays) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := time.After(time.Second)
	for _, r := range s.all {
		r.stop()
	}
	for _, r := range s.all {
		select {
		case <-r.ended:
		case <-late:
			return
		}
	}
}

// A replay is a study that runs for its cases alone.
type replay struct {
	study string
	scale Scale
	seed  uint64
	stop  context.CancelFunc
	ended chan struct{} // closed once it has

	mu     sync.Mutex
	news   *sync.Cond
	passed []string // marks of the lists behind it
	at     *list    // whose cases are done; nil on the way to one
	inHand int      // cases
	next   [][]byte // what at came to, for the study to go on with; nil while it is to stay
	over   error    // why it is at no list any more
}

// errPassed is that a study has gone on to a later list, or had to make room for others.
var errPassed = errors.New("the study has passed the list")

// replayOf starts the study of a case.
func replayOf(run func(context.Context, Options) (*Study, error), c *Case, threads int) *replay {
	ctx, stop := context.WithCancel(context.Background())
	r := &replay{study: c.Study, scale: c.Scale, seed: c.Seed, stop: stop, ended: make(chan struct{})}
	r.news = sync.NewCond(&r.mu)
	go func() {
		defer close(r.ended)
		_, err := run(ctx, Options{Scale: c.Scale, Seed: c.Seed, Threads: threads, replay: r})
		switch {
		case ctx.Err() != nil: // for want of room, not of its own
			err = errPassed
		case err == nil:
			err = errors.New("the study has no list after these")
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.over = err
		r.news.Broadcast()
	}()
	return r
}

// wake has all who wait look again.
func (r *replay) wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.news.Broadcast()
}

// before reports whether it can come to a case that these lists precede.
func (r *replay) before(c *Case, marks []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over == nil && r.study == c.Study && r.scale == c.Scale && r.seed == c.Seed && len(r.passed) <= len(marks) &&
		slices.Equal(r.passed, marks[:len(r.passed)])
}

// gather stays at a list until cases of a later one are asked for. The cases in hand are done first.
func (r *replay) gather(ctx context.Context, l *list) ([][]byte, error) {
	defer context.AfterFunc(ctx, r.wake)()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = l
	r.news.Broadcast()
	for r.inHand > 0 || r.next == nil && ctx.Err() == nil {
		r.news.Wait()
	}
	texts := r.next
	r.at, r.next = nil, nil
	return texts, ctx.Err()
}

// do does a case, to whose list the study goes on with the files of those before it.
func (r *replay) do(ctx context.Context, c *Case, before, marks []string) ([]byte, error) {
	defer context.AfterFunc(ctx, r.wake)()
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		switch k := len(r.passed); {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case r.over != nil:
			return nil, r.over
		case k > len(before) || !slices.Equal(r.passed, marks[:k]):
			return nil, errPassed
		case r.at == nil || r.next != nil:
			r.news.Wait()
		case k < len(before):
			if err := r.pass(before[k], marks[k]); err != nil {
				return nil, err
			}
		case r.at.what != c.List || c.Number < 0 || c.Number >= r.at.n:
			return nil, fmt.Errorf("the study has no case %d of %q after these lists: it is at %q, of %d", c.Number, c.List, r.at.what, r.at.n)
		default:
			return r.one(ctx, r.at, c.Number)
		}
	}
}

// pass has the study go on with what its list came to. r.mu is held.
func (r *replay) pass(path, mark string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var g gathered
	if err := unseal(text, &g); err != nil {
		return err
	}
	if g.List != r.at.what || len(g.Texts) != r.at.n {
		return fmt.Errorf("the study is at %q, of %d, and was sent %q, of %d", r.at.what, r.at.n, g.List, len(g.Texts))
	}
	for i, text := range g.Texts {
		if _, err := r.at.took(i, text); err != nil {
			return err
		}
	}
	r.passed, r.next = append(r.passed, mark), g.Texts
	r.news.Broadcast()
	return nil
}

// one does a case of the list. r.mu is held.
func (r *replay) one(ctx context.Context, l *list, i int) ([]byte, error) {
	r.inHand++
	r.mu.Unlock()
	text, err := l.do(ctx, i)
	r.mu.Lock()
	r.inHand--
	r.news.Broadcast()
	return text, err
}
