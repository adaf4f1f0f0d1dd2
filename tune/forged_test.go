package tune

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// FuzzFound: whatever a file says that a warm-up has found, it is an error or the
// settings of a run.
func FuzzFound(f *testing.F) {
	box, err := domain.NewBox([]float64{-1, -1}, []float64{1, 1})
	if err != nil {
		f.Fatal(err)
	}
	u := potential.Func(2, func(grad, x []float64) float64 { grad[0], grad[1] = x[0], x[1]; return (x[0]*x[0] + x[1]*x[1]) / 2 })
	p, s := r2sgld.Problem{Potential: u, Domain: box}, r2sgld.Settings{Ladders: 1, Iterations: 3}
	for _, text := range []string{
		`{"rounds": [{"iterations": 1000}], "inverse_temperature": [1, 0], "diffusion": [0.01, 0.02], "states": [[[0, 0], [0.5, 0.5]]], "done": true}`,
		`{"rounds": [], "inverse_temperature": [1], "diffusion": [1e308], "states": [[[0, 0]]], "done": true}`,
		`{"rounds": [{}], "inverse_temperature": [1], "diffusion": [0.1], "states": [[[0]]], "done": true}`,
		`{"rounds": [{}], "inverse_temperature": [1, 0.5], "diffusion": [0.1, 0.1], "states": [[[0, 0]]], "done": true}`,
		`{"rounds": [{}], "inverse_temperature": [1], "diffusion": [0.1], "states": [[[5, 0]]], "done": true}`,
		`{"rounds": [{}], "inverse_temperature": [1], "diffusion": [0.1], "states": [[[0, 0]]], "whitening": {"Center": [0], "L": [[1], [0, 0, 0]]}, "done": true}`,
		`{"rounds": [{}], "inverse_temperature": [1], "diffusion": [0.1], "states": [[[0, 0]]], "whitening": {"Center": [0, 0], "L": [[0, 0], [0, 0]]}, "done": true}`,
		`{"rounds": [{"iterations": 9223372036854775807}], "inverse_temperature": [1], "diffusion": [0.1], "states": [[[0, 0]]], "done": true}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		found := new(Found)
		if json.Unmarshal(text, found) != nil || len(text) > 4000 {
			return
		}
		found.Done = true
		got, err := Tune(context.Background(), p, s, found, func(*Found) error { return nil })
		if err != nil {
			return
		}
		_, _ = r2sgld.Sample(context.Background(), p, got.apply(s))
	})
}
