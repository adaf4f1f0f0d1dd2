package config

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
)

// A linear wall in logarithms of parameters is exact: the problem says so, and steps
// of any length end inside. The runs of this model used to hang in their warm-up.
func TestLinearWallsInLogarithmsAreExact(t *testing.T) {
	pace.Slow(t)
	s, err := Load("identify", "../../cmd/r2sgld/testdata/fitzhugh-nagumo.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Problem.Chart == nil || !domain.ExactWalls(s.Problem.Domain) || !report.Exact(s.Problem, s.Settings) {
		t.Fatalf("chart %v, exact walls %v, exact %v", s.Problem.Chart != nil, domain.ExactWalls(s.Problem.Domain),
			report.Exact(s.Problem, s.Settings))
	}
	r, err := domain.NewReflector(s.Problem.Domain, domain.Specular, 0)
	if err != nil {
		t.Fatal(err)
	}
	from, to := make([]float64, len(s.Problem.Names)), make([]float64, len(s.Problem.Names))
	rng := newRand(5)
	met, given := 0, 0
	for range 4000 {
		if s.Problem.Base.Draw(from, rng); !s.Problem.Domain.Contains(from) {
			continue
		}
		length := math.Exp(8*rng.Float64() - 4)
		for j := range to {
			to[j] = from[j] + length*rng.NormFloat64()
		}
		hits, ok := r.Reflect(from, to, nil)
		if !s.Problem.Domain.Contains(to) {
			t.Fatalf("from %v to %v", from, to)
		}
		if hits > 0 {
			met++
		}
		if !ok {
			given++
		}
	}
	if met < 100 || given > met/100 {
		t.Errorf("%d steps met the wall, %d were given up", met, given)
	}
}
