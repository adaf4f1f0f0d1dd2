package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/text"
)

// Many short ladders are judged, and told, by nested R̂; few have none.
func TestManyShortLadders(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	chains := make([][]float64, 128)
	for c := range chains {
		v := rng.NormFloat64()
		for range 400 {
			chains[c] = append(chains[c], v)
			v = 0.9*v + rng.NormFloat64()
		}
	}
	p := Describe("x", chains, -100, 100)
	if p.NestedRHat == nil || !(*p.NestedRHat < wellMixed && p.RHat > 1.02) || !Mix([]Parameter{p}) {
		t.Fatalf("R̂ %g, nested %v", p.RHat, p.NestedRHat)
	}
	if out := Table([]Parameter{p}, text.Style{}); !strings.Contains(out, text.Number(*p.NestedRHat, 3)) || strings.Contains(out, text.Number(p.RHat, 3)) {
		t.Errorf("R̂ %g, nested %g is told as\n%s", p.RHat, *p.NestedRHat, out)
	}
	if p := Describe("x", chains[:15], -100, 100); p.NestedRHat != nil {
		t.Errorf("nested R̂ %g of 15 ladders", *p.NestedRHat)
	}
}
