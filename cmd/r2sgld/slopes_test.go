package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A run of Student's law of 2.5 degrees of freedom, whose sd comes out too small at most seeds, is
// told so at every one; that of 10 degrees is not, and both agree with a run that is resumed at its end.
func TestTailsThatDrawsDoNotShow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	told := func(out string) bool { // by slopes, or by draws that did come far
		w := strings.Join(summaryOf(t, out).Warnings, "\n")
		return strings.Contains(w, "x: far out the density falls like a power") || strings.Contains(w, "x: a tail is")
	}
	for nu, want := range map[float64]bool{2.5: true, 10: false} {
		file := write(t, dir, fmt.Sprintf("%g.yaml", nu), fmt.Sprintf("variables: [x]\npotential: \"-student_t_lpdf(x, %g, 0, 1)\"\n", nu))
		for _, seed := range []string{"1", "4"} {
			out := filepath.Join(dir, fmt.Sprint(nu, "-", seed))
			must(t, exitDone, "sample", file, "--out", out, "--seed", seed, "--quiet", "--set", "figures=none")
			once := told(out)
			must(t, exitDone, "resume", out, "--quiet")
			if again := told(out); once != want || again != want {
				t.Errorf("%g degrees, seed %s: told %v, and %v when resumed", nu, seed, once, again)
			}
		}
	}
}

// A run of a funnel whose draws suffice by all else, and end before the density does on the lower side of its scale, goes on
// and says why; at its limit a warning tells.
func TestDrawsThatEndShort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "groups.yaml", `variables: [mu, s, a, b, c, d]
potential: "mu^2/50 + log(1 + exp(2*s)/25) + 3*s + ((a-mu)^2 + (b-mu)^2 + (c-mu)^2 + (d-mu)^2)*exp(-2*s)/2
  + (28-a)^2/450 + (8-b)^2/200 + (-3-c)^2/512 + (7-d)^2/242"
`)
	out := filepath.Join(dir, "short")
	must(t, exitDone, "sample", file, "--out", out, "--seed", "3", "--set", "figures=none", "--set", "sampler.until.iterations=100000")
	if w := strings.Join(summaryOf(t, out).Warnings, "\n"); !strings.Contains(w, "below s = ") || !strings.Contains(w, "they end before the density does") {
		t.Errorf("%q", w)
	}
	p := start(t, "sample", file, "--out", filepath.Join(dir, "on"), "--seed", "3", "--set", "figures=none")
	if code := p.code(t); code != exitDone || !strings.Contains(p.stderr.String(), " below s = ") ||
		!strings.Contains(p.stderr.String(), " draws end before the density does: the run goes on\n") {
		t.Errorf("exit %d: %s", code, &p.stderr)
	}
}
