package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/internal/pace"
)

const goodSample = `name: good
variables: [x, y]
potential: "x^2 + y^2"
domain:
  box: {x: [-1, 1], y: [-1, 1]}
sampler:
  method: r2sgld
  iterations: 1000
  burn_in: 100
  step_size: [1e-3, 1e-3]
  temperature: [1, 10]
`

// edit is a text with a line replaced; the line is found by what it begins with.
func edit(text, begins, with string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), begins) {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			lines[i] = indent + with
			if with == "" {
				lines = append(lines[:i], lines[i+1:]...)
			}
			break
		}
	}
	return strings.Join(lines, "\n")
}

// TestBadSamples pins the message and the place of everything that a
// configuration of sample may have wrong.
func TestBadSamples(t *testing.T) {
	pace.Slow(t)
	for _, c := range []struct{ begins, with, want string }{
		{`method`, `metod: r2sgld`, `f.yaml:7:3: unknown key "metod"; did you mean "method"?`},
		{`name`, `constraints: []`, `f.yaml:1:1: unknown key "constraints"; did you mean "constraints" within "domain"?`},
		{`name`, `sed: 1`, `f.yaml:1:1: unknown key "sed"; did you mean "seed" within "sampler"?`},
		{`name`, `iteratons: 1`, `f.yaml:1:1: unknown key "iteratons"; did you mean "iterations" within "sampler"?`},
		{`name`, `sampler.seed: 1`, `f.yaml:1:1: unknown key "sampler.seed"; did you mean "seed" within "sampler"?`},
		{`method`, `scheme: deo`, `f.yaml:7:3: unknown key "scheme"; did you mean "scheme" within "swap"?`},
		{`method`, `method: r3sgld`, `f.yaml:7:11: unknown method "r3sgld"; did you mean "r2sgld"?`},
		{`method`, "method: r3sgld\n  leapfrog: 5\n  schedule: {kind: cyclical}", `f.yaml:7:11: unknown method "r3sgld"; did you mean "r2sgld"?`},
		{`method`, "method: hmc\n  leapfrog: 5", `f.yaml:7:11: hmc is a kernel: write kernel: hmc, with a method such as auto or r2sgld`},
		{`burn_in`, `burn: 5`, `f.yaml:9:3: unknown key "burn"; did you mean "burn_in"?`},
		{`burn_in`, `step: 5`, `f.yaml:9:3: unknown key "step"; did you mean "step_size"?`},
		{`method`, `method: [r2sgld]`, `f.yaml:7:11: method must be text; found a list of 1`},
		{`method`, `method: hmc2`, `f.yaml:7:11: unknown method "hmc2"; accepted: r2sgld, auto, sgld, cycsgld, resgld, p-sgld, p-cycsgld, p-resgld, r-sgld, r-cycsgld, r-resgld, sghmc, cycsghmc, resghmc, p-sghmc, p-cycsghmc, p-resghmc, r-sghmc, r-cycsghmc, r-resghmc, r2sghmc, r-hmc, projected-sgld, myula, mirror-sgld, rejection-sgld`},
		{`method`, `method: auto`, "f.yaml:9:3: method auto sets burn_in itself: drop the key, or take method: r2sgld\n" +
			"f.yaml:10:3: method auto sets step_size itself: drop the key, or take method: r2sgld\n" +
			"f.yaml:11:3: method auto sets temperature itself: drop the key, or take method: r2sgld"},
		{`burn_in`, `momentum: 0.9`, `f.yaml:9:13: momentum belongs to the methods with momentum, such as r2sghmc; found method r2sgld`},
		{`iterations`, `iterations: abc`, `f.yaml:8:15: iterations must be a number; found "abc"`},
		{`iterations`, `iterations: 1.5`, `f.yaml:8:15: iterations must be a whole number; found 1.5`},
		{`iterations`, `iterations: 0`, `f.yaml:8:15: iterations must be at least 1; found 0`},
		{`iterations`, `iterations: -5`, `f.yaml:8:15: iterations must be at least 1; found -5`},
		{`iterations`, `iterations: 1e30`, `f.yaml:8:15: iterations must be at most 1000000000000; found 1e30`},
		{`iterations`, `iterations: "1000"`, `f.yaml:8:15: iterations must be a number; found "1000" in quotes: drop them`},
		{`iterations`, `iterations: 1e400`, `f.yaml:8:15: iterations must be a finite number; found 1e400`},
		{`iterations`, `iterations: 1_000`, `f.yaml:8:15: iterations must be a number; found "1_000"`},
		{`iterations`, `iterations: 50`, `f.yaml:9:12: burn_in must be less than iterations; found 100 of 50`},
		{`iterations`, `iterations: 1e11`, `f.yaml:8:15: 9999999990 draws of each rung of each ladder take 1788 GiB on disk: raise thin or lower iterations`},
		{`burn_in`, `burn_in: 1000`, `f.yaml:9:12: burn_in must be less than iterations; found 1000 of 1000`},
		{`burn_in`, `burn_in: -1`, `f.yaml:9:12: burn_in must be at least 0; found -1`},
		{`burn_in`, `thin: 0`, `f.yaml:9:9: thin must be at least 1; found 0`},
		{`burn_in`, `ladders: 0`, `f.yaml:9:12: ladders must be at least 1; found 0`},
		{`burn_in`, `ladders: 100000`, `f.yaml:9:12: ladders must be at most 1024; found 100000`},
		{`burn_in`, `thin: 999`, `f.yaml:9:9: only 0 draws of each ladder would be kept: raise iterations or lower thin`},
		{`step_size`, `step_size: 0`, `f.yaml:10:14: step_size must be positive; found 0`},
		{`step_size`, `step_size: [1e-3, -1e-3]`, `f.yaml:10:21: entry 2 of step_size must be positive; found -1e-3`},
		{`step_size`, `step_size: [1e-3, 1e-3, 1e-3]`, `f.yaml:10:14: step_size must have one entry per rung, 2; found 3`},
		{`step_size`, `step_size: []`, `f.yaml:10:14: step_size is an empty list; expected numbers`},
		{`step_size`, `step_size: .nan`, `f.yaml:10:14: step_size must be a finite number; found .nan`},
		{`step_size`, `step_size: [.inf, 1]`, `f.yaml:10:15: entry 1 of step_size must be a finite number; found .inf`},
		{`step_size`, `step_size: {a: 1}`, `f.yaml:10:14: step_size must be a number; found a mapping`},
		{`temperature`, `temperature: [10, 1]`, `f.yaml:11:21: temperatures must increase, cold first; found 1 after 10`},
		{`temperature`, `temperature: [1, 1]`, `f.yaml:11:20: temperatures must increase, cold first; found 1 after 1`},
		{`temperature`, `temperature: 1`, `f.yaml:11:16: method r2sgld exchanges rungs: give two temperatures or more, such as [1, 10]`},
		{`temperature`, `temperature: [0, 1]`, `f.yaml:11:17: entry 1 of temperature must be positive; found 0`},
		{`method`, `method: sgld`, `f.yaml:10:14: step_size must have one entry per rung, 1; found 2` +
			"\n" + `f.yaml:11:16: method sgld has one rung; found 2 temperatures`},
		{`method`, `method: p-sgld`, `f.yaml:10:14: step_size must have one entry per rung, 1; found 2` +
			"\n" + `f.yaml:11:16: method p-sgld has one rung; found 2 temperatures`},
		{`burn_in`, `penalty: 3`, `f.yaml:9:12: penalty belongs to the methods whose names begin with p-, such as p-sgld; found method r2sgld`},
		{`burn_in`, `schedule: {kind: cosin}`, `f.yaml:9:20: unknown kind "cosin"; did you mean "cosine"?`},
		{`burn_in`, `schedule: {kind: exponential}`, `f.yaml:9:13: schedule needs the key "decay"`},
		{`burn_in`, `schedule: {kind: exponential, decay: 1.5}`, `f.yaml:9:40: decay must be at most 1; found 1.5`},
		{`burn_in`, `schedule: {kind: cosine, gamma: 1}`, `f.yaml:9:28: gamma belongs to the schedule polynomial, not cosine`},
		{`burn_in`, `schedule: {kind: polynomial, a: 1, b: 0}`, `f.yaml:9:13: schedule needs the key "gamma"`},
		{`burn_in`, `schedule: {cycles: 3}`, `f.yaml:9:14: cycles belongs to the schedule cosine, not constant`},
		{`burn_in`, `swap: {scheme: ada, rule: treshold, every: 0, correction: 0, variance: -1}`,
			`f.yaml:9:18: unknown scheme "ada"; did you mean "adj"?` +
				"\n" + `f.yaml:9:29: unknown rule "treshold"; did you mean "threshold"?` +
				"\n" + `f.yaml:9:46: every must be at least 1; found 0` +
				"\n" + `f.yaml:9:61: correction must be positive; found 0` +
				"\n" + `f.yaml:9:74: variance must not be negative; found -1`},
		{`burn_in`, `swap: {window: 3}`, `f.yaml:9:9: a swap window is for scheme windowed-deo only`},
		{`burn_in`, `swap: {variance: {every: 10, batches: 1}}`, `f.yaml:9:41: batches must be at least 2; found 1`},
		{`temperature`, `temperature: [inf, 1]`, `f.yaml:11:17: entry 1 of temperature must be a finite number; found inf`},
		{`burn_in`, `boundary: reflect`, `f.yaml:9:13: unknown boundary "reflect"; accepted: specular, nearest, refuse, project`},
		{`burn_in`, `kernel: zigzag`, `f.yaml:9:11: unknown kernel "zigzag"; accepted: sgld, mala, hmc, harmonic, auto`},
		{`burn_in`, "kernel: hmc\n  boundary: nearest",
			`f.yaml:10:13: kernel hmc keeps the law under boundary specular and refuse only; found nearest`},
		{`burn_in`, "kernel: hmc\n  leapfrog: 0", `f.yaml:10:13: leapfrog must be at least 1; found 0`},
		{`burn_in`, `leapfrog: 3`, `f.yaml:9:13: leapfrog belongs to kernel hmc; found method r2sgld with kernel sgld`},
		{`burn_in`, `smoothing: 3`, `f.yaml:9:14: smoothing belongs to method myula; found method r2sgld`},
		{`burn_in`, `cap: 0`, `f.yaml:9:8: cap must be at least 1; found 0`},
		{`burn_in`, `init: {x: 2, y: 0}`, `f.yaml:9:9: the start (x = 2, y = 0) lies outside the domain`},
		{`burn_in`, `init: {x: 0}`, `f.yaml:9:9: init lacks a value for "y"`},
		{`burn_in`, `init: {x: 0, z: 1, y: 0}`, `f.yaml:9:16: unknown key "z"; known keys: x, y`},
		{`burn_in`, `init: [{x: 0, y: 0}, {x: 2, y: 0}]`, `f.yaml:9:24: the start (x = 2, y = 0) lies outside the domain`},
		{`burn_in`, `init: []`, `f.yaml:9:9: init is a list of no points: leave it out, or give a point such as {x: 0}`},
		{`burn_in`, `init: [{x: 0, y: 0}, 3]`, `f.yaml:9:24: entry 2 of init must be a mapping of keys to values; found "3"`},
		{`burn_in`, `init: [1, 2]`, `f.yaml:9:9: init must be a point such as {x: 1, y: 2}, or a list of such points; found a list of 2`},
		{`burn_in`, `init: [1 2]`, `f.yaml:9:9: init must be a point such as {x: 0, y: 0}, or a list of such points; found a list of 1`},
		{`step_size`, `step_size: [1e-3 1e-3]`, `f.yaml:10:15: entry 1 of step_size must be a number; found "1e-3 1e-3": commas part the entries of a list: 1e-3, 1e-3`},
		{`step_size`, `step_size: 0,1`, `f.yaml:10:14: step_size must be a number; found "0,1": decimals have a point, 0.1, and lists stand in brackets, [0, 1]`},
		{`variables`, `variables: x, y`, `f.yaml:2:12: variables must be a list of names; found "x, y": write [x, y]`},
		{`variables`, `variables: [x y]`, `f.yaml:2:13: "x y" cannot name a variable: use letters, digits and underscores, a letter first: commas part the entries of a list: x, y`},
		{`box`, `box: {x: [-1 1], y: 0 1}`, "f.yaml:5:12: the bounds of x must be two numbers [lower, upper]; found 1: commas part the entries of a list: [-1, 1]\n" +
			`f.yaml:5:23: y must be a list of two numbers; found "0 1": write [0, 1]`},
		{`box`, `constraints: [max(x, y) < 1, pow(x, 2) + min(x, y, 0) < 1, x > 0]`,
			`f.yaml:5:17: a comma in brackets begins another entry: put all of it in quotes: "max(x, y) < 1"` + "\n" +
				`f.yaml:5:32: a comma in brackets begins another entry: put all of it in quotes: "pow(x, 2) + min(x, y, 0) < 1"`},
		{`box`, `constraints: "x > 0, y < 1"`, `f.yaml:5:16: each constraint is an entry of its own: ["x > 0", "y < 1"]`},
		{`box`, `constraints: ["x + y = 1, x > 0"]`, `f.yaml:5:17: each constraint is an entry of its own: ["x + y = 1", "x > 0"]`},
		{`box`, `constraints: ["1 < max(x, z) < 2"]`, `f.yaml:5:29: "z" is not defined; variables are x, y`},
		{`box`, `constraints: "x > 0, y"`, `f.yaml:5:22: a comma has a meaning only between the arguments of a function; decimals have a point`},
		{`burn_in`, `init: random`, `f.yaml:9:9: init must be uniform or a point such as {x: 0, y: 0}; found "random"`},
		{`burn_in`, `certificate: perhaps`, `f.yaml:9:16: unknown certificate "perhaps"; accepted: true, false`},
		{`burn_in`, "kernel: hmc\n  certificate: true",
			`f.yaml:10:16: the certificate tells the bias of the step, and kernel hmc has none: drop it`},
		{`burn_in`, "certificate: true\n  boundary: nearest",
			`f.yaml:9:16: the certificate takes the bias to go like the step, which it does under boundary specular and refuse only; found nearest`},
		{`method`, "method: r2sghmc\n  certificate: true",
			`f.yaml:8:16: the certificate is not known for methods with momentum; found method r2sghmc: take r2sgld, or compare with a run at half the step_size`},
		{`burn_in`, `seed: -1`, `f.yaml:9:9: seed must be a whole number from 0 to 18446744073709551615; found "-1"`},
		{`burn_in`, `seed: 1e3`, `f.yaml:9:9: seed must be a whole number from 0 to 18446744073709551615; found "1e3"`},
		{`burn_in`, `seed: 18446744073709551616`,
			`f.yaml:9:9: seed must be a whole number from 0 to 18446744073709551615; found "18446744073709551616"`},
		{`burn_in`, `until: {ess: 100}`, `f.yaml:9:10: until belongs to method auto, which decides how long to run; method r2sgld runs sampler.iterations`},
		{`method`, `until: {ess: 100}`, `f.yaml:7:10: until belongs to method auto, which decides how long to run; method r2sgld runs sampler.iterations: add method: auto`},
		{`burn_in`, `whiten: true`, `f.yaml:9:3: unknown key "whiten"; known keys: method, iterations, burn_in, thin, step_size, temperature, schedule, swap, ladders, boundary, cap, penalty, smoothing, kernel, leapfrog, momentum, noise_estimate, init, seed, until, certificate`},
		{`burn_in`, `iterations: 5`, `f.yaml:9:3: key "iterations" is given twice, first on line 8`},
		{`name`, `name: ../evil`, `f.yaml:1:7: name "../evil" is to name a folder: use letters, digits, and . _ - inside, at most 100`},
		{`name`, `name: [a]`, `f.yaml:1:7: name must be text; found a list of 1`},
		{`name`, `nmae: good`, `f.yaml:1:1: unknown key "nmae"; did you mean "name"?`},
		{`variables`, `variables: x`, `f.yaml:2:12: variables must be a list of names; found "x"`},
		{`variables`, `variables: []`, `f.yaml:2:12: variables is an empty list; expected names`},
		{`variables`, `variables: [x, x]`, `f.yaml:2:16: the variable "x" is listed twice`},
		{`variables`, `variables: [1x, y]`, `f.yaml:2:13: "1x" cannot name a variable: use letters, digits and underscores, a letter first`},
		{`variables`, `variables: [exp, y]`, `f.yaml:2:13: "exp" is the name of a function or a constant: call the variable otherwise`},
		{`variables`, `variables: [x, pi]`, `f.yaml:2:16: "pi" is the name of a function or a constant: call the variable otherwise`},
		{`variables`, ``, `f.yaml:1:1: variables are missing: add, for instance, variables: [x, y]`},
		{`variables`, `variables: [x, lp__]`, `f.yaml:2:16: "lp__" cannot name a variable: use letters, digits and underscores, a letter first`},
		{`potential`, ``, `f.yaml:1:1: the potential is missing: add, for instance, potential: "x^2/2"`},
		{`potential`, `potential: "(x - sigma)^2 + rho*y^2"`, `f.yaml:3:18: "sigma" is not defined; variables are x, y` +
			"\n" + `f.yaml:3:29: "rho" is not defined; variables are x, y`},
		{`potential`, `potential: 'x +* y'`, `f.yaml:3:16: a number, a name or ( is missing before "*"`},
		{`potential`, `potential: ""`, `f.yaml:3:12: potential is empty`},
		{`potential`, `potential: [x]`, `f.yaml:3:12: potential must be text; found a list of 1`},
		{`potential`, `potential: log(x, y)`, `f.yaml:3:12: log takes 1 argument, not 2`},
		{`potential`, `potential: x^2 +`, `f.yaml:3:17: a number, a name or ( is missing at the end`},
		{`potential`, `potential: (x`, `f.yaml:3:12: this ( is never closed`},
		{`potential`, `potential: {command: ./u}`, `f.yaml:3:22: command must be a list of words; found "./u"`},
		{`potential`, `potential: {program: [u]}`,
			`f.yaml:3:12: potential must be a formula, as "x^2/2", or be in another program, as {command: [python3, model.py]}, ` +
				`or in Stan, as {stan: model.stan, data: data.json}`},
		{`potential`, `potential: {Stan: m.stan}`, `f.yaml:3:13: unknown key "Stan"; did you mean "stan"?`},
		{`potential`, `potential: {comand: [u]}`,
			`f.yaml:3:12: a potential in another program needs the key "command", such as [python3, model.py]` +
				"\n" + `f.yaml:3:13: unknown key "comand"; did you mean "command"?`},
		{`potential`, `potential: {timeout: 3}`,
			`f.yaml:3:12: a potential in another program needs the key "command", such as [python3, model.py]`},
		{`potential`, `potential: "x > 1"`, `f.yaml:3:15: ">" is not allowed here: a comparison is no number`},
		{`box`, `box: {x: [1, -1]}`, `f.yaml:5:12: the lower bound of x must be below the upper one; found [1, -1]`},
		{`box`, `kind: ball`, `f.yaml:5:3: the kind of a domain is a key in it: domain: {ball: …}`},
		{`box`, `type: ball`, `f.yaml:5:3: the kind of a domain is a key in it: domain: {ball: …}`},
		{`box`, `ball: 1`, `f.yaml:5:9: ball must be {center, radius, of}; found "1"`},
		{`box`, `polygon: 5`, `f.yaml:5:12: polygon must be [[x, y], …] or {vertices, of}; found "5"`},
		{`box`, `kind: bowl`, `f.yaml:5:3: unknown key "kind"; known keys: box, ball, ellipsoid, simplex, polygon, flower, heart, star, octagon, cross, constraints, program`},
		{`box`, `box: {z: [0, 1]}`, `f.yaml:5:9: unknown key "z"; known keys: x, y`},
		{`box`, `box: {x: 1}`, `f.yaml:5:12: x must be a list of two numbers; found "1"`},
		{`box`, `box: {x: [0, 1, 2]}`, `f.yaml:5:12: the bounds of x must be two numbers [lower, upper]; found 3`},
		{`box`, `box: {x: [.inf, 1]}`, `f.yaml:5:13: entry 1 of x must be a finite number; found .inf`},
		{`box`, `ball: {center: [0]}`, `f.yaml:5:18: center must be a list of 2 numbers; found 1`},
		{`box`, `ball: {center: [0, 0, 0], radius: 1}`, `f.yaml:5:18: center must be a list of 2 numbers; found 3`},
		{`box`, `ball: {radius: -1}`, `f.yaml:5:18: radius must be positive; found -1`},
		{`box`, `ellipsoid: {radius: 1}`, `f.yaml:5:14: an ellipsoid needs either axes: [half-axes] or matrix: [[…], …] of (x - c)' A (x - c) <= 1` +
			"\n" + `f.yaml:5:15: unknown key "radius"; known keys: center, axes, matrix, of`},
		{`box`, `ellipsoid: {axes: [1, 0]}`, `f.yaml:5:25: entry 2 of axes must be positive; found 0`},
		{`box`, `ellipsoid: {matrix: [[1, 2], [2, 1]]}`,
			`f.yaml:5:14: ellipsoid: the matrix has eigenvalues from -1 to 3: it must be positive definite and not nearly singular`},
		{`box`, `ellipsoid: {matrix: [[1, 2], [3, 1]]}`, `f.yaml:5:33: matrix must be symmetric; found 3 and 2`},
		{`box`, `simplex: [x, z]`, `f.yaml:5:16: unknown variable "z"; variables: x, y`},
		{`box`, `simplex: [x, x]`, `f.yaml:5:16: the variable "x" is listed twice`},
		{`box`, `polygon: [[0, 0], [1, 1]]`, `f.yaml:5:12: polygon: 2 vertices; give at least 3`},
		{`box`, `polygon: [[0, 0], [1, 1], [1, 0], [0, 1]]`,
			`f.yaml:5:12: polygon: edge 1–2 meets edge 3–4; edges may share only the vertex between neighbours`},
		{`box`, `polygon: [[0, 0], [1]]`, `f.yaml:5:21: entry 2 of polygon must be a list of 2 numbers; found 1`},
		{`box`, `flower: {petal: 5}`, `f.yaml:5:12: unknown key "petal"; did you mean "petals"?`},
		{`box`, `flower: {petals: 5.5}`, `f.yaml:5:20: petals must be a whole number; found 5.5`},
		{`box`, `flower: {petals: 65}`, `f.yaml:5:20: petals must be at most 64; found 65`},
		{`box`, `flower:`, `f.yaml:5:3: flower holds nothing; expected, for instance, flower: {radius: 2}`},
		{`box`, `star: {radius: 0}`, `f.yaml:5:18: radius must be positive; found 0`},
		{`box`, `heart: {radius: 1, of: [x]}`, `f.yaml:5:26: heart lies in a plane: of must list two variables; found 1`},
		{`box`, `torus: {}`, `f.yaml:5:3: unknown key "torus"; known keys: box, ball, ellipsoid, simplex, polygon, flower, heart, star, octagon, cross, constraints, program`},
		{`box`, `constraints: ["x > 3", "x + y < 2", "y > 0"]`,
			`f.yaml:4:1: the domain is empty: "x > 3" and "x + y < 2" and "y > 0" exclude each other: loosen or drop one of them`},
		{`box`, `constraints: ["x > 3", "x < 2"]`,
			`f.yaml:4:1: the domain is empty: "x > 3" and "x < 2" exclude each other: loosen or drop one of them`},
		{`box`, `constraints: ["x + y = 1", "2*x + 2*y == 3"]`,
			`f.yaml:5:30: "2*x + 2*y == 3" contradicts "x + y = 1": drop or change one of them`},
		{`box`, `constraints: ["x = 3", "y = 1", "x < 4"]`,
			`f.yaml:5:26: "y = 1" leaves no more than one point, with "x = 3": there is nothing to sample. Drop an equation`},
		{`box`, `constraints: ["x < 1", "x = 3"]`, `f.yaml:5:26: "x = 3" contradicts "x < 1": drop or change one of them`},
		{`box`, `constraints: ["x < 1", "y < 1", "x + y = 3"]`,
			`f.yaml:4:1: on "x + y = 3": the domain is empty: "x < 1" and "y < 1" exclude each other: loosen or drop one of them`},
		{`box`, `constraints: ["x^2 + y^2 < 1", "x = y"]`,
			`f.yaml:5:34: "x = y": equations go with linear constraints alone (box, simplex, half-spaces), and the domain has others. Substitute one of its variables`},
		{`box`, `constraints: ["x^2 = y"]`, `f.yaml:5:17: "x^2 = y" is not linear: only linear equations can be eliminated. Substitute one of its variables`},
		{`box`, `constraints: ["0 < x = y"]`, `f.yaml:5:17: "0 < x = y" holds an equation and more: give each comparison as an entry of its own`},
		{`box`, `constraints: ["x = 2*q"]`, `f.yaml:5:24: "q" is not defined; variables are x, y`},
		{`box`, `constraints: ["1 = 2"]`, `f.yaml:5:17: "1 = 2" is always false, whatever the variables`},
		{`box`, `constraints: ["x + y"]`, `f.yaml:5:23: a constraint needs one of <=, <, >= and >`},
		{`box`, `constraints: ["x > z"]`, `f.yaml:5:22: "z" is not defined; variables are x, y`},
		{`box`, `constraints: ["1 > 2"]`, `f.yaml:5:18: "1 > 2" is always false, whatever the variables`},
		{`box`, `constraints: ["x^2 + y^2 <= -1"]`,
			`f.yaml:4:1: 0 of 300000 tries fell inside: no point of the domain was found: it may be empty or very thin; loosen a constraint or give a starting point`},
		{`box`, `constraints: {a: 1}`, `f.yaml:5:16: constraints must be inequalities such as "x > 1 + y", or a matrix of them: {matrix: A.csv, upper: b.csv}; found a mapping`},
		{`box`, `constraints: ["x >= 1", "x <= 1"]`,
			`f.yaml:4:1: the domain has no interior: "x >= 1" and "x <= 1" leave a set of volume zero: loosen or drop one of them`},
		{`box`, `constraints: ["x >= 1", "x <= 1 + 1e-14"]`,
			`f.yaml:4:1: the domain reaches from 1 to 1.00000000000001 in a coordinate, 45 times the 2.2e-16 that numbers there lie apart: fewer than 1024 are too coarse for draws. Take the distance from 1 for the variable`},
		{`sampler`, `smapler:`, `f.yaml:6:1: unknown key "smapler"; did you mean "sampler"?`},
		{`potential`, `potential: log(x - 5)`, `f.yaml:3:1: the potential or its gradient is not finite at any of 256 points of the domain, so that it is on less than 1.2 % of it: bound it more closely by where it is. It is no number (NaN) at all of them: look at the formula or function first`},
	} {
		t.Run(c.with, func(t *testing.T) { checkSample(t, edit(goodSample, c.begins, c.with), nil, c.want) })
	}
}

