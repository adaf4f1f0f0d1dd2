package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/r2sgld/r2sgld/internal/store"
)

// Unfit says why a worker may not do a case that another might.
type Unfit struct{ Err error }

func (e *Unfit) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *Unfit) Unwrap() error { return e.Err }

// casework is what a worker knows of lists of cases.
type casework struct {
	*Worker
	wanted func(context.Context) bool // whether a run asks for states

	mu     sync.Mutex
	js     jetstream.JetStream
	known  map[string]*shelf // by the ID of a list
	all    []*shelf          // lists with cases, when the broker was last asked
	looked time.Time         // when that was
	told   map[string]bool   // lists that are not for this worker
	helped map[string]string // the names of those of which it has done cases
	turn   int
	leave  atomic.Bool   // for a run that asks for states
	inHand atomic.Int32  // cases
	fresh  chan struct{} // has room for one: there is a list
}

func newCasework(w *Worker, conn *nats.Conn, wanted func(context.Context) bool) *casework {
	js, _ := jetstream.New(conn) // whose only fault would be an option
	k := &casework{Worker: w, wanted: wanted, js: js, known: map[string]*shelf{}, told: map[string]bool{}, helped: map[string]string{},
		fresh: make(chan struct{}, 1)}
	_, _ = conn.Subscribe(endOf("*"), k.hear) // as long as the connection; without it the end is not told
	_, _ = conn.Subscribe(newLists, func(*nats.Msg) {
		select {
		case k.fresh <- struct{}{}:
		default:
		}
	})
	return k
}

// hear tells that a list has ended of which this worker has done cases.
func (k *casework) hear(m *nats.Msg) {
	id := strings.TrimPrefix(m.Subject, endOf(""))
	k.mu.Lock()
	name, helped := k.helped[id]
	delete(k.helped, id)
	k.mu.Unlock()
	if helped {
		k.Tell(name + " has ended")
	}
}

// rest waits for a while, or for a list.
func (k *casework) rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-k.fresh:
	case <-time.After(d):
	}
}

// work does cases, one in each slot, until there are no more or a run asks for states; it
// reports whether there were any.
func (k *casework) work(ctx context.Context) bool {
	if k.Case == nil {
		return false
	}
	var any atomic.Bool
	var slots sync.WaitGroup
	k.leave.Store(false)
	for range k.Slots {
		slots.Go(func() {
			var telling sync.WaitGroup // of the case before, while the next is done
			defer telling.Wait()
			for ctx.Err() == nil {
				if k.leave.Load() {
					if k.inHand.Load() == 0 {
						return
					}
					pause(ctx, glance) // the run may be over before the other slots are
					continue
				}
				s, m := k.fetch(ctx)
				switch {
				case m != nil:
					any.Store(true)
					k.inHand.Add(1)
					tell := k.do(ctx, s, m)
					telling.Wait()
					telling.Go(func() { tell(); k.inHand.Add(-1) })
				case k.inHand.Load() == 0:
					return
				}
			}
		})
	}
	over, stop := context.WithCancel(ctx)
	var look sync.WaitGroup
	look.Go(func() {
		for over.Err() == nil {
			pause(over, askEvery)
			k.leave.Store(k.wanted(over))
		}
	})
	slots.Wait()
	stop()
	look.Wait()
	return any.Load()
}

// fetch takes a case of a list, of each in turn; nil if there is none.
func (k *casework) fetch(ctx context.Context) (*shelf, jetstream.Msg) {
	all, from := k.lists(ctx)
	if len(all) == 0 && k.inHand.Load() > 0 {
		pause(ctx, glance)
	}
	for i := range all {
		s := all[(from+i)%len(all)]
		m, err := s.next(context.Background(), glance/time.Duration(len(all))) // what comes at the end goes back at once
		if err != nil {
			k.forget(s)
		}
		if m != nil {
			return s, m
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.looked = time.Time{}
	return nil, nil
}

func (k *casework) forget(s *shelf) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, s.id)
	k.looked = time.Time{}
}

