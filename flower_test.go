package r2sgld_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// Two rungs (τ 1 and 10) on the 25-mode target in the flower, with the paper's
// noise of sd 0.05 on gradients and energies and σ̃² = 2·0.05². The biases of the
// steps 5e-4/1.5e-3 and half of them cancel in the extrapolation; mean swap
// probability 0.3042, E U, moments and the masses of the 25 cells of the cold
// rung follow. It kills: inverted swap and threshold swap (E U off by more than
// 0.1), temperatures exchanged, noise without the 2, no reflection, a wrong
// normal (E r² off by 0.05).
func TestTwoRungsOnTheFlower(t *testing.T) {
	pace.Slow(t)
	var r struct {
		Flower struct {
			Tau1 struct {
				U  float64 `json:"mean_U"`
				Y  float64 `json:"mean_y"`
				R2 float64 `json:"mean_r2"`
			}
			Tau10 struct {
				U float64 `json:"mean_U"`
			}
			Swap float64     `json:"swap_acceptance_tau1_tau10"`
			Mass [][]float64 `json:"mode_mass_tau1_rows_y_-2..2_cols_x_-2..2"`
		}
	}
	readReference(t, "multimodal.json", &r)
	p := r2sgld.Problem{Potential: potential.Noisy(multimodal, 0.05, 0.05), Domain: must(domain.NewFlower(5, 3, 2))}
	n := longer(600_000)
	base := r2sgld.Settings{Seed: 1, Ladders: 8, Iterations: n, BurnIn: n / 20, Thin: 10,
		Temperature: []float64{1, 10}, StepSize: []float64{2.5e-4, 7.5e-4}, Swap: exchange.Settings{Variance: 2 * 0.05 * 0.05}}
	fs := []functional{
		{"U", func(_ []float64, u float64) float64 { return u }, r.Flower.Tau1.U},
		{"x", func(x []float64, _ float64) float64 { return x[0] }, 0},
		{"y", func(x []float64, _ float64) float64 { return x[1] }, r.Flower.Tau1.Y},
		{"r²", func(x []float64, _ float64) float64 { return x[0]*x[0] + x[1]*x[1] }, r.Flower.Tau1.R2},
	}
	for i, row := range r.Flower.Mass {
		for j, mass := range row {
			if mass < 1e-3 {
				continue // too rare for a normal approximation
			}
			fs = append(fs, functional{fmt.Sprintf("cell (%d, %d)", j-2, i-2), func(x []float64, _ float64) float64 {
				if math.Abs(x[0]-float64(j-2)) < 0.5 && math.Abs(x[1]-float64(i-2)) < 0.5 {
					return 1
				}
				return 0
			}, mass})
		}
	}
	atTwoSteps(t, p, base, 1, fs)

	probability := func(scale float64) (mean, se, hot float64) {
		s := base
		s.StepSize = []float64{2.5e-4 * scale, 7.5e-4 * scale}
		res := sample(t, p, s)
		var sum, square float64
		for _, l := range res.Ladders {
			v := l.Swaps.Pairs[0].MeanProbability()
			sum += v
			square += v * v
			for _, u := range l.Energy[1] {
				hot += u / float64(len(l.Energy[1])*len(res.Ladders))
			}
		}
		k := float64(len(res.Ladders))
		mean = sum / k
		return mean, math.Sqrt((square/k - mean*mean) / (k - 1)), hot
	}
	fine, sf, hot := probability(1)
	coarse, sc, _ := probability(2)
	// Eight ladders: t with 7 degrees of freedom, two-sided 1e-6 at 15.8.
	if got, se := 2*fine-coarse, math.Hypot(2*sf, sc); math.Abs(got-r.Flower.Swap) > 15.8*se {
		t.Errorf("swap probability %.4f ± %.4f extrapolated, want %.4f", got, se, r.Flower.Swap)
	}
	t.Logf("swap probability %.4f ± %.4f at steps 5e-4/1.5e-3, %.4f ± %.4f at half of them, %.4f exact; hot E U %.3f, exact %.3f",
		coarse, sc, fine, sf, r.Flower.Swap, hot, r.Flower.Tau10.U)
	if !(coarse < fine) {
		t.Error("the step bias of the swap probability does not fall with the step")
	}
}
