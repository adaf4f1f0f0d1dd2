package config_test

import (
	"fmt"

	"github.com/r2sgld/r2sgld/internal/config"
)

func ExampleParse() {
	text := `
name: disk
variables: [x, y]
potential: "x^2 + y"
domain: {ball: {radius: 2}}
`
	s, err := config.Parse("sample", "disk.yaml", []byte(text), []string{"sampler.iterations=5000"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Problem.Names, s.Settings.Iterations, s.Settings.Temperature, s.Settings.Boundary)
	// Output: [x y] 5000 [1 10] specular
}

func ExampleParse_problems() {
	text := `
variables: [x, y]
potential: "x^2 + rho*y"
sampler: {temprature: [1, 10]}
`
	_, err := config.Parse("sample", "disk.yaml", []byte(text), nil)
	fmt.Println(err)
	// Output:
	// disk.yaml:3:19: "rho" is not defined; variables are x, y
	//     3 | potential: "x^2 + rho*y"
	//                           ^
	// disk.yaml:4:11: unknown key "temprature"; did you mean "temperature"?
	//     4 | sampler: {temprature: [1, 10]}
	//                   ^
	// 2 problems; nothing was written.
}

func ExampleParseTheory() {
	_, err := config.ParseTheory("gap.yaml", []byte(`variables: [x]
potential: "0"
domain: {constraints: ["x > 0"]}
theory: {temprature: 2}
`), nil)
	fmt.Println(err)
	// Output:
	// gap.yaml:3:1: the domain does not bound "x": cells cover a bounded domain alone. Add a box so large that nothing is beyond it
	// gap.yaml:4:10: unknown key "temprature"; did you mean "temperature"?
	//     4 | theory: {temprature: 2}
	//                  ^
	// 2 problems; nothing was written.
}
