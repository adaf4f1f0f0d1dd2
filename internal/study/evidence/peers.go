package evidence

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/study"
)

// peersText is what script/peers-evidence.py has measured.
//
//go:embed peers.json
var peersText []byte

// Peers are runs of nested sampling by other programs.
type Peers struct {
	Made     string            `json:"made"`    // on this day
	Command  string            `json:"command"` // makes them again
	Machine  string            `json:"machine"`
	Python   string            `json:"python"`
	Versions map[string]string `json:"versions"`
	Runs     []PeerRun         `json:"runs"`
}

// A PeerRun is one of them.
type PeerRun struct {
	Problem string   `json:"problem"` // E1, …, E4-10
	Program string   `json:"program"`
	Use     string   `json:"use"` // usual or best
	Seed    int      `json:"seed"`
	LogZ    *float64 `json:"log_z"` // log of the mean of L over the region; nil if it did not end
	Error   *float64 `json:"error"` // as the program states it
	Note    string   `json:"note,omitempty"`
	Calls   int64    `json:"calls"` // of the likelihood, of one point each
	Seconds float64  `json:"cpu_seconds"`
}

// readPeers reads what was measured.
func readPeers() (*Peers, error) {
	p := &Peers{}
	if err := json.Unmarshal(peersText, p); err != nil {
		return nil, fmt.Errorf("peers.json: %w", err)
	}
	return p, nil
}

// The uses of a program.
const (
	usual = "usual"
	best  = "best"
)

// programs are the names of the others, in the order of tables.
func programs() []string { return []string{"dynesty", "UltraNest", "nestle"} }

// A peer is a program in one use on one problem.
type peer struct {
	program, use string
	errors       []float64 // of the runs that ended
	stated       []float64 // errors that they state
	seconds      float64   // means of them
	calls        float64
	stopped      *PeerRun // a run that did not end; nil if there is none
}

// peersOn are the programs and uses on a problem, in the order of tables; those without
// any run are left out.
func (p *Peers) peersOn(id string, exact float64) []peer {
	var out []peer
	for _, program := range programs() {
		for _, use := range []string{usual, best} {
			q := peer{program: program, use: use}
			for i := range p.Runs {
				r := &p.Runs[i]
				switch {
				case r.Problem != id || r.Program != program || r.Use != use:
				case r.LogZ == nil || r.Error == nil:
					q.stopped = r
				default:
					q.errors, q.stated = append(q.errors, *r.LogZ-exact), append(q.stated, *r.Error)
					q.seconds, q.calls = q.seconds+r.Seconds, q.calls+float64(r.Calls)
				}
			}
			if n := float64(len(q.errors)); n > 0 {
				q.seconds, q.calls = q.seconds/n, q.calls/n
			}
			if len(q.errors) > 0 || q.stopped != nil {
				out = append(out, q)
			}
		}
	}
	return out
}

// failed reports a run that ended with nothing to use, and not because it took too long.
func (q *peer) failed() bool {
	return q.stopped != nil && !strings.HasPrefix(q.stopped.Note, "stopped")
}

// name is as in figures and tables.
func (q *peer) name() string { return q.program + ", " + q.use }

// rms is the root mean square error.
func (q *peer) rms() float64 { return rms(q.errors) }

// covered is how many errors are at most two errors stated.
func (q *peer) covered() int {
	n := 0
	for i, e := range q.errors {
		if math.Abs(e) <= 2*q.stated[i] {
			n++
		}
	}
	return n
}

// off reports a mean error beyond far of its standard errors, from what the program
// states of each run.
func (q *peer) off() bool {
	n := float64(len(q.errors))
	return n > 0 && math.Abs(diag.Mean(q.errors)) > far*diag.Mean(q.stated)/math.Sqrt(n)
}

// errorOf is the error that so many runs are taken to have: the root mean square found
// or, where runs are too few to tell it, the larger of that and the error stated.
func errorOf(runs int, found, stated float64) float64 {
	if runs >= study.Enough {
		return found
	}
	return math.Max(found, stated)
}

// callsFor is how many calls an error takes, errors falling with the square root of
// calls.
func callsFor(to, calls, found float64) float64 {
	e := found / to
	return calls * e * e
}

// error is that of the runs that ended.
func (q *peer) error() float64 { return errorOf(len(q.errors), q.rms(), diag.Mean(q.stated)) }

// callsFor is how many calls an error takes; +Inf where no run ended.
func (q *peer) callsFor(to float64) float64 {
	if len(q.errors) == 0 {
		return math.Inf(1)
	}
	return callsFor(to, q.calls, q.error())
}

// cheapest is the program and use with the fewest calls for an error, none if all are off.
func cheapest(all []peer, to float64) (peer, bool) {
	all = slices.DeleteFunc(slices.Clone(all), func(q peer) bool { return len(q.errors) == 0 || q.off() })
	if len(all) == 0 {
		return peer{}, false
	}
	return slices.MinFunc(all, func(a, b peer) int {
		if a.callsFor(to) < b.callsFor(to) {
			return -1
		}
		return 1
	}), true
}

// rms is the root mean square of v.
func rms(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(v)))
}
