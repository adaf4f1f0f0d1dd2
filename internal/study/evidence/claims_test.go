package evidence

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

// problem has runs with these errors, all of one standard error and gap.
func problem(id string, bounded bool, se, gap float64, errors ...float64) Problem {
	p := Problem{ID: id, task: task{bounded: bounded}}
	for _, e := range errors {
		p.Runs = append(p.Runs, Trial{Error: e, SE: se, Gap: gap, Calls: 1000})
	}
	p.settle()
	return p
}

// Kills: the mean not judged, its sign, limits that are not reached.
func TestErrorVerdict(t *testing.T) {
	good := problem("good", false, 0.03, 0, 0.06, -0.06, 0.04, 0)
	biased := problem("biased", false, 0.03, 0, -0.041, -0.041)
	wide := problem("wide", false, 0.03, 0, 0.07, -0.07)
	of := func(p ...Problem) study.Claim { return (&Results{Problems: p}).accurate() }
	studytest.Verdict(t, of(good), study.Holds, "(good)")
	studytest.Verdict(t, of(good, biased), study.Depends, "asked for: biased")
	studytest.Verdict(t, of(good, wide), study.Depends, "0.07 at most (wide)")
	studytest.Verdict(t, of(biased, wide), study.Fails, "biased, wide")
	studytest.Verdict(t, of(), study.Untestable)
}

// Kills: six of eight taken for enough, problems joined before they are judged.
func TestBarVerdict(t *testing.T) {
	seven := problem("seven", false, 0.03, 0.1, 0, 0, 0.05, 0.09, 0.1, -0.1, 0.06, 0.2)
	six := problem("six", false, 0.03, 0.1, 0, 0, 0.05, 0.09, 0.1, -0.11, 0.06, 0.2)
	of := func(p ...Problem) study.Claim { return (&Results{Problems: p}).honest() }
	studytest.Verdict(t, of(seven), study.Holds, "7 of 8")
	studytest.Verdict(t, of(seven, six), study.Depends, "13 of 16", "six (6 of 8)")
	studytest.Verdict(t, of(six), study.Fails)
	studytest.Verdict(t, of(), study.Untestable)
}

// peerRuns are runs of a program with these errors, each stated as large and with so many
// calls.
func peerRuns(id, program, use string, exact, stated float64, calls int64, errors ...float64) []PeerRun {
	var out []PeerRun
	for k, e := range errors {
		z := exact + e
		out = append(out, PeerRun{Problem: id, Program: program, Use: use, Seed: k + 1, LogZ: &z, Error: &stated, Calls: calls, Seconds: 2})
	}
	return out
}

// Kills: the best use judged, problems without constraints judged, errors that cancel
// called wrong, a stopped run counted, one that failed not.
func TestOutsideVerdict(t *testing.T) {
	p := []Problem{problem("curve", true, 0.03, 0, 0), problem("box", false, 0.03, 0, 0)}
	wrong := peerRuns("curve", "dynesty", usual, 0, 0.1, 10, 0.3, 0.2, 0.1, 0.2)
	right := peerRuns("curve", "nestle", usual, 0, 0.1, 10, 0.3, -0.3, 0.3, -0.3)
	ignored := append(peerRuns("curve", "UltraNest", best, 0, 0.1, 10, 9), peerRuns("box", "UltraNest", usual, 0, 0.1, 10, 9)...)
	ignored = append(ignored, PeerRun{Problem: "curve", Program: "UltraNest", Use: usual, Note: "stopped after 3 CPU seconds"})
	of := func(runs ...[]PeerRun) study.Claim {
		all := &Peers{Runs: ignored}
		for _, r := range runs {
			all.Runs = append(all.Runs, r...)
		}
		return (&Results{Problems: p, Peers: all}).outside()
	}
	studytest.Verdict(t, of(wrong), study.Holds, "1 of 1", "dynesty on curve (0.2")
	studytest.Verdict(t, of(wrong, right), study.Depends, "1 of 2", "errors: nestle on curve")
	studytest.Verdict(t, of(right), study.Fails)
	studytest.Verdict(t, of(), study.Untestable)
	failed := []PeerRun{{Problem: "curve", Program: "nestle", Use: usual, Note: "failed: so"}}
	studytest.Verdict(t, of(failed), study.Holds, "nestle on curve (failed: so)")
}

