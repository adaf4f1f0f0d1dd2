package spread

import (
	"slices"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// replace gives up seats, and has their replicas go on elsewhere.
func (e *Engine) replace(faults []fault) error {
	if err := e.drop(faults); err != nil {
		return err
	}
	return e.arrange()
}

// arrange has all replicas where they are dealt to, also where places are lost meanwhile.
func (e *Engine) arrange() error {
	for {
		faults, err := e.shift(e.deal())
		if err != nil {
			return err
		}
		if len(faults) == 0 {
			return nil
		}
		if err := e.drop(faults); err != nil {
			return err
		}
	}
}

// deal says which replicas each seat is to hold: as many as it has slots for, all of them filled
// alike, and at least one at home. Replicas stay where they are as far as that goes.
func (e *Engine) deal() map[*seat][]int {
	count := map[*seat]int{e.home(): 1}
	for range e.setup.Replicas - 1 {
		best := e.home()
		for _, s := range e.seats[1:] {
			if (count[s]+1)*best.place.Slots() < (count[best]+1)*s.place.Slots() {
				best = s
			}
		}
		count[best]++
	}
	dealt, held := map[*seat][]int{}, map[int]bool{}
	for _, s := range e.seats {
		dealt[s] = slices.Clone(s.holds[:min(len(s.holds), count[s])])
		for _, r := range dealt[s] {
			held[r] = true
		}
	}
	left := slices.DeleteFunc(e.every(), func(r int) bool { return held[r] })
	for _, s := range e.seats {
		n := count[s] - len(dealt[s])
		dealt[s] = append(dealt[s], left[:n]...)
		left = left[n:]
		slices.Sort(dealt[s])
	}
	return dealt
}

// shift has seats hold what they are dealt. Of places that are lost meanwhile the replicas are with
// nobody then.
func (e *Engine) shift(dealt map[*seat][]int) (lost []fault, err error) {
	changed := slices.DeleteFunc(slices.Clone(e.seats), func(s *seat) bool { return slices.Equal(s.holds, dealt[s]) })
	if lost = e.gather(changed); len(lost) > 0 {
		return lost, nil
	}
	if err := e.again(); err != nil {
		return nil, err
	}
	lost = e.fan(changed, func(s *seat) (err error) {
		if len(dealt[s]) == 0 {
			return nil
		}
		states := map[int]*bnn.State{}
		for _, r := range dealt[s] {
			states[r] = e.bases[r].state
		}
		if s.engine, err = e.opened(s.place, e.sets, dealt[s], states); err == nil {
			s.holds = dealt[s]
		}
		return err
	})
	if len(lost) > 0 {
		return lost, nil
	}
	for _, s := range e.seats[1:] {
		e.Others.Holds(s.place, len(s.holds))
	}
	for _, r := range e.home().holds {
		delete(e.bases, r)
	}
	if len(e.bases) == 0 {
		e.journal.forget(e.journal.end())
	}
	return nil, nil
}

// gather takes the states of all replicas of some seats, and closes what is there.
func (e *Engine) gather(seats []*seat) (lost []fault) {
	states := make([]map[int]*bnn.State, len(seats))
	used := make([]bnn.Usage, len(seats))
	for i := range seats {
		states[i] = map[int]*bnn.State{}
	}
	lost = e.fan(seats, func(s *seat) error {
		i := slices.Index(seats, s)
		for k, r := range s.holds {
			state, err := s.engine.State(k)
			if err == nil {
				err = e.fits(state)
			}
			if err != nil {
				return err
			}
			states[i][r] = state
		}
		return nil
	})
	for i, s := range seats {
		if len(s.holds) == 0 || slices.ContainsFunc(lost, func(f fault) bool { return f.seat == s }) {
			continue
		}
		if u, err := s.engine.Usage(); err == nil {
			used[i] = u
		}
		_ = s.engine.Close()
		e.spent.CPU += used[i].CPU
		e.spent.Peak, e.spent.Device = max(e.spent.Peak, used[i].Peak), max(e.spent.Device, used[i].Device)
		s.engine, s.holds = nil, nil
		for r, state := range states[i] {
			e.bases[r] = base{state, e.journal.end()}
		}
	}
	return lost
}

// again moves replicas that nobody holds, from their bases to where they were.
func (e *Engine) again() error {
	held := map[int]bool{}
	for _, s := range e.seats {
		for _, r := range s.holds {
			held[r] = true
		}
	}
	late := map[int][]int{} // replicas by their bases
	for _, r := range e.every() {
		if b := e.bases[r]; !held[r] && b.at < e.journal.end() {
			late[b.at] = append(late[b.at], r)
		}
	}
	for at, replicas := range late {
		if err := e.redo(at, replicas); err != nil {
			return err
		}
	}
	return nil
}

// redo does the deeds since a base again, at home.
func (e *Engine) redo(at int, replicas []int) error {
	states := map[int]*bnn.State{}
	for _, r := range replicas {
		states[r] = e.bases[r].state
	}
	engine, err := e.opened(e.Home, e.sets, replicas, states)
	if err != nil {
		return err
	}
	defer engine.Close()
	for _, d := range e.journal.since(at) {
		out, err := d.do(engine, replicas)
		if err != nil {
			return err
		}
		for k := range out {
			e.redone[replicas[k]] = out[k]
		}
	}
	for k, r := range replicas {
		s, err := engine.State(k)
		if err != nil {
			return err
		}
		e.bases[r] = base{s, e.journal.end()}
	}
	return nil
}
