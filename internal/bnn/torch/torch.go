// Package torch answers what networks compute: replicas in worker programs on
// libtorch, as a [bnn.Engine].
//
// The program is r2sgld-torch, whose sources are in the folder worker; `make torch`
// builds it. This package is pure Go and speaks to it by pipes: a crash there is an
// error here.
package torch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
)

// An engine is one worker a device. Replica r is number r/P of process r mod P.
type engine struct {
	setup     bnn.Setup
	layout    bnn.Layout
	processes []*process
	closed    bool
	ctx       context.Context // of Open
	patience  time.Duration
	longest   time.Duration // that a call took so far
}

var _ bnn.Engine = (*engine)(nil)

// Open starts workers that hold the replicas of s. After ctx is cancelled an engine
// can still be asked for its states, but a worker that does not answer is killed: after
// 10 s, or three times as long as the longest call before took. Errors are of type
// *[Missing] or *[Mismatch] where the program has to be built, *[Failed] where a network
// or a device is refused, *[Died], and that of ctx. Close the engine.
func Open(ctx context.Context, s bnn.Setup, o Options) (bnn.Engine, error) {
	s.Network = s.Network.WithDefaults()
	s.Precision = cmp.Or(s.Precision, "float32")
	if s.Replicas < 1 {
		return nil, fmt.Errorf("an engine of %d replicas: want at least 1", s.Replicas)
	}
	path, err := Find(o.Worker)
	if err != nil {
		return nil, err
	}
	devices := o.Devices
	if len(devices) == 0 {
		devices = []string{"cpu"}
	}
	devices = devices[:min(len(devices), s.Replicas)]
	threads := o.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	e := &engine{setup: s, ctx: ctx, patience: patience}
	for _, device := range devices {
		p, err := start(ctx, path, device, greeting)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.processes = append(e.processes, p)
	}
	return e.begin(threads)
}

// Join is Open of a program that runs already, as one on another machine; name is what
// messages call it. The engine ends it.
func Join(ctx context.Context, s bnn.Setup, peer Peer, name, device string, threads int) (bnn.Engine, error) {
	s.Network = s.Network.WithDefaults()
	s.Precision = cmp.Or(s.Precision, "float32")
	p := newProcess(peer, name, device)
	if err := p.greet(ctx, greeting); err != nil {
		return nil, err
	}
	e := &engine{setup: s, ctx: ctx, patience: patience, processes: []*process{p}}
	return e.begin(max(threads, 1))
}

