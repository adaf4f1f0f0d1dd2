package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/spread"
	"github.com/r2sgld/r2sgld/internal/bnn/torch"
	"github.com/r2sgld/r2sgld/internal/fleet"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/training"
	"github.com/r2sgld/r2sgld/internal/vector"
)

// lend has a worker lend the program that its operator allows, if any.
func (w *working) lend(ctx context.Context, to *fleet.Worker) error {
	if !slices.Contains(w.allow, "torch") {
		return nil
	}
	path, err := torch.Find("")
	if err != nil {
		return fmt.Errorf("--allow torch: %w", err)
	}
	library, devices, err := torch.Inspect(ctx, path)
	if err != nil {
		return fmt.Errorf("--allow torch: %w", err)
	}
	for _, d := range w.devices {
		if !slices.Contains(devices, d) {
			return fmt.Errorf("--devices %s: %s, %s, has %s", d, path, library, strings.Join(devices, ", "))
		}
	}
	lent := w.devices
	if lent == nil {
		lent = slices.DeleteFunc(devices, func(d string) bool { return d == "cpu" })
	}
	if len(lent) == 0 {
		lent = []string{"cpu"}
	}
	to.Kit = fleet.Kit{Library: library, Devices: lent}
	to.Start = func(device string) (fleet.Program, error) {
		p, err := torch.StartOn(path, device)
		return lentOut{p}, err
	}
	return nil
}

// lentOut is the program as it runs for another machine.
type lentOut struct{ *torch.Local }

// End ends it. What it was killed for is no news.
func (p lentOut) End() string {
	p.Finish()
	p.Stop(time.Second / 2)
	f, known := p.Fate()
	switch {
	case !known:
		return "nobody knows how"
	case f.Stderr == "":
		return f.State
	}
	return f.State + "; the end of its standard error:\n" + f.Stderr
}

// borrow lets the networks of a training move at workers as well, if there are to be any: crew is
// nil where not. What it returns sends them away.
func (s *staff) borrow(ctx context.Context, j *training.Job, threads int) (crew *fleet.Crew, done func() error, err error) {
	if err := s.check(); err != nil {
		return nil, nil, &job.Refused{Err: err}
	}
	if s.none() {
		return nil, func() error { return nil }, nil
	}
	if j.Settings.Replicas() < 2 {
		j.Warnings = append(j.Warnings, "workers cannot help: there is one network, which moves on this machine.")
		return nil, func() error { return nil }, nil
	}
	path, err := torch.Find("")
	if err != nil {
		return nil, nil, &job.Refused{Err: err}
	}
	library, _, err := torch.Inspect(ctx, path)
	if err != nil {
		return nil, nil, &job.Refused{Err: err}
	}
	crew, done, err = s.gather(&j.Request, fleet.Brief{Command: fleet.Lending, Config: []byte("{}")}, 1, "moved networks %s of %s times")
	if err != nil {
		return nil, nil, err
	}
	devices := j.Devices
	if len(devices) == 0 {
		devices = []string{"cpu"}
	}
	agree := vector.Same
	if s.anyBits {
		agree = spread.Near
		j.Warnings = append(j.Warnings, "--any-bits: workers may have had numbers that differ from this machine's by rounding: results "+
			"depend on who moved which network, and another run may have others.")
	}
	h := &atHome{devices: devices, threads: threads, open: j.Engine}
	j.Engine = func(ctx context.Context, setup bnn.Setup) (bnn.Engine, error) {
		return spread.Open(ctx, setup, spread.Options{Home: h, Agree: agree,
			Others: &afar{crew: crew, home: h, library: library, anyBits: s.anyBits, places: map[string]*lentPlace{}}})
	}
	return crew, done, nil
}

// atHome is this machine as a place of networks.
type atHome struct {
	devices []string
	threads int
	open    func(context.Context, bnn.Setup) (bnn.Engine, error)
}

func (h *atHome) Open(ctx context.Context, s bnn.Setup) (bnn.Engine, error) { return h.open(ctx, s) }

// Slots counts a thread of a CPU, or an accelerator, as one.
func (h *atHome) Slots() int {
	n := 0
	for _, d := range h.devices {
		n += slotsOf(d, h.threads)
	}
	return n
}

// slotsOf is how many networks a device moves at once.
func slotsOf(device string, threads int) int {
	switch {
	case torch.KindOf(device) != "cpu":
		return 1
	case threads <= 0:
		return runtime.GOMAXPROCS(0)
	}
	return threads
}

// afar are the devices of workers, as places of the networks of one engine.
type afar struct {
	crew    *fleet.Crew
	home    *atHome
	library string
	anyBits bool
	places  map[string]*lentPlace // by worker and device
}

// A lentPlace is a device of a worker.
type lentPlace struct {
	fleet.Device
	crew  *fleet.Crew
	here  bool      // it is being proved, or has networks
	bad   bool      // it has other numbers than this machine
	taken bool      // it has proved itself
	lost  int       // times that it was, since it has worked for long
	since time.Time // the last of them
}