// lists returns those with cases for this worker that nobody has done, and which of them comes first.
// While there are cases it asks the broker once a second.
func (k *casework) lists(ctx context.Context) (all []*shelf, from int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.turn++
	if time.Since(k.looked) < askEvery {
		return k.all, k.turn
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	k.all, k.looked = nil, time.Now()
	found := k.js.ListStreams(ctx, jetstream.WithStreamListSubject(caseSubject+">"))
	for info := range found.Info() {
		id, ours := strings.CutPrefix(info.Config.Name, shelfPrefix)
		if !ours || info.State.Msgs == 0 {
			continue
		}
		if s := k.open(ctx, id, info.Config.Metadata); s != nil {
			k.all = append(k.all, s)
		}
	}
	return k.all, k.turn
}

// open opens a shelf; nil where it is not for this worker. k.mu is held.
func (k *casework) open(ctx context.Context, id string, about map[string]string) *shelf {
	if k.told[id] {
		return nil
	}
	if s := k.known[id]; s != nil {
		return s
	}
	if theirs := about["program"]; theirs != k.Program {
		why := fmt.Sprintf("its cases are for r2sgld %s, this is %s: take the same program, on a machine of the same kind", theirs, k.Program)
		k.Tell(about["name"] + ": " + why)
		k.refuse(id, why)
		return nil
	}
	s, err := found(ctx, k.js, id, about["name"])
	if err != nil {
		return nil // it is being made, or taken away
	}
	k.known[id] = s
	return s
}

// do does a case and returns what tells what came of it, and acknowledges it: in this order, so that
// it is given to another should this worker end in between.
func (k *casework) do(ctx context.Context, s *shelf, m jetstream.Msg) (tell func()) {
	var e errand
	if json.Unmarshal(m.Data(), &e) != nil || e.Key == "" {
		return func() { _ = m.Term() }
	}
	again := delivered(m) > 1
	if again {
		if o, err := s.what(ctx, e.Key); err == nil && o != nil {
			return func() { _ = m.Ack() }
		}
	}
	beating := beatOf(m)
	k.Tell(e.Case.Title)
	d, err := k.make(ctx, s, &e, again)
	var unfit *Unfit
	k.mu.Lock()
	if errors.As(err, &unfit) {
		k.refuse(s.id, err.Error())
	} else {
		k.helped[s.id] = s.name
	}
	k.mu.Unlock()
	return func() {
		defer beating()
		defer os.RemoveAll(d.home)
		k.tell(ctx, s, m, &e, d, err)
	}
}

// refuse leaves a list to others from now on, and lets its board know why. k.mu is held.
func (k *casework) refuse(id, why string) {
	k.told[id], k.looked = true, time.Time{}
	if b, err := json.Marshal(denial{k.Name, hostName(k.Host), why}); err == nil {
		_ = k.js.Conn().Publish(refusedOf(id), b)
	}
}

// delivered is how often a case was.
func delivered(m jetstream.Msg) uint64 {
	about, err := m.Metadata()
	if err != nil {
		return 1 << 62 // unknown: as if it had been delivered before
	}
	return about.NumDelivered
}

// tell tells what came of a case.
func (k *casework) tell(ctx context.Context, s *shelf, m jetstream.Msg, e *errand, d deed, err error) {
	var unfit *Unfit
	switch {
	case errors.As(err, &unfit):
		k.Tell(fmt.Sprintf("%s: %v", e.Case.Title, err))
		_ = m.NakWithDelay(askEvery)
		return
	case err == nil:
		err = k.commit(ctx, s, e, d)
	}
	switch {
	case errors.Is(err, errEnded):
		k.Tell(e.Case.Title + ": is not asked for any more")
	case err != nil && ctx.Err() == nil: // the broker was away: by whoever takes it
		_ = m.NakWithDelay(askEvery)
	case err != nil:
		_ = m.Nak()
	default:
		if d.Failed != "" {
			k.Tell(fmt.Sprintf("%s: failed: %s", e.Case.Title, d.Failed))
		}
		ack, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_ = m.DoubleAck(ack) // delivered again, it is known to be done
		_ = s.js.Conn().Publish(toldOf(s.id), nil)
	}
}

// beatOf tells the broker that a case is being done, until the function that it returns is
// called.
func beatOf(m jetstream.Msg) func() {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(beatCase)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = m.InProgress()
			}
		}
	}()
	return func() { close(done) }
}

// A deed is a case that a worker has done.
type deed struct {
	outcome
	home   string // where its folder is; to be removed
	parted bool   // whether a part of it is at the broker
}

