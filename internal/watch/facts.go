package watch

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
)

// Facts are what the page shows of a run. Numbers that are not known are null.
type Facts struct {
	Name    string `json:"name"`
	Command string `json:"command"`
	Folder  string `json:"folder"`
	What    string `json:"what,omitempty"` // is sampled
	How     string `json:"how,omitempty"`
	State   State  `json:"state"`
	Doing   string `json:"doing,omitempty"` // within that state
	Why     string `json:"why,omitempty"`   // it stopped

	Begun   time.Time `json:"begun,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Reached Reached   `json:"reached"`
	Until   Until     `json:"until"` // what is asked for
	Betas   []number  `json:"inverse_temperature,omitempty"`

	Rounds   []Round  `json:"rounds,omitempty"`  // of warm-up and run
	Course   []Point  `json:"course,omitempty"`  // between rounds, and where there are none
	Epochs   []Epoch  `json:"epochs,omitempty"`  // of a repetition of a training
	Workers  any      `json:"workers,omitempty"` // of this process; so are Cases
	Cases    any      `json:"cases,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Figures  []Figure `json:"figures,omitempty"`
}

// A State is how far a run is.
type State string

// The states of a run, in their order; the last three are ends.
const (
	Beginning State = "begins"
	Working   State = "at work" // on cases
	WarmingUp State = "warm-up"
	Sampling  State = "sampling"
	SummingUp State = "summing up"
	Done      State = "done"
	Stopped   State = "stopped"
	Left      State = "left" // unfinished, and nobody works on it
)

// Reached is how far the warm-up, or the sampling, was at a time.
type Reached struct {
	At         time.Time `json:"at,omitzero"`
	Iterations int64     `json:"iterations"`     // of all ladders, or what Unit says
	Of         int64     `json:"of"`             // until the end of the round
	Unit       string    `json:"unit,omitempty"` // epochs, of a training
	Share      number    `json:"share"`          // of the round
	PerSecond  number    `json:"per_second"`     // iterations
	Left       number    `json:"left"`           // seconds until the end of the round
}

// nowhere is where a run is of which that is not known.
func nowhere() Reached { return Reached{Share: unknown(), PerSecond: unknown(), Left: unknown()} }

// Until is when a run is long enough.
type Until struct {
	RHat       float64 `json:"rhat,omitempty"`
	ESS        float64 `json:"ess,omitempty"`
	Evidence   float64 `json:"evidence,omitempty"`
	Seconds    float64 `json:"seconds,omitempty"`
	Iterations int64   `json:"iterations,omitempty"` // per ladder
}

// A Round is a line of the table of rounds.
type Round struct {
	Name       string   `json:"name"`
	WarmUp     bool     `json:"warm_up,omitempty"`
	Draws      int64    `json:"draws,omitempty"`
	RoundTrips int64    `json:"round_trips"`
	Rejection  []number `json:"rejection,omitempty"` // of neighbours, from the coldest
	RHat       number   `json:"rhat"`
	ESS        number   `json:"ess"`
	LogZ       number   `json:"log_z"`
	LogZError  number   `json:"log_z_error"`
}

// A Point is what is known between rounds.
type Point struct {
	Iterations int64  `json:"iterations"`
	RHat       number `json:"rhat"`
	Swaps      number `json:"swaps"` // the share that is made
}

// An Epoch is how good a network is after so many epochs of a training, by the names of scores.
type Epoch struct {
	Epoch  int64             `json:"epoch"`
	Scores map[string]number `json:"scores"`
}

// A Figure is a picture in the folder; its version is another when it is drawn anew.
type Figure struct {
	Name    string `json:"name"`
	Version int64  `json:"version"`
}

// A number is null in JSON where it is not known, and read from what is none as NaN.
type number float64

// MarshalJSON writes a number.
func (n number) MarshalJSON() ([]byte, error) {
	if n.known() {
		return json.Marshal(float64(n))
	}
	return []byte("null"), nil
}

func (n number) known() bool { return n-n == 0 }

// UnmarshalJSON reads a number.
func (n *number) UnmarshalJSON(b []byte) error {
	var v *float64
	*n = number(math.NaN())
	if json.Unmarshal(b, &v) == nil && v != nil {
		*n = number(*v)
	}
	return nil
}

// unknown is a number that is not known.
func unknown() number { return number(math.NaN()) }

