package store_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/r2sgld/r2sgld/store"
)

func Example() {
	root, err := os.MkdirTemp("", "store")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)

	run, err := store.Create(filepath.Join(root, "runs", "flower"), false)
	if err != nil {
		panic(err)
	}
	draws := &store.Draws{
		Names: []string{"x", "y"},
		Chains: []store.Chain{
			{X: [][]float64{{1, 2, 3, 4}}, Energy: [][]float64{{0.5, 0.25}}},
			{X: [][]float64{{5, 6, 7, 8}}, Energy: [][]float64{{0.75, 1}}},
		},
	}
	if err := run.WriteDraws(draws); err != nil {
		panic(err)
	}
	if err := run.WriteJSON("summary.json", map[string]any{"draws": 4, "rhat": math.NaN()}); err != nil {
		panic(err)
	}

	again, err := store.Read(run.Path("draws.zarr"))
	if err != nil {
		panic(err)
	}
	fmt.Println(again.Names, again.Parameter(1))
	summary, _ := run.ReadFile("summary.json")
	fmt.Print(string(summary))
	// Output:
	// [x y] [[2 4] [6 8]]
	// {
	//   "draws": 4,
	//   "rhat": null
	// }
}
