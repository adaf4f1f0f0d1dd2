package r2sgld_test

import (
	"reflect"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
)

// A run whose steps are given up tells the walls of the last one by their texts, also
// after it was stopped and resumed; a run without such steps tells none.
func TestStuckStepsNameTheirWalls(t *testing.T) {
	wedge := must(domain.NewPolytope([][]float64{{0, -1}, {-0.002, 1}, {1, 0}}, []float64{0, 0, 1}, []string{"", "y <= 0.002*x", ""}))
	p := r2sgld.Problem{Potential: quadratic([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}}), Domain: wedge, Names: []string{"x", "y"}}
	s := r2sgld.Settings{Seed: 1, Ladders: 2, Iterations: 400, StepSize: []float64{0.5}, Cap: 20}
	want := sample(t, p, s)
	if got := want.Stuck(0); !reflect.DeepEqual(got, []string{"y >= 0", "y <= 0.002*x"}) {
		t.Errorf("stuck at %q", got)
	}
	var states [][]byte
	s.Checkpoint = &r2sgld.Checkpoint{Save: func(_ int, b [][]byte) error { states = b; return nil }}
	sample(t, p, s)
	s.Resume, s.Checkpoint = states, nil
	if got := sample(t, p, s); !reflect.DeepEqual(got.Stuck(0), want.Stuck(0)) {
		t.Errorf("resumed at its end it is stuck at %q", got.Stuck(0))
	}
	s.Resume, s.Certificate = nil, true
	if got := sample(t, p, s); !reflect.DeepEqual(got.Stuck(0), want.Stuck(0)) {
		t.Errorf("with a certificate, whose replicas get stuck too, it is stuck at %q", got.Stuck(0))
	}
	s.Certificate, s.Cap, s.StepSize = false, 1_000_000, []float64{1e-9}
	if got := sample(t, p, s).Stuck(0); got != nil {
		t.Errorf("short steps are stuck at %q", got)
	}
}
