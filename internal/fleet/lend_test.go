//go:build !nohub

package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// An echo is a program that writes what is written to it.
type echo struct {
	*io.PipeReader
	*io.PipeWriter
	ended chan struct{}
	once  sync.Once
}

func newEcho() *echo {
	r, w := io.Pipe()
	return &echo{PipeReader: r, PipeWriter: w, ended: make(chan struct{})}
}

func (e *echo) End() string {
	e.once.Do(func() {
		_ = e.PipeReader.CloseWithError(io.ErrClosedPipe)
		close(e.ended)
	})
	return "killed"
}

// A shop lends echoes.
type shop struct {
	kit   Kit
	began chan *echo
}

func newShop(devices ...string) *shop {
	return &shop{kit: Kit{Library: "lib 1", Devices: devices}, began: make(chan *echo, 16)}
}

func (s *shop) Start(device string) (Program, error) {
	if device == "broken" {
		return nil, errors.New("it is broken")
	}
	e := newEcho()
	select {
	case s.began <- e:
	default: // nobody asks for them
	}
	return e, nil
}

// lends starts a worker of a site that lends what a shop has.
func (s *site) lends(l *shop, with ...func(*Worker)) (kill func()) {
	return s.worker(2, quartic(0), append(with, func(w *Worker) { w.Kit, w.Start = l.kit, l.Start })...)
}

// borrower is a site of a run that needs no states.
func borrower(t *testing.T) *site {
	return newSite(t, quartic(0), func(r *Run) { r.Brief.Command = Lending })
}

