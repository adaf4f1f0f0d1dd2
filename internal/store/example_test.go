package store_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/r2sgld/r2sgld/internal/store"
)

func Example() {
	root, err := os.MkdirTemp("", "store")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)

	kind := store.Kind{Manifest: "summary.json",
		Files: func([]byte) ([]string, error) { return append(store.RunFiles(), "summary.json"), nil }}
	run, err := store.Create(store.Disk{}, filepath.Join(root, "runs", "flower"), kind, false)
	if err != nil {
		panic(err)
	}
	draws, err := run.NewWriter(&store.Run{Names: []string{"x", "y"}, Temperature: []float64{0.5}}, 2)
	if err != nil {
		panic(err)
	}
	for chain := range 2 {
		for k := range 2 {
			x := float64(4*chain + 2*k)
			if err := draws.Chain(chain).Keep([][]float64{{x + 1, x + 2}}, []float64{x / 4}); err != nil {
				panic(err)
			}
		}
	}
	if err := draws.Finish(1); err != nil {
		panic(err)
	}
	if err := run.WriteJSON("summary.json", map[string]any{"draws": 4, "rhat": math.NaN()}); err != nil {
		panic(err)
	}

	again, err := store.Read(0, run.Path("draws.zarr"))
	if err != nil {
		panic(err)
	}
	fmt.Println(again.Names, again.X[1])
	summary, _ := run.ReadFile("summary.json")
	fmt.Print(string(summary))
	// Output:
	// [x y] [[2 4] [6 8]]
	// {
	//   "draws": 4,
	//   "rhat": null
	// }
}
