package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/r2sgld/r2sgld/internal/cases"
)

// A Board offers cases of a list to the workers of a broker.
type Board struct {
	Name    string // of the list, for people
	ID      string // of the list, unlike that of any other: letters and digits
	Program string // workers with another one do not take the cases
	Dir     string // a folder for what comes home
	// Connect connects to the broker.
	Connect func() (*nats.Conn, error)
	Tell    func(string)
}

// A stage is where a case is.
type stage int

const (
	offered stage = iota // it is on the shelf, or is to be
	kept                 // in reserve: nobody else knows of it
	ours                 // it is being done here, or is to be
	coming               // it is being taken home
	over
)

// A posting is a list that is offered.
type posting struct {
	*Board
	list *cases.List
	conn *nats.Conn
	js   jetstream.JetStream
	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup
	all  context.Context // ends once nothing is left
	rest context.CancelFunc
	news chan struct{} // has room for one: a hand waits for what is told
	idle atomic.Int32  // hands that have waited for a moment

	mu     sync.Mutex
	shelf  *shelf // nil until its files are there
	errand map[int]*errand
	number map[string]int // by the key
	stage  map[int]stage
	own    []int     // to be done here
	spare  []int     // those in reserve, whose stage is kept
	took   time.Time // when a hand took one of them
	left   int       // that are not over
	stale  []string  // keys of those that were done here while the broker was away
	full   bool      // it refuses what is offered
	lost   time.Time // since when it is away or refuses; zero while it is there

	posted bool   // whether all that is offered is on the shelf; these are watch's alone
	seen   uint64 // messages of outcomes that were looked at
	demand demand
}

// Offer has workers do those cases of a list of which nothing is here.
func (b *Board) Offer(ctx context.Context, l *cases.List) (cases.Source, error) {
	p := &posting{Board: b, list: l, errand: map[int]*errand{}, number: map[string]int{}, stage: map[int]stage{}, own: l.Begun,
		left: len(l.Begun) + len(l.Left), news: make(chan struct{}, 1)}
	for _, i := range l.Begun {
		p.stage[i] = ours
	}
	files := catalogue{}
	for _, i := range l.Left {
		c, err := l.Case(i)
		if err != nil {
			return nil, err
		}
		e, err := newErrand(b.Program, c, files)
		if err != nil {
			return nil, err
		}
		p.errand[i], p.number[e.Key] = e, i
	}
	var err error
	if p.conn, err = b.Connect(); err != nil {
		return nil, err
	}
	if p.js, err = jetstream.New(p.conn, jetstream.WithPublishAsyncTimeout(patience)); err != nil {
		p.conn.Close()
		return nil, err
	}
	p.ctx, p.stop = context.WithCancel(ctx)
	p.all, p.rest = context.WithCancel(p.ctx)
	_, _ = p.conn.Subscribe(toldOf(p.ID), func(*nats.Msg) { // as long as the connection; what is not heard is looked for
		if p.idle.Load() > 0 {
			p.look()
		}
	})
	refused := map[string]bool{}
	_, _ = p.conn.Subscribe(refusedOf(p.ID), func(m *nats.Msg) { p.hear(m.Data, refused) })
	p.wait.Go(p.watch)
	return p, nil
}

// hear tells which worker may not do the cases, once of each and of so many.
func (p *posting) hear(m []byte, refused map[string]bool) {
	var r denial
	if json.Unmarshal(m, &r) != nil || !plainName(r.Worker, mostName) || !plainName(r.Host, 4*mostName) || refused[r.Worker] ||
		len(refused) > mostDenials {
		return
	}
	refused[r.Worker] = true
	if len(refused) > mostDenials {
		p.Tell("more workers do no more of these cases; each says why on its own terminal")
		return
	}
	p.Tell(fmt.Sprintf("worker %s on %s does no more of these cases: %s", r.Worker, r.Host, below(r.Why[:min(len(r.Why), mostText)])))
}

// refused notes that the broker is there and does not take what is offered, as one without room. What
// nobody has is not waited for.
func (p *posting) refused(err error) {
	p.mu.Lock()
	first := !p.full
	if p.full = true; first {
		p.lost = time.Now().Add(-silence)
	}
	p.mu.Unlock()
	if first && p.ctx.Err() == nil {
		p.Tell(fmt.Sprintf("cases are done here alone, for workers cannot be offered any: %v%s", err, roomless(err)))
	}
}