const (
	mostLost  = 3                // times, after which a worker is sent away
	between   = 5 * time.Second  // tries
	forgotten = 10 * time.Minute // after which a device that has moved networks again is as new
)

// Come are the devices that were not there before, or were lost for a while.
func (a *afar) Come() (all []spread.Place) {
	for _, d := range a.crew.Devices() {
		p := a.places[placeOf(d)]
		if p == nil {
			p = &lentPlace{Device: d, crew: a.crew}
			a.places[placeOf(d)] = p
		}
		if p.here || p.bad || p.lost > 0 && time.Since(p.since) < between {
			continue
		}
		if p.lost >= mostLost { // it has joined anew
			a.crew.Refuse(d, fmt.Sprintf("was lost %d times", p.lost))
			continue
		}
		if why, ever := a.unfit(d); why != "" {
			if ever {
				a.crew.Refuse(d, why)
			}
			continue
		}
		p.Device, p.here = d, true // it may have joined anew
		all = append(all, p)
	}
	return all
}

// unfit says why a device does not do, and whether no other of its worker does.
func (a *afar) unfit(d fleet.Device) (why string, ever bool) {
	kind := func(device string) bool {
		return slices.ContainsFunc(a.home.devices, func(h string) bool { return torch.KindOf(h) == torch.KindOf(device) })
	}
	switch {
	case a.anyBits:
		return "", false
	case d.Library != a.library:
		return fmt.Sprintf("has %s, and this machine %s, which may compute other bits: take the same on both sides, or --any-bits",
			d.Library, a.library), true
	case !kind(d.Name):
		for _, other := range a.crew.Devices() {
			if other.Worker == d.Worker && kind(other.Name) {
				return "of another kind", false
			}
		}
		return fmt.Sprintf("lends %s, and this machine computes on %s, with other bits: a run with --any-bits takes it", d.Name,
			strings.Join(a.home.devices, ", ")), true
	}
	return "", false
}

func (a *afar) Taken(p spread.Place) {
	l := p.(*lentPlace)
	l.taken = true
	a.crew.Take(l.Device)
}

func (a *afar) Holds(p spread.Place, n int) { a.crew.Holds(p.(*lentPlace).Device, n) }

func (a *afar) Moved(p spread.Place, n int) {
	if l, away := p.(*lentPlace); away {
		if time.Since(l.since) > forgotten {
			l.lost = 0
		}
		a.crew.MovedBy(l.Device, n)
	} else {
		a.crew.Moved(n)
	}
}

func (a *afar) Cut(p spread.Place, after time.Duration) {
	a.crew.Cut(p.(*lentPlace).Device, fmt.Errorf("it has not answered for %v", after.Round(time.Second)))
}

// Refused sends a worker away whose devices all have other numbers.
func (a *afar) Refused(p spread.Place, why error) {
	l := p.(*lentPlace)
	l.here, l.bad = false, true
	for _, d := range a.crew.Devices() {
		if other := a.places[placeOf(d)]; d.Worker == l.Worker && (other == nil || !other.bad) {
			a.crew.Tell(fmt.Sprintf("%v moves no network: %v", &l.Device, why))
			return
		}
	}
	a.crew.Refuse(l.Device, why.Error())
}

// placeOf is the key of a device among places.
func placeOf(d fleet.Device) string { return d.Worker + " " + d.Name }

func (a *afar) Lost(p spread.Place, why error) {
	l := p.(*lentPlace)
	l.here, l.since = false, time.Now()
	l.lost++
	how := "is lost in its proof"
	if l.taken {
		how = "is lost, and its networks go on elsewhere"
	}
	l.taken = false
	a.crew.Holds(l.Device, 0)
	a.crew.Tell(fmt.Sprintf("%v %s: %v", &l.Device, how, why))
	if l.lost >= mostLost {
		a.crew.Refuse(l.Device, fmt.Sprintf("was lost %d times, at last as %v", l.lost, why))
	}
}

func (l *lentPlace) Slots() int { return slotsOf(l.Name, l.Device.Slots) }

// Open has the worker start its program.
func (l *lentPlace) Open(ctx context.Context, s bnn.Setup) (bnn.Engine, error) {
	line, err := l.crew.Reach(ctx, l.Device)
	if err != nil {
		return nil, err
	}
	return torch.Join(ctx, s, lineTo{line}, "r2sgld-torch of "+l.Where, torch.Within(l.Name), l.Device.Slots)
}

// lineTo is the program at the other end of a line.
type lineTo struct{ *fleet.Line }

var _ torch.Peer = lineTo{}

// Finish leaves the end to Stop.
func (l lineTo) Finish() {}

// Kill ends the program.
func (l lineTo) Kill() bool { return l.End() }

// Stop ends the program, which nobody waits for here.
func (l lineTo) Stop(time.Duration) { l.End() }

// Fate is told by the error of the line.
func (l lineTo) Fate() (f torch.Fate, known bool) { return f, false }