// Kills: calls not scaled by the error squared, the smaller of both errors, a program
// that is off taken for the cheapest, constrained problems judged.
func TestCallsVerdict(t *testing.T) {
	p := []Problem{problem("box", false, 0.03, 0, 0.03, -0.03), problem("curve", true, 0.03, 0, 0.03)} // 250 calls for 0.06
	of := func(runs ...[]PeerRun) study.Claim {
		all := &Peers{}
		for _, r := range runs {
			all.Runs = append(all.Runs, r...)
		}
		return (&Results{Problems: p, Peers: all}).cheaper()
	}
	off := peerRuns("box", "UltraNest", best, 0, 0.01, 1, 1, 1)
	dear := peerRuns("box", "nestle", best, 0, 0.12, 100, 0.06, -0.06) // 400: what is stated counts
	fine := peerRuns("box", "dynesty", usual, 0, 0.03, 200, 0.06, -0.06)
	curve := peerRuns("curve", "dynesty", usual, 0, 0.03, 1, 0.06, -0.06)
	studytest.Verdict(t, of(fine, off, curve), study.Holds, "1 of 1", "200 of dynesty, usual against 250")
	studytest.Verdict(t, of(dear, off), study.Fails, "400 of nestle, best against 250")
	studytest.Verdict(t, of(off, curve), study.Untestable)
	p = append(p, problem("other", false, 0.03, 0, 0.03))
	studytest.Verdict(t, of(fine, dear, peerRuns("other", "nestle", best, 0, 0.12, 100, 0)), study.Depends, "1 of 2", "Not fewer: other")
}

// Kills: what is stated taken for what five runs have shown.
func TestErrorOf(t *testing.T) {
	if a, b := errorOf(4, 0.05, 0.1), errorOf(5, 0.05, 0.1); a != 0.1 || b != 0.05 {
		t.Errorf("%g, %g", a, b)
	}
}

// What ships was measured: every program in both uses on every problem, whole and of
// these versions; log Z of those that ended is no copy of the truth.
func TestPeersAreWhole(t *testing.T) {
	p, err := readPeers()
	if err != nil {
		t.Fatal(err)
	}
	if p.Made == "" || p.Command == "" || p.Machine == "" || p.Python == "" {
		t.Errorf("%+v", p)
	}
	for _, v := range []string{"dynesty", "ultranest", "nestle", "numpy"} {
		if p.Versions[v] == "" {
			t.Errorf("no version of %s", v)
		}
	}
	for _, x := range tasks() {
		all := p.peersOn(x.id, x.exact)
		if len(all) != 6 {
			t.Errorf("%s: %d programs and uses", x.id, len(all))
		}
		for _, q := range all {
			if len(q.errors) > 0 && (q.calls < 100 || q.seconds <= 0 || !(q.rms() > 1e-6 && q.rms() < 1000) || !(diag.Mean(q.stated) > 0)) {
				t.Errorf("%s, %s: %+v", x.id, q.name(), q)
			}
		}
	}
	for _, r := range p.Runs {
		if (r.LogZ == nil) != (r.Note != "") || (r.LogZ == nil) != (r.Error == nil) || r.Calls < 1 {
			t.Errorf("%+v", r)
		}
	}
}

// Kills: digits beyond two, separators left out, infinity printed.
func TestRounded(t *testing.T) {
	for v, want := range map[float64]string{1234567: "1,200,000", 99.6: "100", 250: "250", 254: "250", 96400: "96,000", math.Inf(1): "–"} {
		if got := rounded(v); got != want {
			t.Errorf("%g: %q, not %q", v, got, want)
		}
	}
}