// begin makes the replicas, or ends the workers.
func (e *engine) begin(threads int) (bnn.Engine, error) {
	stop := context.AfterFunc(e.ctx, e.kill)
	err := e.create(threads)
	if !stop() {
		err = fmt.Errorf("stopped before it began: %w", e.ctx.Err())
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// kill ends the workers at once.
func (e *engine) kill() {
	for _, p := range e.processes {
		p.kill(0, nil)
	}
}

// begun bounds the time of a call that begins now, should ctx be cancelled before it
// returns, until the result is called.
func (e *engine) begun() (end func()) {
	began, done, wait := time.Now(), make(chan struct{}), max(e.patience, 3*e.longest)
	stop := context.AfterFunc(e.ctx, func() {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
			for _, p := range e.processes {
				p.kill(wait.Round(time.Second/10), context.Cause(e.ctx))
			}
		}
	})
	return func() {
		stop()
		close(done)
		e.longest = max(e.longest, time.Since(began))
	}
}

// create makes the replicas and learns the layout.
func (e *engine) create(threads int) error {
	n := e.setup.Network
	return e.all(callCreate, func(b []byte, i int) []byte {
		b = putString(b, n.Kind)
		b = putString(b, n.Norm)
		b = putString(b, n.Activation)
		b = little.AppendUint64(b, uint64(len(n.Hidden)))
		for _, width := range n.Hidden {
			b = little.AppendUint64(b, uint64(width))
		}
		for _, size := range append(n.Input[:], n.Outputs) {
			b = little.AppendUint32(b, uint32(max(size, 0)))
		}
		b = putString(b, n.Loss)
		b = little.AppendUint64(b, uint64(e.share(i)))
		for r := i; r < e.setup.Replicas; r += len(e.processes) {
			b = little.AppendUint64(b, uint64(e.setup.Number(r)))
		}
		b = little.AppendUint64(b, e.setup.Seed)
		b = putBool(b, e.setup.Reflect == nil)
		b = little.AppendUint32(b, uint32(len(e.setup.Reflect)))
		for _, role := range e.setup.Reflect {
			b = putString(b, string(role))
		}
		b = putString(b, e.setup.Precision)
		b = putString(b, e.processes[i].device)
		return little.AppendUint32(b, uint32(threads))
	}, func(p *payload, _ int) error {
		e.layout = bnn.Layout{Parameters: p.tensors(), Buffers: p.tensors()}
		e.expect(24*e.layout.Size() + 8*e.layout.BufferSize()) // a state
		return nil
	})
}

// expect notes how many bytes of numbers a reply may have.
func (e *engine) expect(bytes int) {
	for _, p := range e.processes {
		p.most = max(p.most, bytes+mostWords)
	}
}

// share is how many replicas process i holds.
func (e *engine) share(i int) int {
	return (e.setup.Replicas - i + len(e.processes) - 1) / len(e.processes)
}

// errClosed is the error of calls after Close.
var errClosed = errors.New("the engine is closed")

// all calls all processes at the same time: each is sent a request before the first
// reply is waited for.
func (e *engine) all(call byte, write func(b []byte, i int) []byte, read func(p *payload, i int) error) error {
	if e.closed {
		return errClosed
	}
	defer e.begun()()
	for i, p := range e.processes {
		if err := p.send(write(begin(p.request, call), i)); err != nil {
			return err
		}
	}
	for i := range e.processes {
		if err := e.receive(i, read); err != nil {
			return err
		}
	}
	return nil
}

// one calls the process that holds a replica.
func (e *engine) one(call byte, replica int, write func(b []byte) []byte, read func(p *payload, i int) error) error {
	if e.closed {
		return errClosed
	}
	if replica < 0 || replica >= e.setup.Replicas {
		return fmt.Errorf("replica %d: the engine has %d", replica, e.setup.Replicas)
	}
	defer e.begun()()
	i := replica % len(e.processes)
	p := e.processes[i]
	b := little.AppendUint32(begin(p.request, call), uint32(replica/len(e.processes)))
	if err := p.send(write(b)); err != nil {
		return err
	}
	return e.receive(i, read)
}

func (e *engine) receive(i int, read func(p *payload, i int) error) error {
	r, err := e.processes[i].receive()
	if err != nil {
		return err
	}
	if read != nil {
		if err := read(r, i); err != nil {
			return err
		}
	}
	return r.done()
}

func (e *engine) Layout() bnn.Layout { return e.layout }

func (e *engine) Replicas() int { return e.setup.Replicas }

func (e *engine) Load(set int, s *images.Set, mean, sd []float64) error {
	err := e.all(callLoad, func(b []byte, _ int) []byte {
		for _, n := range [...]int{set, s.Channels, s.Height, s.Width} {
			b = little.AppendUint32(b, uint32(n))
		}
		b = putBool(b, s.Values == nil)
		if s.Values == nil {
			b = append(little.AppendUint64(b, uint64(len(s.Pixels))), s.Pixels...)
		} else {
			b = putFloats32(b, s.Values)
		}
		b = putFloats(b, mean)
		b = putFloats(b, sd)
		b = putInts32(b, s.Labels)
		return putFloats32(b, s.Targets)
	}, nil)
	if err != nil {
		return fmt.Errorf("load %s: %w", s.Name, err)
	}
	e.expect(4 * s.Len() * e.setup.Network.Outputs) // a prediction
	return nil
}

// outcomes reads those of process i to their replicas' places.
func (e *engine) outcomes(to []bnn.Outcome) func(p *payload, i int) error {
	return func(p *payload, i int) error {
		for r := i; r < len(to); r += len(e.processes) {
			to[r] = bnn.Outcome{Loss: p.float(), Square: p.float(), Reflected: int64(p.u64())}
		}
		return nil
	}
}

func (e *engine) Start(batch bnn.Batch) ([]bnn.Outcome, error) {
	to := make([]bnn.Outcome, e.setup.Replicas)
	return to, e.all(callStart, func(b []byte, _ int) []byte { return putBatch(b, batch) }, e.outcomes(to))
}

func (e *engine) Advance(moves []bnn.Move, batch bnn.Batch) ([]bnn.Outcome, error) {
	if len(moves) != e.setup.Replicas {
		return nil, fmt.Errorf("%d moves for %d replicas", len(moves), e.setup.Replicas)
	}
	to := make([]bnn.Outcome, e.setup.Replicas)
	return to, e.all(callAdvance, func(b []byte, i int) []byte {
		b = little.AppendUint32(b, uint32(e.share(i)))
		for r := i; r < len(moves); r += len(e.processes) {
			b = putMove(b, moves[r])
		}
		return putBatch(b, batch)
	}, e.outcomes(to))
}

func (e *engine) Losses(batch bnn.Batch) ([]float64, error) {
	to := make([]float64, e.setup.Replicas)
	return to, e.all(callLosses, func(b []byte, _ int) []byte { return putBatch(b, batch) },
		func(p *payload, i int) error {
			losses := p.floats()
			if len(losses) != e.share(i) {
				return errShort
			}
			for k, loss := range losses {
				to[i+k*len(e.processes)] = loss
			}
			return nil
		})
}

func (e *engine) Gradient(replica int, batch bnn.Batch) (loss float64, gradient []float64, err error) {
	err = e.one(callGradient, replica, func(b []byte) []byte { return putBatch(b, batch) },
		func(p *payload, _ int) error {
			loss, gradient = p.float(), p.floats()
			return nil
		})
	return loss, gradient, err
}

func (e *engine) Predict(replica, set int) (outputs []float32, err error) {
	err = e.one(callPredict, replica, func(b []byte) []byte { return little.AppendUint32(b, uint32(set)) },
		func(p *payload, _ int) error {
			outputs = p.floats32()
			return nil
		})
	return outputs, err
}

func (e *engine) Recompute(replica int, batches []bnn.Batch) error {
	return e.one(callRecompute, replica, func(b []byte) []byte {
		b = little.AppendUint32(b, uint32(len(batches)))
		for _, batch := range batches {
			b = putBatch(b, batch)
		}
		return b
	}, nil)
}

func (e *engine) State(replica int) (*bnn.State, error) {
	s := new(bnn.State)
	return s, e.one(callState, replica, func(b []byte) []byte { return b }, func(p *payload, _ int) error {
		s.Parameters, s.Momenta, s.Gradient, s.Buffers = p.floats(), p.floats(), p.floats(), p.floats()
		s.Step = p.u64()
		return nil
	})
}

func (e *engine) SetState(replica int, s *bnn.State) error {
	return e.one(callSetState, replica, func(b []byte) []byte {
		for _, x := range [...][]float64{s.Parameters, s.Momenta, s.Gradient, s.Buffers} {
			b = putFloats(b, x)
		}
		return little.AppendUint64(b, s.Step)
	}, nil)
}

func (e *engine) Usage() (sum bnn.Usage, err error) {
	err = e.all(callUsage, func(b []byte, _ int) []byte { return b }, func(p *payload, _ int) error {
		sum.Resident += int64(p.u64())
		sum.Peak += int64(p.u64())
		sum.Device += int64(p.u64())
		sum.CPU += p.float()
		return nil
	})
	return sum, err
}

// Close ends the workers. It does not wait for one that does not end by itself.
func (e *engine) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	for _, p := range e.processes {
		p.peer.Finish() // all may end at the same time
	}
	for _, p := range e.processes {
		p.peer.Stop(grace)
	}
	return nil
}