// make does a case, if again from where another worker left it. Its error is that of the context or of the
// way to the broker, or an *Unfit: that the case fails is an outcome.
func (k *casework) make(ctx context.Context, s *shelf, e *errand, again bool) (d deed, err error) {
	d.outcome = outcome{Worker: k.Name, Host: k.Host}
	if err = os.MkdirAll(k.Dir, 0o700); err == nil { // somebody may have removed it
		d.home, err = os.MkdirTemp(k.Dir, casePrefix)
	}
	if err != nil {
		return d, &Unfit{err} // others may have room
	}
	dir := filepath.Join(d.home, caseFolder)
	if again {
		switch err := s.get(ctx, nameOfPart(e.Key), dir); {
		case err != nil && passing(err):
			return d, err
		case err != nil:
			_ = os.RemoveAll(dir) // it begins anew
		}
	}
	place, err := k.furnish(ctx, e.Files, filepath.Join(d.home, "files"), func(ctx context.Context, _ int, f File) (io.ReadCloser, error) {
		return s.open(ctx, nameOfFile(f))
	})
	switch {
	case err != nil && passing(err):
		return d, err
	case err != nil && !errors.Is(err, jetstream.ErrObjectNotFound): // which is of the list
		return d, &Unfit{err}
	case err == nil:
		saved := k.save(s, e, dir)
		err = k.Case(ctx, e.Case, place, dir)
		d.parted = saved(ctx.Err() != nil) || again
	}
	var unfit *Unfit
	switch {
	case ctx.Err() != nil:
		return d, ctx.Err()
	case errors.As(err, &unfit):
		return d, err
	case err != nil:
		d.Failed = err.Error()
	default:
		d.Made = nameOfMade(e.Key, k.Name)
	}
	return d, nil
}

// save keeps checkpoints of a case at the broker as they come, until the function that it
// returns is called: with a last one, if that is to be. It reports whether there are any.
func (k *casework) save(s *shelf, e *errand, dir string) (end func(last bool) bool) {
	ctx, stop := context.WithCancel(context.Background())
	var kept int64
	one := func(ctx context.Context) {
		now := store.Marks(dir)
		if now <= kept {
			return
		}
		if _, err := s.send(ctx, nameOfPart(e.Key), dir, 0); err == nil {
			kept = now
		}
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(max(e.Case.Checkpoint, glance))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				one(ctx)
			}
		}
	})
	return func(last bool) bool {
		stop()
		wait.Wait()
		if last {
			ctx, cancel := context.WithTimeout(context.Background(), askEvery)
			defer cancel()
			one(ctx)
		}
		return kept > 0
	}
}

// commit sends the folder of a case and tells what came of it, unless another has.
func (k *casework) commit(ctx context.Context, s *shelf, e *errand, d deed) error {
	if d.Made != "" {
		err := k.insist(ctx, s, func(ctx context.Context) (err error) {
			d.Folder, err = s.send(ctx, d.Made, filepath.Join(d.home, caseFolder), min(mostFolder, s.js.Conn().MaxPayload()/2))
			return err
		})
		if err != nil {
			return err
		}
	}
	text, err := json.Marshal(d.outcome)
	if err != nil {
		return err
	}
	late := false
	err = k.insist(ctx, s, func(ctx context.Context) error {
		_, err := s.done.Create(ctx, e.Key, text)
		if late = errors.Is(err, jetstream.ErrKeyExists); late {
			err = nil
		}
		return err
	})
	if late {
		known, err := s.what(ctx, e.Key)
		if err != nil {
			return err // it may be ours, whose answer was lost
		}
		if known != nil && known.Worker != d.Worker {
			s.drop(ctx, &d.outcome)
		}
	}
	if d.parted {
		_ = s.things.Delete(ctx, nameOfPart(e.Key)) // it goes with the list otherwise
	}
	return err
}

// insist tries until it is done, the context has ended, or the list is no more: then the error
// is errEnded. So long as the broker is away what was done is kept.
func (k *casework) insist(ctx context.Context, s *shelf, try func(ctx context.Context) error) error {
	for tries := 0; ctx.Err() == nil; tries++ {
		err := try(ctx)
		if err == nil {
			return nil
		}
		asked, cancel := context.WithTimeout(ctx, patience)
		_, gone := s.js.Stream(asked, shelfPrefix+s.id)
		cancel()
		if errors.Is(gone, jetstream.ErrStreamNotFound) {
			k.forget(s)
			return errEnded
		}
		if tries == 0 && ctx.Err() == nil {
			k.Tell(fmt.Sprintf("the broker does not take what was done, which is tried again: %v", unsent(err)))
		}
		pause(ctx, askEvery)
	}
	return ctx.Err()
}