// A record is a line of log.jsonl: what any of them has.
type record struct {
	Time    time.Time `json:"time"`
	Level   string    `json:"level"`
	Message string    `json:"message"`
	Error   string    `json:"error"`

	Method     string          `json:"method"`
	What       string          `json:"what"`
	How        string          `json:"how"`
	Resumed    bool            `json:"resumed"`
	Ladders    int64           `json:"ladders"`
	Betas      []number        `json:"inverse_temperature"`
	Until      *Until          `json:"until"`
	Doing      string          `json:"doing"`
	Share      number          `json:"share"`
	Of         int64           `json:"of"`
	PerSecond  number          `json:"per_second"`
	Swaps      number          `json:"swaps"`
	Kernel     string          `json:"kernel"`
	Repeat     int             `json:"repeat"`
	Round      json.RawMessage `json:"round"` // a number in the warm-up, a name later
	Iteration  int64           `json:"iteration"`
	Iterations int64           `json:"iterations"`
	Next       int64           `json:"next"`

	Epoch  int64             `json:"epoch"`
	Scores map[string]number `json:"scores"`

	Draws      int64    `json:"draws"`
	RoundTrips int64    `json:"round_trips"`
	Rejection  []number `json:"rejection"`
	RHat       number   `json:"rhat"`
	ESS        number   `json:"ess"`
	LogZ       number   `json:"log_z"`
	LogZError  number   `json:"log_z_error"`
}

// The most that is shown, so that a page stays small however long a run is.
const (
	mostRounds   = 200
	mostPoints   = 256
	mostWarnings = 8
	mostFigures  = 100
)

// A history is what the lines of a log have told.
type history struct {
	Facts
	ladders int64
	epochs  struct { // the first of this process, or of this repetition
		at    time.Time
		after int64
	}
}

// read takes a line in. One that is none of ours tells nothing.
func (h *history) read(line []byte) {
	nan := unknown()
	r := record{Share: nan, PerSecond: nan, Swaps: nan, RHat: nan, ESS: nan, LogZ: nan, LogZError: nan}
	if json.Unmarshal(line, &r) != nil {
		return
	}
	if h.Begun.IsZero() {
		h.Begun = r.Time
	}
	switch r.Level {
	case "WARN":
		h.warn(r.Message)
		return
	case "ERROR":
		h.failed(&r)
		return
	}
	switch r.Message {
	case "begin":
		h.begin(&r)
	case "warm-up":
		h.round(&r, fmt.Sprintf("%s %s", r.Kernel, r.Round), true)
		h.enter(WarmingUp, "")
		h.Reached = nowhere()
	case "start":
		h.start(&r)
	case "progress":
		h.progress(&r)
	case "checkpoint":
		if h.Reached.Unit != "" { // it counts iterations
			break
		}
		h.reach(r.Time, r.Iteration, h.Reached.Of, h.Reached.PerSecond)
	case "epoch":
		h.epoch(&r)
	case "round":
		var name string
		_ = json.Unmarshal(r.Round, &name)
		h.round(&r, name, false)
		h.reach(r.Time, r.Iterations*h.ladders, r.Next*h.ladders, h.Reached.PerSecond)
	case "done":
		h.enter(Done, "")
		h.Ended = r.Time
	}
}

// enter notes what is done from now on.
func (h *history) enter(s State, doing string) {
	if h.State != s {
		h.Reached = nowhere()
	}
	h.State, h.Doing, h.Why, h.Ended = s, doing, "", time.Time{}
}

// begin is a run that begins, or goes on.
func (h *history) begin(r *record) {
	if !r.Resumed {
		h.Facts = Facts{}
	}
	h.What, h.Begun, h.Warnings = r.What, r.Time, nil
	h.enter(Beginning, "")
}

// start is the sampling that begins, of a run or of a training.
func (h *history) start(r *record) {
	h.enter(Sampling, "")
	if r.Repeat > 0 { // of a training
		h.Doing, h.Reached.Unit = fmt.Sprintf("repeat %d", r.Repeat), "epochs"
		h.epochs.at = time.Time{}
		if !r.Resumed {
			h.Epochs = nil
		}
		return
	}
	h.How, h.Betas, h.ladders = r.How, r.Betas, max(1, r.Ladders)
	if r.Until != nil {
		h.Until = *r.Until
	}
	h.reach(r.Time, h.Reached.Iterations, r.Iterations*h.ladders, unknown())
}

// progress is how far the run is.
func (h *history) progress(r *record) {
	switch {
	case r.Of > 0: // iterations of the sampling
		h.enter(Sampling, r.Doing)
		if r.Iterations > 0 {
			h.reach(r.Time, r.Iterations, r.Of, r.PerSecond)
			h.Course = few(append(h.Course, Point{r.Iterations, r.RHat, r.Swaps}))
		}
	case h.State == Sampling || h.State == SummingUp:
		h.enter(SummingUp, r.Doing)
	default:
		h.enter(WarmingUp, r.Doing)
		h.Reached.At, h.Reached.Share = r.Time, r.Share
	}
}

// reach notes how many of so many iterations are behind the ladders at a time.
func (h *history) reach(at time.Time, n, of int64, perSecond number) {
	q := Reached{At: at, Iterations: n, Of: of, Share: unknown(), PerSecond: perSecond, Left: unknown()}
	if of > 0 {
		q.Share = number(min(1, float64(n)/float64(of)))
	}
	if perSecond > 0 && of >= n {
		q.Left = number(of-n) / perSecond
	}
	h.Reached = q
}

