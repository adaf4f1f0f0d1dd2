package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/watch"
)

// A run is the same whether a page shows it or not. While it goes on the page answers, and in
// the end, as that of r2sgld watch, it has the numbers of the summary.
//
// Mutants it kills: a log without the numbers of its rounds.
func TestPageOfARun(t *testing.T) {
	t.Parallel()
	for name, text := range short() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, run, plain := write(t, dir, "c.yaml", text), filepath.Join(dir, "run"), filepath.Join(dir, "plain")
			var said bytes.Buffer
			if _, err := bare(t, file, plain, &said).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			said.Reset()
			j := bare(t, file, run, &said)
			end, err := (&common{web: "127.0.0.1:0"}).page(&j.Request, nil)
			if err != nil {
				t.Fatal(err)
			}
			url := regexp.MustCompile(`^ page: (http://127\.0\.0\.1:\d+/\w+/)\n`).FindStringSubmatch(said.String())
			if url == nil {
				t.Fatal(said.String())
			}
			ctx, done := context.WithCancel(t.Context())
			looked := make(chan int)
			go func() {
				n := 0
				for ; ctx.Err() == nil; n++ {
					if r, err := http.Get(url[1] + "facts.json"); err == nil {
						_, _ = io.Copy(io.Discard, r.Body)
						_ = r.Body.Close()
					}
				}
				looked <- n
			}()
			sum, err := j.Run(t.Context())
			done()
			if n := <-looked; n == 0 || err != nil {
				t.Fatal(n, err)
			}
			end()
			if _, err := http.Get(url[1]); err == nil {
				t.Error("the page outlives its run")
			}
			same(t, name, foldertest.Results(t, plain), foldertest.Results(t, run))

			f, err := watch.Open(run)
			if err != nil {
				t.Fatal(err)
			}
			q := f.Facts()
			if q.State != watch.Done || q.Name != name || q.Command != "sample" || q.What == "" || !strings.HasPrefix(q.How, "method ") {
				t.Fatalf("%+v", q)
			}
			worst, least := 0.0, math.Inf(1)
			for _, p := range sum.Parameters {
				worst, least = max(worst, p.RHat), min(least, p.ESSBulk, p.ESSTail)
			}
			if sum.Until != nil { // which looks at modes too
				worst, least = sum.Until.RHat, sum.Until.ESS
			}
			last := q.Rounds[len(q.Rounds)-1]
			if last.Draws != int64(sum.Draws) || last.RoundTrips != int64(sum.Swaps.RoundTrips) || float64(last.RHat) != worst ||
				float64(last.ESS) != least || len(last.Rejection) != len(sum.Swaps.Pairs) || len(q.Betas) != len(last.Rejection)+1 {
				t.Errorf("%+v\n%+v %g %g", last, sum.Swaps, worst, least)
			}
			if z := sum.LogEvidence; z.Estimate == z.Estimate && (float64(last.LogZ) != z.Estimate || float64(last.LogZError) != z.Error) {
				t.Errorf("%+v\n%+v", last, z)
			}
			for i, p := range sum.Swaps.Pairs {
				if math.Abs(float64(last.Rejection[i])-(1-p.MeanProbability)) > 1e-12 {
					t.Errorf("pair %d: %g, %g", i, last.Rejection[i], p.MeanProbability)
				}
			}
			if len(q.Warnings) == 0 != (len(sum.Warnings) == 0) {
				t.Errorf("%q, %q", q.Warnings, sum.Warnings)
			}
		})
	}
}

// A page that cannot be is refused before anything is written, and so is the watching of what is
// no run; watching ends when it is told to.
func TestPageRefused(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file, out := write(t, dir, "c.yaml", flower), filepath.Join(dir, "out")
	for _, web := range []string{"8080", ":port", l.Addr().String()} {
		must(t, exitUsage, "sample", file, "--out", out, "--quiet", "--web", web)
		if there(out, "") {
			t.Errorf("%s: something was written", web)
		}
	}
	must(t, exitUsage, "watch", dir, "--web", ":0")
	must(t, exitDone, "sample", file, "--out", out, "--quiet", "--set", "sampler.iterations=2000", "--set", "sampler.burn_in=100")
	must(t, exitUsage, "watch", out, "--web", l.Addr().String())
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if code := run(ctx, []string{"watch", out, "--web", ":0"}); code != exitDone {
		t.Errorf("exit %d", code)
	}
	if _, err := os.Stat(filepath.Join(out, ".lock")); err == nil || store.Writing(out) {
		t.Error("watching has left a lock")
	}
}
