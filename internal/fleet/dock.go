package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/potential"
)

// A dock is where blocks of a run are evaluated, some states at once.
type dock struct {
	ctx       context.Context // what is asked for after its end is not evaluated
	worker    *Worker
	potential potential.Potential
	conn      *nats.Conn
	run       string
	tasks     chan task
	hands     sync.WaitGroup
}

// A task is some states of a block, and where their answer belongs.
type task struct {
	block *block
	done  func(*answer)
}

func (d *dock) close() {
	close(d.tasks)
	d.hands.Wait()
}

// hand does tasks.
func (d *dock) hand() {
	variants := map[string]*sizes{}
	defer func() {
		for _, s := range variants {
			_ = s.close()
		}
	}()
	for t := range d.tasks {
		if d.ctx.Err() != nil {
			t.done(&answer{failed: "the worker stops"})
			continue
		}
		s := variants[t.block.variant]
		if s == nil {
			u, err := variantOf(d.potential, t.block.variant)
			if err != nil {
				t.done(&answer{failed: err.Error()})
				continue
			}
			s = &sizes{potential: u}
			variants[t.block.variant] = s
		}
		if dim := s.potential.Dim(); dim != t.block.d {
			t.done(&answer{failed: fmt.Sprintf("states of %d coordinates for a potential of %d", t.block.d, dim)})
			continue
		}
		t.done(s.answerTo(t.block))
	}
}

// evaluate evaluates a block by all hands.
func (d *dock) evaluate(b *block) *answer {
	all := &answer{id: b.id, n: b.n, d: b.d, values: make([]float64, b.n*(b.d+1))}
	var mu sync.Mutex
	var wait sync.WaitGroup
	each := (b.n + d.worker.Slots - 1) / d.worker.Slots
	for from := 0; from < b.n; from += each {
		m := min(each, b.n-from)
		wait.Add(1)
		d.tasks <- task{&block{variant: b.variant, n: m, d: b.d, x: b.x[from*b.d : (from+m)*b.d]}, func(a *answer) {
			defer wait.Done()
			mu.Lock()
			defer mu.Unlock()
			if a.failed != "" {
				all.failed = a.failed
				return
			}
			all.took += a.took * time.Duration(m) / time.Duration(b.n)
			copy(all.values[from:], a.values[:m])
			copy(all.values[b.n+from*b.d:], a.values[m:])
		}}
	}
	if wait.Wait(); all.failed != "" {
		all.n, all.values = 0, nil
	}
	return all
}

const (
	mostBlocks  = 64 // at work at once
	mostWaiting = 64 // that wait for one of these to end
)

// serve evaluates blocks until the context ends, and calls ready once it does.
func (d *dock) serve(ready func()) error {
	ctx := d.ctx
	for range d.worker.Slots {
		d.hands.Go(d.hand)
	}
	blocks := make(chan *nats.Msg, mostWaiting)
	s, err := d.conn.ChanSubscribe(blocksOf(d.run, d.worker.Name), blocks)
	if err != nil {
		return err
	}
	defer func() { _ = s.Unsubscribe() }()
	if err := d.conn.FlushWithContext(within(ctx, patience)); err != nil {
		return errLost
	}
	ready()
	var open sync.WaitGroup
	defer open.Wait()
	room := make(chan struct{}, mostBlocks)
	for {
		var m *nats.Msg
		select {
		case <-ctx.Done():
			return nil
		case m = <-blocks:
		}
		arrived := time.Now()
		b, err := readBlock(m.Data)
		if err != nil {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case room <- struct{}{}:
		}
		open.Go(func() {
			a := d.evaluate(b)
			if a.held = time.Since(arrived); d.ctx.Err() == nil {
				_ = d.conn.Publish(answers(d.run), a.append(nil)) // lost with the connection
			}
			<-room
		})
	}
}
