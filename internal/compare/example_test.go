package compare_test

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/compare"
	"github.com/r2sgld/r2sgld/internal/text"
)

func ExampleNew() {
	table, err := compare.New([]compare.Run{
		{Name: "logistic", LogEvidence: -57.13, SE: 0.05, Predictive: predictive(-13.1, -12.2, -11.9, -12.8)},
		{Name: "lotka-volterra", LogEvidence: -52.31, SE: 0.04, Predictive: predictive(-10.2, -11.1, -10.7, -10.5)},
		{Name: "cubic", LogEvidence: math.NaN(), NoEvidence: "parameter c is unbounded: bound every parameter.",
			Predictive: predictive(-10.3, -11, -10.9, -10.6)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(table.Text(text.Style{}))
	for _, w := range table.Warnings {
		fmt.Println(" !", w)
	}
	// Output:
	// model              log evidence  log Bayes factor  best : this  probability     elpd (LOO)    difference    p  k max
	//  lotka-volterra  −52.310 ± 0.040                 0            1        0.992  −42.50 ± 0.75             0  2.0   0.40
	//  logistic        −57.130 ± 0.050    −4.820 ± 0.064          124        0.008    −50.0 ± 1.1    −7.5 ± 1.7  2.0   0.40
	//  cubic                         –                 –            –            –  −42.80 ± 0.63  −0.30 ± 0.25  2.0   0.40
	//  data: derivative of x (central), 4 rows, sha256 01234567…
	//  ! cubic: no log evidence, and no part in the probabilities: parameter c is unbounded: bound every parameter.
	//  ! lotka-volterra and cubic: their predictions differ by 0.30 ± 0.25: the data cannot tell which one predicts better.
}