// roomless asks for room where a broker refuses for want of it.
func roomless(err error) string {
	const limits, insufficient, exceeded, failed = 10002, 10023, 10047, 10077 // error codes of JetStream: of an account, resources, storage, a store
	var refusal *jetstream.APIError
	if errors.As(err, &refusal) && slices.Contains([]jetstream.ErrorCode{limits, insufficient, exceeded, failed}, refusal.ErrorCode) {
		return ": the disk of the broker is full, or what it may keep there"
	}
	return ""
}

// offer posts; that the broker refuses is told.
func (p *posting) offer() error {
	err := p.insist()
	if err != nil {
		p.refused(err)
	}
	return err
}

// insist posts, unless the broker is away: then it is done once that is back. Its error is that
// the broker refuses.
func (p *posting) insist() (err error) {
	for range 2 { // it may have come back in between
		if err = p.post(); err == nil || p.conn.FlushTimeout(askEvery) != nil {
			return nil
		}
	}
	return err
}

// post declares the shelf and puts on it what is offered and not known to be done. The first cases are
// done while others are put there.
func (p *posting) post() error {
	p.posted, p.seen = false, 0
	s, told, err := p.declare()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, key := range told {
		known[key] = true
	}
	var all []*errand
	p.mu.Lock()
	if p.shelf == nil && s.bare && len(told) == 0 {
		p.reserve()
	}
	for _, i := range p.list.Left {
		if e := p.errand[i]; p.stage[i] == offered && !known[e.Key] {
			all = append(all, e)
		}
	}
	p.mu.Unlock()
	if err := s.putFiles(p.ctx, all); err != nil { // as long as they take
		return err
	}
	p.mu.Lock()
	p.shelf = s
	p.mu.Unlock()
	if err := s.put(p.ctx, all); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full, p.posted = false, true
	return nil
}

// declare makes the shelf or finds it, with the keys of which something is told.
func (p *posting) declare() (s *shelf, told []string, err error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if s, err = declare(ctx, p.js, p.ID, map[string]string{"name": p.Name, "program": p.Program}); err == nil {
		told, err = s.keys(ctx)
	}
	return s, told, err
}

const (
	watchEvery = 100 * time.Millisecond // while not all is offered
	moment     = watchEvery / 10

	mostDenials = 16                     // that are told
	glance      = 500 * time.Millisecond // for a case to come
)

// Next waits for a case that nobody does.
func (p *posting) Next(ctx context.Context) (int, bool) {
	for ctx.Err() == nil {
		i, there, left := p.here()
		if there || !left {
			return i, there
		}
		s := p.shelfNow()
		if s == nil {
			pause(ctx, moment)
			continue
		}
		m, err := p.await(s)
		if err != nil {
			pause(ctx, glance)
		}
		if m == nil {
			continue
		}
		var e errand
		_ = json.Unmarshal(m.Data(), &e)
		i, ok := p.take(e.Key)
		_ = m.Ack() // should this program die, the next offers it again
		if ok {
			return i, true
		}
	}
	return 0, false
}

// await waits for a case of the queue. Once it has waited for a moment what is told is looked at as
// soon as it comes.
func (p *posting) await(s *shelf) (jetstream.Msg, error) {
	long := time.AfterFunc(moment, func() { p.idle.Add(1); p.look() })
	defer func() {
		if !long.Stop() {
			p.idle.Add(-1)
		}
	}()
	return s.next(p.all, glance)
}

// look has watch look at what is told.
func (p *posting) look() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

func (p *posting) shelfNow() *shelf {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shelf
}

// take has a case be done here, if it is still offered.
func (p *posting) take(key string) (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, known := p.number[key]
	if !known || p.stage[i] != offered {
		return 0, false
	}
	p.stage[i] = ours
	return i, true
}

// here is a case that is to be done here in any case: one that was begun here, or failed
// elsewhere, and any while the broker is away.
func (p *posting) here() (i int, there, left bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.own) > 0 {
		i, p.own = p.own[0], p.own[1:]
		return i, true, true
	}
	if len(p.spare) > 0 {
		i, p.spare = p.spare[0], p.spare[1:]
		p.stage[i], p.took = ours, time.Now()
		return i, true, true
	}
	switch {
	case p.conn.IsConnected() && !p.full:
		p.lost = time.Time{}
	case p.lost.IsZero():
		p.lost = time.Now()
	case time.Since(p.lost) > silence:
		for _, i := range p.list.Left {
			if p.stage[i] == offered {
				p.stage[i], p.stale = ours, append(p.stale, p.errand[i].Key)
				return i, true, true
			}
		}
	}
	return 0, false, p.left > 0
}

