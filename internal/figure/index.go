package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/plot/vg"
)

// An Index is the record of one ladder's labels: which rung each replica held.
type Index struct {
	First int     // iteration of the first column
	Every int     // iterations between columns; 0 is 1
	Rung  [][]int // Rung[r][n] is the rung of replica r in column n, 0 the coldest; columns are permutations
	// Temperature of each rung, rising; +Inf is the uniform law. There are as
	// many rungs as replicas, at least two.
	Temperature []float64
	Names       []string // of the rungs, instead of their temperatures, which then need not be given
	Axis        Axis     // of the rungs; zero is "temperature", or "rung" if they have names
	Epoch       int      // iterations in an epoch, to count in epochs; 0 counts iterations
	Window      int      // columns shown, from the first; 0 takes those of the first one to three round trips
	RoundTrips  int      // of all replicas in the whole run, for the caption; 0 counts those in the record
}

// A trip is a round trip of a replica: it leaves the coldest rung after column
// from, reaches the hottest, and is back in column to.
type trip struct{ from, to int }

// IndexProcess draws which rung each replica holds against the iteration, one
// of them in colour. The coldest rung is at the bottom. A long record is shown
// while the replica in colour makes its first round trip, or three if they are
// short; one that makes none is shown from its beginning.
func IndexProcess(q Index) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	replica, trips := q.follow()
	first, last := q.window(trips)
	rungs := q.rungs()
	height := cm(math.Max(3, math.Min(0.55*float64(rungs), 9)))
	p := &panel{
		title: q.title(replica, trips, first, last),
		x:     scale{label: "iteration", min: q.iteration(first), max: q.iteration(last)},
		y:     scale{label: q.axis(), min: -0.5, max: float64(rungs) - 0.5},
	}
	if q.Epoch > 0 {
		p.x.label = "epoch"
	} else {
		p.x.marks = wholeTicks(p.x.min, p.x.max, cm(textWidth-2))
	}
	p.y.marks = markRungs(q.names(), height, true)
	budget := max(20000/rungs, 60) // columns of grey paths, for the size of files
	stride := (last - first + budget) / budget
	grey, colour := lineBystander, lineFollowed
	if rungs > 12 { // a weave of lines, which need less to be seen
		grey.Width = 0.5
	}
	if columns := last - first; columns > 250 { // many lines, each finer
		grey.Width = max(grey.Width*250/vg.Length(columns), 0.2)
		colour.Width = 1
	}
	for r := range q.Rung {
		if r != replica {
			p.add(line{grey, q.path(r, first, last, stride)})
		}
	}
	pts := q.path(replica, first, last, 1)
	if len(pts) > 3000 {
		pts = thin(pts, 1500)
	}
	p.add(line{colour, pts})
	others := lineBystander
	others.Width = 1
	keys := legend{keyLine(fmt.Sprintf("replica %d", replica+1), lineFollowed), keyLine("the other replicas", others)}
	lay := mosaic{columns: 1, height: height}
	return lay.compose([]*panel{p}, keys, q.caption(stride)), nil
}

func (q *Index) check() error {
	c := &check{what: "index process"}
	rungs := q.rungs()
	if q.Names == nil {
		c.temperatures(q.Temperature)
	} else {
		c.must(rungs >= 2, "%s: a ladder has at least two", text.Counted(rungs, "rung"))
		c.must(q.Temperature == nil || len(q.Temperature) == rungs, "%d names for %d rungs: give one each", rungs, len(q.Temperature))
	}
	c.must(len(q.Rung) == rungs, "%d replicas on %d rungs: there must be as many", len(q.Rung), rungs)
	if c.err != nil {
		return c.err
	}
	n := len(q.Rung[0])
	c.must(n >= 2, "record at least two iterations")
	for r, path := range q.Rung {
		c.must(len(path) == n, "replica %d has %d columns beside %d: all must have the same", r+1, len(path), n)
	}
	c.must(min(q.Every, q.Window, q.RoundTrips, q.Epoch) >= 0, "Every, Epoch, Window and RoundTrips must not be negative")
	held := make([]int, rungs) // 1 + the column in which a rung was last held
	for k := 0; k < n && c.err == nil; k++ {
		for r := range q.Rung {
			p := q.Rung[r][k]
			if p < 0 || p >= rungs || held[p] == k+1 {
				c.must(false, "column %d: rung %d of replica %d is no rung or held twice: columns must be permutations of 0 to %d", k+1, p, r+1,
					rungs-1)
				break
			}
			held[p] = k + 1
		}
	}
	return c.err
}

func (q *Index) rungs() int {
	if q.Names != nil {
		return len(q.Names)
	}
	return len(q.Temperature)
}

