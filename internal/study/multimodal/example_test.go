package multimodal_test

import (
	"context"
	"fmt"
	"os"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/multimodal"
	"github.com/r2sgld/r2sgld/internal/text"
)

// The study at a glance, with its claims on the terminal.
func ExampleRun() {
	s, err := multimodal.Run(context.Background(), study.Options{Scale: study.Smoke, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := study.ClaimsTable(os.Stdout, s.Claims, text.Style{}); err != nil {
		fmt.Println(err)
	}
}

// Two hundred iterations of the two replicas of r2SGLD on the flower.
func ExampleFlowerPath() {
	path, err := multimodal.FlowerPath(context.Background(), 1, 51, 250)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(path.Cold), "steps at temperature", path.Temperature[0], "and", len(path.Hot), "at", path.Temperature[1])
	// Output: 200 steps at temperature 1 and 200 at 10
}
