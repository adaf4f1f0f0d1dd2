package tune

import (
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld"
)

func ExampleForecast() {
	problem := r2sgld.Problem{Potential: bowl(200)}
	settings := r2sgld.Settings{Iterations: 100_000, Start: make([]float64, 200), Temperature: []float64{1, 10}, StepSize: []float64{0.05}}
	plan, err := Forecast(context.Background(), problem, settings)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("rungs will trade:", plan.Pairs[0].Acceptance > 1e-3)
	fmt.Printf("about %d rungs would\n", (plan.Half.Rungs+5)/10*10)
	// Output:
	// rungs will trade: false
	// about 30 rungs would
}