// checkSample loads a text and compares the first lines of its problems.
func checkSample(t *testing.T, text string, set []string, want string) {
	t.Helper()
	_, err := Parse("sample", "f.yaml", []byte(text), set)
	compareProblems(t, err, want)
	if set == nil {
		schemaTells(t, text, err)
	}
}

// compareProblems compares problems, without their excerpts.
func compareProblems(t *testing.T, err error, want string) {
	t.Helper()
	problems, ok := err.(Problems)
	if !ok {
		t.Fatalf("got %v, want %s", err, want)
	}
	var got []string
	for _, p := range problems {
		p.Source = ""
		got = append(got, p.Error())
	}
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestBadFiles pins what is said of files as a whole.
func TestBadFiles(t *testing.T) {
	crlf := strings.ReplaceAll(edit(goodSample, "method", "metod: r2sgld"), "\n", "\r\n")
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f.yaml:1:1: the file is empty: expected keys such as `name: flower`"},
		{"CRLF", crlf, `f.yaml:7:3: unknown key "metod"; did you mean "method"?`},
		{"BOM", "\ufeff" + edit(goodSample, "name", "nmae: good"), `f.yaml:1:1: unknown key "nmae"; did you mean "name"?`},
		{"tabs", "name: x\nsampler:\n\tseed: 1\n", "f.yaml:3:1: indent by spaces: YAML takes no tabs here"},
		{"two documents", goodSample + "---\n" + goodSample, "f.yaml:13:1: a second document begins here; one configuration per file"},
		{"alias", strings.Replace(goodSample, "[1e-3, 1e-3]", "*eta", 1),
			"f.yaml:10:14: anchors (&) and aliases (*) are not accepted: write the value out, or put text in quotes"},
		{"noise", strings.Replace(goodSample, "domain:", "noise: {gradient: -1, enrgy: 1}\ndomain:", 1),
			"f.yaml:4:19: gradient must not be negative; found -1\n" + `f.yaml:4:23: unknown key "enrgy"; did you mean "energy"?`},
		{"unbounded uniform", edit(edit(goodSample, "box", "box: {x: [0, 1]}"), "burn_in", "init: uniform"),
			"f.yaml:9:9: init: uniform needs a bounded domain: bound every variable, or give a point such as {x: 0}"},
		{"plane", "variables: [x]\npotential: \"0\"\ndomain: {flower: {radius: 2}}\n",
			"f.yaml:3:18: flower lies in a plane and needs two variables; there is one"},
		{"flat", "variables: [x]\npotential: \"0\"\n",
			"f.yaml:2:12: \"x\" is not in the potential, and no bounds of it are known: it has no density. Add a box, or drop it from the variables"},
		{"line", "variables: [x]\npotential: \"0*x\"\n",
			"f.yaml:2:1: no step size fits the curvature 0 of the potential: give sampler.step_size, or bound the domain"},
		{"hot", "variables: [x]\npotential: \"x^2\"\ndomain: {box: {x: [-1, 3]}}\nsampler: {temperature: [1, 1e308]}\n",
			"f.yaml:2:1: no step size fits temperature 1e+308 of rung 2: its steps would be below all numbers. " +
				".inf is the temperature of the uniform law"},
		{"narrow line", "variables: [x]\npotential: \"x/1e-6\"\ndomain: {constraints: [\"x >= 0\"]}\n",
			"f.yaml:2:1: no step size fits the potential about the start, which has no curvature there and slopes of 1e+06, as those of " +
				"a law about 1e-06 wide: bound the domain by numbers of that size, or measure in units of it"},
		{"folded formula", "variables: [x]\npotential: >\n  x^2\n  + rho\n", `f.yaml:4:5: "rho" is not defined; the variable is x`},
		{"escaped formula", "variables: [x]\npotential: \"x\\t+ \\x78 + rho\"\n", `f.yaml:2:25: "rho" is not defined; the variable is x`},
	} {
		t.Run(c.name, func(t *testing.T) { checkSample(t, c.text, nil, c.want) })
	}
}