// device waits for a device of a name.
func (s *site) device(name string) Device {
	s.t.Helper()
	for range 6000 {
		for _, d := range s.crew.Devices() {
			if d.Name == name {
				return d
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.t.Fatalf("no device %s comes: %s", name, s.said())
	return Device{}
}

// reach opens a line to a device, once programs before it have ended.
func (s *site) reach(name string) *Line {
	s.t.Helper()
	d := s.device(name)
	l, err := s.crew.Reach(s.t.Context(), d)
	for err != nil && strings.Contains(err.Error(), "programs run on") {
		l, err = s.crew.Reach(s.t.Context(), d)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { l.End() })
	return l
}

// TestLine: what is written to a program at a worker comes back whole and in its order, in pieces of
// any size, more than a window of it, and files among it, of which each is sent once.
func TestLine(t *testing.T) {
	t.Parallel()
	s := borrower(t)
	shop := newShop("cpu", "cuda:0")
	dir := t.TempDir()
	s.lends(shop, func(w *Worker) { w.Dir = dir })
	files := map[[32]byte]bool{}
	rapid.Check(t, func(r *rapid.T) {
		l := s.reach(rapid.SampledFrom([]string{"cpu", "cuda:0"}).Draw(r, "device"))
		defer l.End()
		var want []byte
		var given [][]byte
		for i := range rapid.IntRange(1, 4).Draw(r, "writes") {
			n := rapid.SampledFrom([]int{0, 1, 5, 1000, piece, piece + 1, window + 3*piece}).Draw(r, fmt.Sprint("bytes ", i))
			b := make([]byte, n)
			for k := range b {
				b[k] = byte(k*k>>3 + i)
			}
			given, want = append(given, b), append(want, b...)
		}
		gifts := rapid.SliceOfN(rapid.Bool(), len(given), len(given)).Draw(r, "files")
		written := make(chan error, 1)
		go func() {
			var errs []error
			for i, b := range given {
				write := l.Write
				if gifts[i] {
					write = l.Give
				}
				_, err := write(b)
				errs = append(errs, err)
			}
			written <- errors.Join(errs...)
		}()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(l, got); err != nil || !bytes.Equal(got, want) {
			r.Fatalf("%d bytes come back otherwise: %v", len(want), err)
		}
		if err := <-written; err != nil {
			r.Fatal(err)
		}
		for i, b := range given {
			if gifts[i] {
				files[sha256.Sum256(b)] = true
			}
		}
	})
	kept, _ := os.ReadDir(filepath.Join(dir, filesFolder))
	if len(kept) != len(files) || len(s.crew.gifts.files) != len(files) {
		t.Errorf("%d files are kept there and %d here, of %d", len(kept), len(s.crew.gifts.files), len(files))
	}
}

// TestLineEnds: a line ends at both ends when either ends, when its worker is lost, and when the run is
// over; who waits for it hears why, and the program is ended.
func TestLineEnds(t *testing.T) {
	t.Parallel()
	for why, end := range map[string]func(s *site, l *Line, e *echo, kill func()){
		"the run needs": func(_ *site, l *Line, _ *echo, _ func()) { l.End() },
		"killed":        func(_ *site, _ *Line, e *echo, _ func()) { _ = e.PipeWriter.CloseWithError(io.EOF) },
		"connection":    func(_ *site, _ *Line, _ *echo, kill func()) { kill() },
		"not answered": func(s *site, _ *Line, _ *echo, _ func()) {
			s.crew.Cut(s.device("cpu"), errors.New("it has not answered"))
		},
		"sent away by us": func(s *site, _ *Line, _ *echo, _ func()) { s.crew.Refuse(s.device("cpu"), "is not liked") },
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			s := borrower(t)
			shop := newShop("cpu")
			kill := s.lends(shop)
			l := s.reach("cpu")
			e := <-shop.began
			heard := make(chan error, 1)
			go func() {
				_, err := l.Read(make([]byte, 1))
				heard <- err
			}()
			end(s, l, e, kill)
			if err := <-heard; err == nil || why != "sent away by us" && !strings.Contains(err.Error(), why) {
				t.Errorf("%v", err)
			}
			<-e.ended
			if _, err := l.Write([]byte("more")); err == nil {
				t.Error("it can be written to")
			}
		})
	}
}

// TestLostMessages: a message that is lost breaks a line, and so does one that comes twice or is none,
// and a peer that sends more than it may. Nothing of what comes after it is taken.
func TestLostMessages(t *testing.T) {
	t.Parallel()
	s := borrower(t)
	message := func(n int, kind byte, text string) []byte {
		return append(append(binary.LittleEndian.AppendUint64(nil, uint64(n)), kind), text...)
	}
	flood := [][]byte{}
	for i := range 5 * window / piece {
		flood = append(flood, message(i, lineBytes, strings.Repeat("x", piece)))
	}
	for name, messages := range map[string][][]byte{
		"lost":           {message(0, lineBytes, "a"), message(2, lineBytes, "c")},
		"twice":          {message(0, lineBytes, "a"), message(0, lineBytes, "a")},
		"short":          {message(0, lineBytes, "a"), {1, 2}},
		"taken unsent":   {message(0, lineBytes, "a"), message(1, lineTaken, "\x01\x00\x00\x00\x00\x00\x00\x00")},
		"no file":        {message(0, lineBytes, "a"), message(1, lineFile, `{"sha256": "../../x", "size": 3}`)},
		"too large":      {message(0, lineBytes, "a"), message(1, lineFile, `{"sha256": "`+strings.Repeat("a", 64)+`", "size": 99999999999}`)},
		"more than asks": flood,
	} {
		l, err := newLine(s.crew.conn, "test.in."+strings.ReplaceAll(name, " ", ""), "test.out")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			l.hear(m)
		}
		if !l.broken() {
			t.Errorf("%s breaks no line", name)
			continue
		}
		for {
			if _, err = l.take(); err != nil {
				break
			}
		}
		if _, ok := errors.AsType[*ended](err); ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnheardLine: a line on which nothing has come is ended, so that its program is; one that has heard
// its other end goes on.
func TestUnheardLine(t *testing.T) {
	t.Parallel()
	s := borrower(t)
	for name, messages := range map[string]int{"unheard": 0, "heard": 1} {
		l, err := newLine(s.crew.conn, "test.in."+name, "test.out")
		if err != nil {
			t.Fatal(err)
		}
		for n := range messages {
			l.hear(append(binary.LittleEndian.AppendUint64(nil, uint64(n)), lineBytes, 'a'))
		}
		if l.expect(); l.broken() != (messages == 0) {
			t.Errorf("a line that was %s: broken %v", name, l.broken())
		}
		l.end(errStops)
	}
}

// TestLendsWhatItHas: a worker starts programs on its devices alone, so many at once, and says why not.
func TestLendsWhatItHas(t *testing.T) {
	t.Parallel()
	s := borrower(t)
	s.lends(newShop("cpu", "broken"))
	d := s.device("cpu")
	for name, want := range map[string]string{"cuda:7": `it lends cpu, broken, not "cuda:7"`, "broken": "it is broken"} {
		other := d
		other.Name = name
		if _, err := s.crew.Reach(t.Context(), other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v instead of %q", err, want)
		}
	}
	for range mostLines {
		s.reach("cpu")
	}
	if _, err := s.crew.Reach(t.Context(), d); err == nil || !strings.Contains(err.Error(), "4 programs run on cpu already") {
		t.Errorf("%v", err)
	}
}

// TestMembersOfLoans: those who watch see how many networks a worker has, and how often it moved any.
func TestMembersOfLoans(t *testing.T) {
	t.Parallel()
	s := borrower(t)
	s.lends(newShop("cpu", "cuda:0"))
	cpu, cuda := s.device("cpu"), s.device("cuda:0")
	s.crew.Take(cpu)
	s.crew.Take(cuda)
	s.crew.Holds(cpu, 2)
	s.crew.Holds(cuda, 3)
	s.crew.MovedBy(cuda, 3)
	s.crew.Holds(cuda, 1)
	s.crew.MovedBy(cuda, 1)
	s.crew.Moved(5)
	m := s.crew.Members()
	if len(m.Now) != 1 || m.Now[0].Load != 3 || m.Now[0].Answered != 4 {
		t.Errorf("%+v", m)
	}
	if got := s.crew.Tally(); got.States != 9 || got.Elsewhere != 4 {
		t.Errorf("%+v", got)
	}
	if said := s.said(); strings.Count(said, "joins") != 1 {
		t.Errorf("told is %q", said)
	}
	s.crew.Refuse(cpu, "is not liked")
	if m = s.crew.Members(); len(m.Now) != 0 || len(m.Gone) != 1 || m.Gone[0].Fault != "is not liked" {
		t.Errorf("%+v", m)
	}
}

// TestLendsNothing: both sides hear of a worker whose operator allows no programs.
func TestLendsNothing(t *testing.T) {
	t.Parallel()
	s := borrower(t)
	told := make(chan string, 16)
	s.lends(newShop(), func(w *Worker) { w.Tell = func(m string) { told <- m } })
	s.hears("a worker with --allow torch lends its devices")
	for m := range told {
		if strings.Contains(m, "a worker with --allow torch lends its devices") {
			break
		}
	}
}

// TestBrokerOfLoans: while the broker is away a line breaks, and the device can be reached again once it is back.
func TestBrokerOfLoans(t *testing.T) {
	t.Parallel()
	s := borrower(t)
	shop := newShop("cpu")
	s.lends(shop)
	l := s.reach("cpu")
	e := <-shop.began
	address, token := s.broker.server.Addr().String(), s.broker.token
	s.broker.Close()
	b, err := Listen(address, token, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.broker = b
	if _, err := l.Read(make([]byte, 1)); err == nil {
		t.Error("nothing was lost")
	}
	<-e.ended
	for {
		again, err := s.crew.Reach(t.Context(), s.device("cpu"))
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		defer again.End()
		if _, err := again.Write([]byte("x")); err == nil {
			if _, err = io.ReadFull(again, make([]byte, 1)); err == nil {
				break
			}
		}
	}
}
