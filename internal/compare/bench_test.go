package compare_test

import (
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/compare"
)

// What a run pays for predictive.json: 19 data, 4,000 draws.
func BenchmarkPredict(b *testing.B) {
	p := hares(b, "H*(alpha - beta*L)", "given")
	draws := posterior(p, rand.New(rand.NewPCG(1, 1)), 4, 1000)
	for b.Loop() {
		if _, err := compare.Predict(b.Context(), compare.Of(p), draws); err != nil {
			b.Fatal(err)
		}
	}
}