// epoch is how far a training is. Its pace is known from the second epoch on.
func (h *history) epoch(r *record) {
	if h.epochs.at.IsZero() {
		h.epochs.at, h.epochs.after = r.Time, r.Epoch
	}
	pace := number(float64(r.Epoch-h.epochs.after) / r.Time.Sub(h.epochs.at).Seconds())
	h.reach(r.Time, r.Epoch, r.Of, pace)
	h.Reached.Unit = "epochs"
	if len(r.Scores) == 0 {
		return
	}
	for len(h.Epochs) > 0 && h.Epochs[len(h.Epochs)-1].Epoch >= r.Epoch { // lost with a process that was killed
		h.Epochs = h.Epochs[:len(h.Epochs)-1]
	}
	h.Epochs = few(append(h.Epochs, Epoch{r.Epoch, r.Scores}))
}

// few thins points out once there are too many: every other one stays, and the last.
func few[T any](points []T) []T {
	if len(points) <= mostPoints {
		return points
	}
	for i := range mostPoints / 2 {
		points[i] = points[2*i+1]
	}
	return append(points[:mostPoints/2], points[len(points)-1])
}

// round notes a round. One of a name that is known is made anew after a stop, and so are those
// that came after it.
func (h *history) round(r *record, name string, warmUp bool) {
	if i := slices.IndexFunc(h.Rounds, func(o Round) bool { return o.Name == name && o.WarmUp == warmUp }); i >= 0 {
		h.Rounds = h.Rounds[:i]
	}
	h.Rounds = append(h.Rounds, Round{name, warmUp, r.Draws, r.RoundTrips, r.Rejection, r.RHat, r.ESS, r.LogZ, r.LogZError})
	h.Rounds = h.Rounds[max(0, len(h.Rounds)-mostRounds):]
}

// warn notes a warning, once, the last of all.
func (h *history) warn(w string) {
	if i := slices.Index(h.Warnings, w); i >= 0 {
		h.Warnings = slices.Delete(h.Warnings, i, i+1)
	}
	h.Warnings = append(h.Warnings, w)
	h.Warnings = h.Warnings[max(0, len(h.Warnings)-mostWarnings):]
}

// failed notes that the run ended, or that something else went wrong.
func (h *history) failed(r *record) {
	if r.Message != "stopped" {
		h.warn(fmt.Sprintf("%s: %s", r.Message, r.Error))
		return
	}
	h.State, h.Doing, h.Why, h.Ended = Stopped, "", r.Error, r.Time
}

// A summary is what summary.json says of a run that is done.
type summary struct {
	Draws      int64 `json:"draws"`
	Parameters []struct {
		Bulk number `json:"ess_bulk"`
		Tail number `json:"ess_tail"`
		RHat number `json:"rhat"`
	} `json:"parameters"`
	Swaps struct {
		RoundTrips int64 `json:"round_trips"`
		Pairs      []struct {
			Rungs [2]int `json:"rungs"`
			Mean  number `json:"mean_probability"`
		} `json:"pairs"`
	} `json:"swaps"`
	Ladder struct {
		Betas []number `json:"inverse_temperature"`
	} `json:"ladder"`
	LogZ struct {
		Estimate number `json:"estimate"`
		SE       number `json:"se"`
	} `json:"log_evidence"`
	Warnings []string `json:"warnings"`
}

// summed takes the summary of a run in that is done: what its rounds do not tell.
func (h *history) summed(s *summary) {
	for _, w := range s.Warnings {
		h.warn(w)
	}
	if len(h.Betas) == 0 {
		h.Betas = s.Ladder.Betas
	}
	if n := len(h.Rounds); n > 0 && h.Rounds[n-1].RHat.known() {
		h.Rounds[n-1].LogZ, h.Rounds[n-1].LogZError = s.LogZ.Estimate, s.LogZ.SE // with all that it may be off by
		return
	}
	if len(s.Parameters) == 0 || s.Draws == 0 { // that of a calibration has other parameters
		return
	}
	r := Round{Name: "end", Draws: s.Draws, RoundTrips: s.Swaps.RoundTrips, LogZ: s.LogZ.Estimate, LogZError: s.LogZ.SE,
		RHat: unknown(), ESS: unknown()}
	for _, p := range s.Parameters {
		if !(p.RHat <= r.RHat) {
			r.RHat = p.RHat
		}
		if e := min(p.Bulk, p.Tail); !(e >= r.ESS) {
			r.ESS = e
		}
	}
	for _, p := range s.Swaps.Pairs {
		if p.Rungs[1] == p.Rungs[0]+1 {
			r.Rejection = append(r.Rejection, 1-p.Mean)
		}
	}
	h.Rounds = append(h.Rounds, r)
}
