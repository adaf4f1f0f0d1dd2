package config

import (
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
)

// A start outside goes by halves of the way to a point inside, one inside stays.
func TestToInside(t *testing.T) {
	box, err := domain.NewBox([]float64{0, 0}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		d                 domain.Domain
		inside, from, end []float64
		there             bool
	}{
		{nil, nil, []float64{9, 9}, []float64{9, 9}, true},
		{box, []float64{0.5, 0.5}, []float64{0.25, 1}, []float64{0.25, 1}, true},
		{box, []float64{0.5, 0.5}, []float64{2.5, 0.5}, []float64{1, 0.5}, true},
		{box, []float64{5, 5}, []float64{9, 9}, []float64{5, 5}, false},
		{box, nil, []float64{9, 9}, []float64{9, 9}, false},
	} {
		x := slices.Clone(c.from)
		if there := toInside(c.d, c.inside, x); there != c.there || !slices.Equal(x, c.end) {
			t.Errorf("from %v towards %v: %v, %v; want %v, %v", c.from, c.inside, x, there, c.end, c.there)
		}
	}
}
