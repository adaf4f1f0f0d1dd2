package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Lending is the command of runs that need no states but programs of workers, on their devices.
const Lending = "train"

// A Kit is what a worker lends: devices, for a program that has a library.
type Kit struct {
	Library string   `json:"library"`
	Devices []string `json:"devices"`
}

const mostDevices = 256 // of a worker

// sound reports whether a kit is one: people read its names.
func (k *Kit) sound() bool {
	if len(k.Devices) > mostDevices || !plainWords(k.Library) {
		return false
	}
	return !slices.ContainsFunc(k.Devices, func(d string) bool { return !plainDevice(d) })
}

// plainDevice reports whether a device has a name as cpu and cuda:0 do.
func plainDevice(s string) bool {
	kind, number, _ := strings.Cut(s, ":")
	return plainName(kind, mostName) && (number == "" || plainName(number, mostName))
}

// plainWords reports whether words can be shown to people.
func plainWords(s string) bool {
	return len(s) <= 4*mostName && !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' })
}

// A Device is one that a worker lends.
type Device struct {
	Name          string
	Library       string
	Slots         int // of the worker
	Worker, Where string
	worker        *worker
}

func (d *Device) String() string { return fmt.Sprintf("%s of %v", d.Name, d.worker) }

// Devices are those that workers lend now.
func (c *Crew) Devices() (all []Device) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.workers {
		for _, name := range w.kit.Devices {
			all = append(all, Device{Name: name, Library: w.kit.Library, Slots: w.slots, Worker: w.name, Where: w.host, worker: w})
		}
	}
	slices.SortFunc(all, func(a, b Device) int { return strings.Compare(a.Worker+" "+a.Name, b.Worker+" "+b.Name) })
	return all
}

// errAway is why a line ends whose worker is not there any more.
var errAway = errors.New("its connection was lost")

// opening asks a worker to start its program for a device, at the end of a line.
type opening struct {
	Line   string `json:"line"`
	Device string `json:"device"`
}

// opened answers; the error is why not.
type opened struct {
	Error string `json:"error,omitempty"`
}

// Reach has a worker start its program for a device. The line must be ended.
func (c *Crew) Reach(ctx context.Context, d Device) (*Line, error) {
	id := NewToken()[:12]
	l, err := newLine(c.conn, upOf(c.id, id), downOf(c.id, id))
	if err != nil {
		return nil, err
	}
	long := &Line{line: l, crew: c, worker: d.worker, device: d.Name}
	question, err := json.Marshal(opening{id, d.Name})
	if err == nil {
		err = c.reach(ctx, d, question)
	}
	if err == nil {
		err = c.hold(long)
	}
	if err != nil {
		l.end(err)
		return nil, err
	}
	return long, nil
}

// reach asks a worker for a program.
func (c *Crew) reach(ctx context.Context, d Device, question []byte) error {
	m, err := c.conn.RequestWithContext(within(ctx, 2*patience), openingOf(c.id, d.Worker), question)
	if err != nil {
		return fmt.Errorf("%v does not answer: %w", d.worker, err)
	}
	var o opened
	if err := json.Unmarshal(m.Data, &o); err != nil {
		return fmt.Errorf("%v: %w", d.worker, err)
	}
	if o.Error != "" {
		return fmt.Errorf("%v: %s", d.worker, o.Error[:min(len(o.Error), mostText)])
	}
	return nil
}

// hold notes a line, which breaks when its worker is lost.
func (c *Crew) hold(l *Line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := l.worker
	if c.workers[w.name] != w {
		return errAway
	}
	w.lines = slices.DeleteFunc(w.lines, func(o *Line) bool { return o.broken() })
	w.lines = append(w.lines, l)
	return nil
}

// hangUp ends the lines to a worker's programs.
func (w *worker) hangUp(why error) {
	for _, l := range w.lines {
		l.end(why)
	}
	w.lines = nil
}

// Cut ends the lines to a device.
func (c *Crew) Cut(d Device, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range d.worker.lines {
		if l.device == d.Name {
			l.end(why)
		}
	}
}

// Moved notes that networks were moved so many times, by this machine.
func (c *Crew) Moved(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tally.States += int64(n)
}

// MovedBy notes that networks were moved so many times, by a device.
func (c *Crew) MovedBy(d Device, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.worker.answered += int64(n)
	c.tally.States += int64(n)
	c.tally.Elsewhere += int64(n)
}

// pass counts bytes of lines.
func (c *Crew) pass(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tally.Messages++
	c.tally.Bytes += int64(n)
}

// Take says that a worker's device has proved itself.
func (c *Crew) Take(d Device) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := d.worker; !w.taken {
		w.taken = true
		c.Tell(fmt.Sprintf("worker %v joins; %s", w, c.crowd()))
	}
}

// Refuse sends the worker of a device away for good.
func (c *Crew) Refuse(d Device, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dismiss(d.worker, farewell{Why: why})
}

// Holds notes how many replicas the devices of a worker have, for those who watch.
func (c *Crew) Holds(d Device, replicas int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.worker.held == nil {
		d.worker.held = map[string]int{}
	}
	d.worker.held[d.Name] = replicas
	d.worker.load = 0
	for _, n := range d.worker.held {
		d.worker.load += n
	}
}

// errNoKit is the reason of a worker that lends nothing.
var errNoKit = errors.New("it trains networks: a worker with --allow torch lends its devices")