// names returns what the rungs are called.
func (q *Index) names() []string {
	if q.Names == nil {
		return temperatures(q.Temperature)
	}
	sty := letters(numberSize)
	out := make([]string, len(q.Names))
	for i, n := range q.Names {
		out[i] = shorten(sty, n, cm(3))
	}
	return out
}

func (q *Index) axis() string {
	switch {
	case q.Axis != (Axis{}):
		return q.Axis.label()
	case q.Names != nil:
		return "rung"
	}
	return "temperature"
}

// iteration returns when column k was recorded, in epochs if they are counted.
func (q *Index) iteration(k int) float64 {
	return float64(q.First+k*max(q.Every, 1)) / float64(max(q.Epoch, 1))
}

// trips returns the round trips along a path.
func trips(path []int, hottest int) []trip {
	var out []trip
	from, seen := -1, false // where it last was cold; whether it has been hot since
	for k, p := range path {
		switch p {
		case 0:
			if seen && from >= 0 {
				out = append(out, trip{from, k})
			}
			from, seen = k, false
		case hottest:
			seen = true
		}
	}
	return out
}

// follow returns the replica in colour and its round trips: of those with most
// of them the first, and if there is none the one that climbs over most rungs.
func (q *Index) follow() (replica int, its []trip) {
	hottest := q.rungs() - 1
	most := -1
	for r, path := range q.Rung {
		t := trips(path, hottest)
		if score := len(t)*(hottest+1) + slices.Max(path) - slices.Min(path); score > most {
			most, replica, its = score, r, t
		}
	}
	return replica, its
}

// window returns the first and the last column shown: of the first round trip,
// and of three if there is room for them, with a margin, and 50 columns at least.
func (q *Index) window(t []trip) (first, last int) {
	n := len(q.Rung[0])
	if q.Window > 0 {
		return 0, min(max(q.Window, 2), n) - 1
	}
	if len(t) == 0 {
		return 0, min(n, 50*q.rungs()) - 1
	}
	shown := 1
	for shown < min(3, len(t)) && t[shown].to-t[0].from <= 1200 {
		shown++
	}
	first, last = t[0].from, t[shown-1].to
	margin := max((last-first)/12, (50-(last-first))/2, 1)
	return max(first-margin, 0), min(last+margin, n-1)
}

// path returns the path of replica r from column first to last, without the
// points on straight lines.
func (q *Index) path(r, first, last, stride int) []point {
	var out []point
	for k := first; k <= last; k += stride {
		at := point{q.iteration(k), float64(q.Rung[r][k])}
		if n := len(out); n > 1 && (out[n-1].y-out[n-2].y)*(at.x-out[n-1].x) == (at.y-out[n-1].y)*(out[n-1].x-out[n-2].x) {
			out[n-1] = at
			continue
		}
		out = append(out, at)
	}
	return out
}

// thin returns the lowest and the highest point of each of n stretches.
func thin(pts []point, n int) []point {
	var out []point
	for s := range n {
		part := pts[s*len(pts)/n : (s+1)*len(pts)/n]
		lo, hi := extremes(len(part), func(i int) float64 { return part[i].y })
		out = append(out, part[min(lo, hi)])
		if lo != hi {
			out = append(out, part[max(lo, hi)])
		}
	}
	return out
}

func (q *Index) title(replica int, t []trip, first, last int) string {
	n := 0
	for _, t := range t {
		if t.from >= first && t.to <= last {
			n++
		}
	}
	made := text.Counted(n, "round trip")
	if n == 0 {
		made = "no round trip"
	}
	return fmt.Sprintf("replica %d makes %s between the coldest and the hottest rung", replica+1, made)
}

func (q *Index) caption(stride int) string {
	all, where := q.RoundTrips, "run"
	if all == 0 {
		where = "record"
		for _, path := range q.Rung {
			all += len(trips(path, q.rungs()-1))
		}
	}
	columns := len(q.Rung[0])
	out := sentences(text.Counted(len(q.Rung), "replica"),
		fmt.Sprintf("record of %s", text.Counted((columns-1)*max(q.Every, 1)+1, "iteration")),
		fmt.Sprintf("%s of all replicas in the whole %s", text.Counted(all, "round trip"), where))
	if stride > 1 {
		out = sentences(out, fmt.Sprintf("grey paths show one column in %d", stride))
	}
	return out
}

// wholeTicks marks whole numbers, written with thousands.
func wholeTicks(min, max float64, room vg.Length) []tick {
	out := []tick{}
	for _, t := range ticks(min, max, room, false) {
		if t.value == math.Round(t.value) {
			if t.label != "" {
				t.label = text.Count(int(t.value))
			}
			out = append(out, t)
		}
	}
	return out
}
