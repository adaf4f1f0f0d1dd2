package exchange

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// counters is all of an Exchange that is no list.
type counters struct {
	Sweeps, Estimates            int64
	Counted, RoundTrips, Restart int64
	Level                        float64
}

// tally is what changes in a Pair.
type tally struct {
	Attempts, Accepted, Weighed int64
	Probability, Variance       float64
}

// lists are the lists of an Exchange, for encoding and decoding in place, with
// pairs in place of those of the statistics.
func (e *Exchange) lists(c *counters, pairs []tally) []any {
	return []any{c, pairs, e.stats.Noise, e.stats.stones, e.traded, e.travel}
}

// AppendBinary appends everything that later sweeps depend on or that is
// counted: the place in the scheme, gates, σ̃², the level of rule indicator, the
// travels of replicas, noise and evidence.
func (e *Exchange) AppendBinary(b []byte) ([]byte, error) {
	c := counters{int64(e.sweeps), int64(e.estimates), e.stats.Sweeps, e.stats.RoundTrips, e.stats.Restarts, e.level}
	pairs := make([]tally, len(e.stats.Pairs))
	for i, p := range e.stats.Pairs {
		pairs[i] = tally{p.Attempts, p.Accepted, p.Weighed, p.Probability, p.Variance}
	}
	var err error
	for _, list := range e.lists(&c, pairs) {
		if b, err = binary.Append(b, binary.LittleEndian, list); err != nil {
			return nil, fmt.Errorf("exchange: %w", err)
		}
	}
	return b, nil
}

// UnmarshalBinary restores what AppendBinary saved of an exchange with the same
// settings and as many rungs. After an error the exchange is as before.
func (e *Exchange) UnmarshalBinary(b []byte) error {
	var c counters
	pairs := make([]tally, len(e.stats.Pairs))
	lists := e.lists(&c, pairs)
	want := 0
	for _, list := range lists {
		want += binary.Size(list)
	}
	if len(b) != want {
		return fmt.Errorf("exchange: the saved state has %d bytes instead of %d: it is cut short or that of another ladder", len(b), want)
	}
	for _, list := range lists {
		n, err := binary.Decode(b, binary.LittleEndian, list)
		if err != nil {
			return fmt.Errorf("exchange: %w", err)
		}
		b = b[n:]
	}
	if c.Sweeps < 0 || c.Estimates < 0 || slices.ContainsFunc(e.stats.Noise, func(v float64) bool { return v < 0 }) {
		return fmt.Errorf("exchange: the saved state tells of %d sweeps", c.Sweeps)
	}
	e.sweeps, e.estimates, e.level = int(c.Sweeps), int(c.Estimates), c.Level
	e.top, e.bottom = 0, 0
	e.stats.Sweeps, e.stats.RoundTrips, e.stats.Restarts = c.Counted, c.RoundTrips, c.Restart
	for i, p := range pairs {
		q := &e.stats.Pairs[i]
		q.Attempts, q.Accepted, q.Weighed, q.Probability, q.Variance = p.Attempts, p.Accepted, p.Weighed, p.Probability, p.Variance
	}
	return nil
}
