package training

import (
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// Probabilities are readable however small, and what is not known is a dash.
func TestProbability(t *testing.T) {
	for ln, want := range map[float64]string{0: "1", math.Log(0.25): "0.25", math.Log(1e-12): "1e-12", -299 * math.Ln10: "1e-299",
		-301 * math.Ln10: "never", math.Inf(-1): "never", math.NaN(): "–", 1e-12: "1"} {
		if got := Probability(ln); got != want {
			t.Errorf("exp(%g) is printed as %s, want %s", ln, got, want)
		}
	}
	if got := span([]float64{-1e6, math.Log(0.5)}); got != "never … 0.5" {
		t.Error(got)
	}
}

// A plan says that its time is without evaluation and its round trips a bound, and does
// not take an unknown number of them for none.
func TestPlanText(t *testing.T) {
	p := &bnn.Plan{Temperature: []float64{1, 2}, Expected: []float64{1, 2}, Noise: []float64{1, 1},
		LogAcceptance: []float64{-1}, Exact: []float64{-1},
		RoundTrips: math.NaN(), Rate: 7350.4, Seconds: 61}
	text := PlanText(p, bnn.Settings{Epochs: 3, Batch: 10})
	for _, want := range []string{"7,350 images/s", "1m1s, evaluation apart", "round trips in your 3 epochs, at most", "–"} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "none") || strings.Contains(text, "will not trade") {
		t.Errorf("unknown round trips are none:\n%s", text)
	}
}
