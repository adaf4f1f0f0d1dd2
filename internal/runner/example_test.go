package runner_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/potential"
)

func ExampleWrite() {
	root, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)

	disc, err := domain.NewBall([]float64{0, 0}, 1)
	if err != nil {
		log.Fatal(err)
	}
	u := potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = x[0]-1, 4*x[1]
		return (x[0]-1)*(x[0]-1)/2 + 2*x[1]*x[1]
	})
	p := r2sgld.Problem{Potential: u, Domain: disc, Names: []string{"x", "y"}}
	s := r2sgld.Settings{Seed: 7, Ladders: 4, Iterations: 5000, BurnIn: 1000, Thin: 4, StepSize: []float64{0.01}}
	res, err := r2sgld.Sample(context.Background(), p, s)
	if err != nil {
		log.Fatal(err)
	}
	sum, err := runner.Write(filepath.Join(root, "disc"), p, s, res)
	if err != nil {
		log.Fatal(err)
	}
	draws, err := store.Read(0, filepath.Join(root, "disc"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Name, "seed", sum.Seed, "thin", sum.Thin, draws.Names, draws.Chains(), "chains of", draws.Kept)
	// Output: disc seed 7 thin 4 [x y] 4 chains of 1000
}
