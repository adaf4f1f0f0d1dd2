package swapping_test

import (
	"context"
	"fmt"
	"os"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/swapping"
	"github.com/r2sgld/r2sgld/internal/text"
)

// Swaps at a glance, with their claims on the terminal.
func ExampleRun() {
	s, err := swapping.Run(context.Background(), study.Options{Scale: study.Smoke, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := study.ClaimsTable(os.Stdout, s.Claims, text.Style{}); err != nil {
		fmt.Println(err)
	}
}
