package fleet

import (
	"cmp"
	"slices"
	"time"
)

// Members are what is known of a crew at a moment, for those who watch.
type Members struct {
	Here    Member   `json:"here"`    // this machine
	Now     []Member `json:"now"`     // by host and name
	Gone    []Member `json:"gone"`    // the last ones that went, or were not taken
	Waiting int      `json:"waiting"` // blocks that are not answered yet
	Sent    int64    `json:"sent"`    // messages to and from workers
	Bytes   int64    `json:"bytes"`   // of them
}

// A Member is a machine that evaluates states.
type Member struct {
	Name      string    `json:"name,omitempty"`
	Host      string    `json:"host,omitempty"`
	Slots     int       `json:"slots"`
	PerSecond float64   `json:"per_second"` // states, all slots together; 0 is not known
	Way       float64   `json:"way"`        // seconds of a message, there and back; 0 is not known
	Load      int       `json:"load"`       // states that it has yet to answer, or networks that it has
	Answered  int64     `json:"answered"`   // states, or moves of networks
	Fault     string    `json:"fault,omitempty"`
	At        time.Time `json:"at,omitzero"` // when it went
}

// mostGone are those that are remembered.
const mostGone = 16

// Members returns what is known now.
func (c *Crew) Members() Members {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := Members{Here: c.self.member(), Now: []Member{}, Gone: append([]Member{}, c.gone...),
		Waiting: len(c.asked), Sent: c.tally.Messages, Bytes: c.tally.Bytes}
	for _, w := range c.workers {
		if w.taken {
			m.Now = append(m.Now, w.member())
		}
	}
	slices.SortFunc(m.Now, func(a, b Member) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Name, b.Name)) })
	return m
}

func (w *worker) member() Member {
	paces := map[string]*pace{}
	for variant, t := range w.trades {
		paces[variant] = &t.pace
	}
	return Member{Name: w.name, Host: w.host, Slots: w.slots, PerSecond: speed(paces, w.slots), Way: w.way.mean, Load: w.load,
		Answered: w.answered}
}

// speed is how many states are evaluated in a second: of the potential itself where that is
// known, else of the variant that takes longest.
func speed(paces map[string]*pace, slots int) float64 {
	longest := 0.0
	for _, p := range paces {
		longest = max(longest, p.mean)
	}
	if p := paces[""]; p != nil && p.mean > 0 {
		longest = p.mean
	}
	if longest == 0 {
		return 0
	}
	return float64(slots) / longest
}

// remember keeps what is known of a worker that goes, and why. c.mu is held.
func (c *Crew) remember(w *worker, why string) {
	m := w.member()
	m.Load, m.Fault, m.At = 0, why, time.Now()
	c.gone = append(c.gone, m)
	c.gone = c.gone[max(0, len(c.gone)-mostGone):]
}