// TestBadOverrides pins what is said of overrides: the key, and no place.
func TestBadOverrides(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"sampler.step_size=[1,-2]", "--set sampler.step_size: entry 2 of step_size must be positive; found -2"},
		{"sampler.stepsize=1", `--set sampler.stepsize: unknown key "stepsize"; did you mean "step_size"?`},
		{"seed=2", `--set seed: unknown key "seed"; did you mean "sampler.seed"?`},
		{"iterations=9", `--set iterations: unknown key "iterations"; did you mean "sampler.iterations"?`}, // not that of until
		{"scheme=deo", `--set scheme: unknown key "scheme"; did you mean "sampler.swap.scheme"?`},
		{"sampler.scheme=deo", `--set sampler.scheme: unknown key "scheme"; did you mean "sampler.swap.scheme"?`},
		{"swap.scheme=deo", `--set swap.scheme: unknown key "swap"; did you mean "sampler.swap"?`},
		{"radius=2", `--set radius: unknown key "radius"; known keys: name, variables, potential, noise, domain, sampler, outputs, figures`},
		{"sampler.temperature=[1,10,100]", "f.yaml:10:14: step_size must have one entry per rung, 3; found 2"},
		{"sampler.iterations", "--set sampler.iterations: expected a.b=value, such as sampler.iterations=1000"},
		{"=1", "--set : expected a.b=value, such as sampler.iterations=1000"},
		{"name.x=1", `--set name.x: name holds "good", no keys`},
		{"potential=x + z", `--set potential: "z" is not defined; variables are x, y`},
		{"domain.box.x=[2,1]", "--set domain.box.x: the lower bound of x must be below the upper one; found [2, 1]"},
		{"sampler.init={x: 5, y: 0}", "--set sampler.init: the start (x = 5, y = 0) lies outside the domain"},
		{"sampler.seed=[1", "--set sampler.seed: this [ is not closed by a ]"},
	} {
		t.Run(c.set, func(t *testing.T) { checkSample(t, goodSample, []string{c.set}, c.want) })
	}
	s, err := Parse("sample", "f.yaml", []byte(goodSample), []string{"sampler.step_size=[1e-4,2e-4]", "name=other", "domain="})
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "other" || s.Settings.StepSize[1] != 2e-4 || s.Problem.Domain != nil {
		t.Errorf("the overrides left %+v", s.Resolved)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A key left empty counts as not given.
func TestEmptyKeys(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "data.csv"), goodData)
	for _, c := range []struct{ begins, with string }{
		{"likelihood", "weak:"}, {"likelihood", "likelihood: weak\n  weak: {width: }"}, {"likelihood", "states: null"}, {"likelihood", "noise:"},
		{"likelihood", "priors:"},
		{"likelihood", "derivative: {savgol: {window: null, order: }}"}, {"likelihood", "derivative: {savgol: }"},
		{"likelihood", "batch: ~"}, {"time", "time:"}, {"constraints", "constraints:"}, {"iterations", "iterations:"},
	} {
		file := filepath.Join(folder, "f.yaml")
		text := edit(goodIdentify, c.begins, c.with)
		write(t, file, text)
		if _, err := Load("identify", file, nil); err != nil {
			t.Errorf("%s: %v", c.with, err)
		}
		schemaTells(t, text, nil)
	}
}