// Done notes that a case was done here.
func (p *posting) Done(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finish(i)
}

// finish notes that a case is over. p.mu is held.
func (p *posting) finish(i int) {
	if p.stage[i] != over {
		p.stage[i] = over
		if p.left--; p.left == 0 {
			p.rest()
		}
	}
}

// watch posts the cases and takes home what workers have done: at once while a hand waits for that, else
// from time to time.
func (p *posting) watch() {
	p.offer()
	for p.ctx.Err() == nil {
		every := watchEvery
		if p.posted && !p.demand.short && p.conn.IsConnected() {
			every = askEvery
		}
		select {
		case <-p.ctx.Done():
		case <-p.news:
		case <-time.After(every):
		}
		if !p.conn.IsConnected() {
			continue
		}
		err := p.glance()
		forgotten := errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound)
		if forgotten || err == nil && !p.posted { // or the broker was away, or without room
			err = p.offer()
		}
		if err != nil && p.ctx.Err() == nil {
			pause(p.ctx, askEvery) // it is away, or about to be
		}
	}
}

func (p *posting) glance() error {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	s := p.shelfNow()
	if s == nil {
		return nil
	}
	queue, err := s.js.Stream(ctx, shelfPrefix+p.ID)
	if err != nil {
		return err
	}
	p.mu.Lock()
	stale := p.stale
	p.mu.Unlock()
	for _, key := range stale {
		if err := queue.Purge(ctx, jetstream.WithPurgeSubject(s.subject(key))); err != nil {
			return err
		}
	}
	p.mu.Lock()
	p.stale = p.stale[len(stale):]
	p.mu.Unlock()
	lost := false // one on its way
	seen, err := s.news(ctx, p.seen, func(key string, o *outcome) {
		p.mu.Lock()
		i, known := p.number[key]
		fresh := known && p.stage[i] == offered
		if fresh {
			p.stage[i] = coming
		}
		p.mu.Unlock()
		if fresh {
			lost = !p.fetch(s, i, o) || lost
		}
	})
	if p.seen = seen; lost {
		p.seen = 0
	}
	if err != nil {
		return err
	}
	if p.posted && !lost && queue.CachedInfo().State.Msgs == 0 { // before outcomes were looked at, which come before their messages go
		p.recall()
	}
	return p.supply(ctx, s)
}

// recall has those cases be done here that nobody does: their messages are gone, by whomever.
func (p *posting) recall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range p.list.Left {
		if p.stage[i] == offered {
			p.stage[i], p.own = ours, append(p.own, i)
		}
	}
}

// fetch takes a case home. What fails elsewhere is done here. It reports whether nothing was lost on
// the way.
func (p *posting) fetch(s *shelf, i int, o *outcome) bool {
	var dir string
	var err error
	if o.Failed != "" {
		err = errors.New(below(o.Failed))
	}
	if err == nil {
		dir, err = os.MkdirTemp(p.Dir, "home-")
	}
	if err == nil {
		defer os.RemoveAll(dir)
		at := filepath.Join(dir, "case")
		if err = s.home(p.ctx, o, at); err == nil {
			err = p.list.Home(i, at, fmt.Sprintf("worker %s on %s", o.Worker, o.Host))
		}
	}
	p.mu.Lock()
	switch {
	case err == nil:
		p.finish(i)
	case p.ctx.Err() != nil || !p.conn.IsConnected() || passing(err):
		p.stage[i] = offered // and is looked at again
	default:
		p.stage[i], p.own = ours, append(p.own, i)
	}
	at := p.stage[i]
	p.mu.Unlock()
	switch at {
	case over:
		s.drop(p.ctx, o)
	case ours:
		p.Tell(fmt.Sprintf("%s: is done here, since elsewhere it failed: %v", p.errand[i].Case.Title, err))
	}
	return at != offered
}

// Close takes the list away if all is done, and else leaves it for who goes on.
func (p *posting) Close() error {
	p.stop()
	p.wait.Wait()
	p.mu.Lock()
	left := p.left
	p.mu.Unlock()
	if left == 0 && p.conn.IsConnected() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = p.conn.Publish(endOf(p.ID), nil)
		_ = clearShelf(ctx, p.js, p.ID) // a broker that goes away now keeps it in vain
	}
	p.conn.Close()
	return nil
}
