// Package cases answers how a list of cases that do not depend on each other is worked off:
// several at once here, and by other machines where there are any.
package cases

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// A Case is what another machine is told of one.
type Case struct {
	Title      string          `json:"title"`
	Command    string          `json:"command"` // that makes sense of Config
	Config     json.RawMessage `json:"config"`  // all that determines the case, but for files, program and machine
	Files      []string        `json:"-"`       // that Config names, by the paths that it has for them
	Checkpoint time.Duration   `json:"checkpoint"`
	Programs   []string        `json:"-"` // files of a program that Config starts, by the paths that they have everywhere
	// Executed are the hashes of Programs, by their paths, of a case that is offered.
	Executed map[string]string `json:"executed,omitempty"`
}

// A List is cases that are yet to be done, by their numbers.
type List struct {
	Begun []int // those of which a part is here already: they are done here
	Left  []int // all others
	Hands int   // how many are done here at once
	// Do does a case here. Its error ends the work.
	Do func(ctx context.Context, i int) error
	// Case tells of one, for others to do.
	Case func(i int) (Case, error)
	// Home takes what others made of a case: a folder, which it may move, and who they are.
	Home func(i int, dir, by string) error
	// Others do cases as well; nil is nobody.
	Others Others
	// Tally counts what is done; nil is nothing.
	Tally *Tally
}

// Others are machines that do cases.
type Others interface {
	// Offer has them do those that are left in a list.
	Offer(ctx context.Context, l *List) (Source, error)
}

// A Source says which case a hand is to do next.
type Source interface {
	// Next waits for a case. Once there are no more, or the context has ended, ok is false.
	Next(ctx context.Context) (i int, ok bool)
	// Done notes that a case was done here.
	Done(i int)
	// Close ends it; what was offered to others and is not done stays offered.
	Close() error
}

// Work does the cases of a list.
func (l *List) Work(ctx context.Context) (err error) {
	var from Source = &queue{left: append(append([]int(nil), l.Begun...), l.Left...)}
	if l.Others != nil && len(l.Left) > 0 {
		if from, err = l.Others.Offer(ctx, l.counted()); err != nil {
			return err
		}
	}
	g, within := errgroup.WithContext(ctx)
	for range max(1, l.Hands) {
		g.Go(func() error {
			for {
				i, ok := from.Next(within)
				if !ok {
					return within.Err()
				}
				if err := l.Do(within, i); err != nil {
					return err
				}
				l.Tally.did("")
				from.Done(i)
			}
		})
	}
	err = g.Wait()
	if end := from.Close(); err == nil {
		err = end
	}
	return err
}

// counted is the list as others do it, whose cases count once they are home.
func (l *List) counted() *List {
	c := *l
	c.Home = func(i int, dir, by string) error {
		err := l.Home(i, dir, by)
		if err == nil {
			l.Tally.did(by)
		}
		return err
	}
	return &c
}

// A queue gives every case to one hand, in order.
type queue struct {
	mu   sync.Mutex
	left []int
}

func (q *queue) Next(ctx context.Context) (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.left) == 0 || ctx.Err() != nil {
		return 0, false
	}
	i := q.left[0]
	q.left = q.left[1:]
	return i, true
}

func (q *queue) Done(int)     {}
func (q *queue) Close() error { return nil }