// Keys of the sampler that are left empty do not choose its method, and method auto
// takes them.
func TestEmptyKeysLeaveMethodAuto(t *testing.T) {
	for _, sampler := range []string{"{step_size: , seed: 4}", "{step_size: null, kernel: harmonic}",
		"{iterations: ~, temperature: , burn_in: }", "{method: auto, thin: }", "{method: }"} {
		text := "variables: [x]\npotential: \"x^2/2\"\ndomain: {box: {x: [0, 1]}}\nsampler: " + sampler + "\n"
		r, err := Parse("sample", "f.yaml", []byte(text), nil)
		if err != nil {
			t.Errorf("%s: %v", sampler, err)
		} else if got := r.Resolved.Sampler.Method; got != "auto" {
			t.Errorf("%s: method %s, want auto", sampler, got)
		}
	}
}

// The figures section names parameters, which are checked before anything is begun.
func TestFiguresSection(t *testing.T) {
	for with, want := range map[string]string{
		"{parameters: [y, x]}": "", "{parameters: [x, z]}": `f.yaml:12:27: no parameter "z"; parameters: x, y`,
		"{parameters: [x, x]}": `f.yaml:12:27: the parameter "x" is listed twice`,
		"{parameters: [x]}":    `f.yaml:12:23: one parameter makes no pair: list two or more`,
		"{parametrs: [x]}":     `f.yaml:12:11: unknown key "parametrs"; did you mean "parameters"?`, "": "", "{parameters: }": "",
		"nothing": "f.yaml:12:10: figures are `none`, or a section {parameters: [a, b, …]}; found \"nothing\"",
	} {
		text := goodSample + "figures: " + with + "\n"
		if want != "" {
			checkSample(t, text, nil, want)
			continue
		}
		r, err := Parse("sample", "f.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Resolved.Figures; (f != nil) != (with == "{parameters: [y, x]}") || f != nil && f.Parameters[0] != "y" {
			t.Errorf("%q: %+v", with, f)
		}
	}
}

// A domain that is the name of a kind alone is told where that belongs.
func TestDomainByName(t *testing.T) {
	_, err := Parse("sample", "f.yaml", []byte("variables: [x, y]\npotential: x^2\ndomain: ball\n"), nil)
	compareProblems(t, err, "f.yaml:3:9: the kind of a domain is a key in it: domain: {ball: …}")
}
