package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

const goodIdentify = `name: good
data:
  file: data.csv
  time: t
  states: {x: x, y: y}
model:
  equations:
    x: "a*x - b*x*y"
    y: "c*x*y - d*y"
  constraints: ["a > 0", "b > 0"]
  likelihood: derivative
sampler:
  iterations: 1000
`

const goodData = "t,x,y\n0,1,2\n1,1.5,2.5\n2,2,2\n3,2.5,1.5\n4,2,1\n5,1.5,1.2\n6,1.2,1.9\n7,1,2.2\n"

// TestBadModels pins what is said of configurations of identify and of data.
func TestBadModels(t *testing.T) {
	pace.Slow(t)
	for _, c := range []struct{ begins, with, data, want string }{
		{`file`, `file: nowhere.csv`, ``,
			`f.yaml:3:9: nowhere.csv: cannot be read: no such file or directory`},
		{`file`, `file: [a]`, ``,
			`f.yaml:3:9: file must be text; found a list of 1`},
		{`file`, ``, ``,
			`f.yaml:2:1: data needs the key "file"`},
		{`states`, `states: {x: X, y: y}`, ``,
			`data.csv:1:1: no column "X" for state "x"; did you mean "x"? (columns: "t", "x", "y")`},
		{`states`, `states: {x: x}`, ``,
			`f.yaml:9:8: the data have no state "y" (states: "x")`},
		{`states`, `states: {}`, ``,
			`f.yaml:5:11: states is empty; expected a column for each state`},
		{`states`, ``, ``,
			`f.yaml:2:1: data needs the key "states", which names a column for each state`},
		{`time`, `time: when`, ``,
			`data.csv:1:1: no column "when" for the time (columns: "t", "x", "y")`},
		{`states`, `states: {x: x, exp: y}`, ``,
			`f.yaml:5:18: "exp" is the name of a function or a constant: call the state otherwise` +
				"\n" + `f.yaml:9:8: the data have no state "y" (states: "x", "exp")`},
		{`states`, `derivatives: {x: dx}`, ``,
			`f.yaml:2:1: data needs the key "states", which names a column for each state`},
		{`x:`, `x: "a*x +"`, ``,
			`f.yaml:8:14: a number, a name or ( is missing at the end`},
		{`x:`, `z: "a*x"`, ``,
			`f.yaml:8:8: the data have no state "z" (states: "x", "y")`},
		{`x:`, `x: "q(x)"`, ``,
			`f.yaml:8:9: "q" is not a function; functions are abs, acos, asin, atan, atan2, beta_lpdf, cauchy_lpdf, cos, cosh, erf, erfc, exp, expm1, exponential_lpdf, floor, gamma_lpdf, lgamma, log, log10, log1p, log_i0, lognormal_lpdf, logsumexp, max, min, normal_lcdf, normal_lpdf, pow, sigmoid, sign, sin, sinh, softplus, sqrt, student_t_lpdf, tan, tanh, uniform_lpdf`},
		{`equations`, `library: [x]`, ``,
			`f.yaml:8:5: the value before this has ended: indent alike what belongs together, and put all of a text in quotes`},
		{`constraints`, `constraints: ["a > e"]`, ``,
			`f.yaml:10:22: "e" is not defined; Euler's number is exp(1); variables are a, b, c, d`},
		{`constraints`, `constraints: ["a > 1", "a < b", "b < 0.5"]`, ``,
			`f.yaml:10:3: the domain is empty: "a > 1" and "a < b" and "b < 0.5" exclude each other: loosen or drop one of them`},
		{`likelihood`, `likelihood: trajectories`, ``,
			`f.yaml:11:15: unknown likelihood "trajectories"; did you mean "trajectory"?`},
		{`likelihood`, `derivative: splines`, ``,
			`f.yaml:11:15: unknown derivative "splines"; did you mean "spline"?`},
		{`likelihood`, `derivative: {spline: 1}`, ``,
			`f.yaml:11:24: spline takes settings by name, such as {spline: {smoothing: …}}; found "1"`},
		{`likelihood`, `derivative: {savgol: [5, 2]}`, ``,
			`f.yaml:11:24: savgol takes settings by name, such as {savgol: {window: …}}; found a list of 2`},
		{`likelihood`, `derivative: {central: 3}`, ``,
			`f.yaml:11:25: central takes no settings: write derivative: central; found "3"`},
		{`likelihood`, "likelihood: trajectory\n  derivative: spline", ``,
			`f.yaml:12:3: derivative goes with likelihood derivative or log-derivative; found likelihood trajectory`},
		{`likelihood`, `sparse: true`, ``,
			`f.yaml:11:11: only the terms of a library can be chosen from: write library: [poly(2)], for instance`},
		{`likelihood`, `weak: {width: 5}`, ``,
			`f.yaml:11:3: weak goes with likelihood weak; found likelihood derivative`},
		{`likelihood`, `states: simulatd`, ``,
			`f.yaml:11:11: unknown states "simulatd"; did you mean "simulated"?`},
		{`likelihood`, "states: simulated\n  solver: {method: rk4}", ``,
			`f.yaml:12:20: unknown method "rk4"; accepted: dopri5, dop853, lsoda`},
		{`likelihood`, `solver: {method: dopri5}`, ``,
			`f.yaml:11:3: solver goes with likelihood trajectory, or with likelihood derivative and states: simulated; as it is, no trajectory is computed`},
		{`likelihood`, "likelihood: weak\n  states: simulated", ``,
			`f.yaml:12:3: states goes with likelihood derivative; found likelihood weak`},
		{`likelihood`, "likelihood: weak\n  weak: {width: 4}", ``,
			`f.yaml:12:17: width must be at least 5; found 4`},
		{`states`, `states: {x: x, y: x}`, ``,
			`f.yaml:5:21: the states "x" and "y" share the column "x": give each its own`},
		{`states`, `states: {x: x, y: t}`, ``,
			`f.yaml:5:21: the column "t" of state "y" is that of the time: give the column with the values of "y"`},
		{`likelihood`, `priors: {a: "normal(0, 1e308)", b: "uniform(-1e308, 1)", c: "half_cauchy(1e-300)"}`, ``,
			`f.yaml:11:16: "normal(0, 1e308)": the argument 1e308 is too large to compute with: take one between 1e-150 and 1e+150 in size` +
				"\n" + `f.yaml:11:39: "uniform(-1e308, 1)": the argument -1e308 is too large to compute with: take one between 1e-150 and 1e+150 in size` +
				"\n" + `f.yaml:11:64: "half_cauchy(1e-300)": the argument 1e-300 is too small to compute with: take one between 1e-150 and 1e+150 in size`},
		{`likelihood`, `noise: {x: 1e308, y: 1e-300}`, ``,
			`f.yaml:11:14: the standard deviation 1e+308 is too large to compute with: it must lie between 1e-150 and 1e+150` +
				"\n" + `f.yaml:11:24: the standard deviation 1e-300 is too small to compute with: it must lie between 1e-150 and 1e+150`},
		{`likelihood`, `derivative: {spline: {smoothing: 1e308}}`, ``,
			`f.yaml:11:24: state "x": the smoothing 1e+308 is too large to compute with: take a smaller one, or 0, which chooses it`},
		{`-`, ``, "t,x,y\n0,1,2\n1e-300,3,2\n2e-300,2,3\n",
			`f.yaml:3:9: data.csv: the times in column "t" span 2e-300: too little to compute with (at least 1e-150): change the unit`},
		{`likelihood`, `likelihood: weak`, "t,x,y\n0,1,2\n1,3,2\n2,2,2\n3,3,2\n4,1,2\n5,3,2\n6,2,2\n7,1,2\n8,3,2\n",
			`f.yaml:11:15: the noise of "y" cannot be estimated from its values (the first is 2), which do not vary: give it (noise: {y: …}, for every state), or drop the equation of "y"`},
		{`likelihood`, `likelihood: weak`, "t,x,y\n0,1,2\n1,3,2\n2,2,4\n",
			`f.yaml:11:15: data.csv has 3 rows: the weak form needs at least 7, with test functions of 5 rows; take likelihood: derivative, or more data`},
		{`-`, ``, "t,x,y\n0,1e-200,2\n1,3e-200,2\n2,2e-200,3\n",
			`f.yaml:3:9: data.csv: the values of state "x" in column "x" are at most 3e-200: too small to compute with (at least 1e-150): change the unit`},
		{`likelihood`, `derivative: {kind: savgol, window: 4}`, ``,
			`f.yaml:11:38: window must be odd; found 4`},
		{`likelihood`, `derivative: {kind: savgol, window: 5, order: 7}`, ``,
			`f.yaml:11:22: order must be below window; found order 7, window 5`},
		{`likelihood`, `derivative: column`, ``,
			`f.yaml:2:1: derivative: column needs the column with the derivative of "x": add data.derivatives: {x: …}`},
		{`likelihood`, `noise: guess`, ``,
			`f.yaml:11:10: unknown noise "guess"; accepted: estimate, paper`},
		{`likelihood`, `noise: {x: 0.1}`, ``,
			`f.yaml:11:10: no standard deviation for "y": add it, or use noise: estimate`},
		{`likelihood`, `noise: {x: 0.1, y: -1}`, ``,
			`f.yaml:11:22: y must be positive; found -1`},
		{`likelihood`, `priors: {q: "normal(0, 1)"}`, ``,
			`f.yaml:11:15: no free parameter "q" (parameters: "a", "b", "c", "d")`},
		{`likelihood`, `priors: {a: "normal(0 1)"}`, ``,
			`f.yaml:11:16: "normal(0 1)": write normal(mean, sd)`},
		{`likelihood`, `priors: {a: "normal(0, 0 1)"}`, ``,
			`f.yaml:11:28: an operator is missing before "1"; products are written with *`},
		{`likelihood`, `priors: {a: "norml(0, 1)"}`, ``,
			`f.yaml:11:16: unknown prior "norml"; did you mean "normal"? (known: beta, cauchy, exponential, gamma, half_cauchy, half_normal, inv_gamma, lognormal, normal, student_t, uniform)`},
		{`likelihood`, `priors: {a: "normal(0, -1)"}`, ``,
			`f.yaml:11:16: "normal(0, -1)": write normal(mean, sd): sd -1 is not positive`},
		{`likelihood`, `likelihood: trajectories`, ``,
			`f.yaml:11:15: unknown likelihood "trajectories"; did you mean "trajectory"?`},
		{`likelihood`, `priors: {x: {initial: "normal(0, 1)"}}`, ``,
			`f.yaml:11:15: x holds keys: if the parameter "x.initial" is meant, write it in one, in quotes within --set, as in "x.initial"=1`},
		{`likelihood`, `fixed: {q: 1}`, ``,
			`f.yaml:11:14: no parameter "q" (parameters: "a", "b", "c", "d")`},
		{`likelihood`, `start: {q: 1}`, ``,
			`f.yaml:11:14: no free parameter "q" (parameters: "a", "b", "c", "d")`},
		{`likelihood`, `start: {a: one}`, ``,
			`f.yaml:11:14: a must be a number; found "one"`},
		{`likelihood`, `batch: -1`, ``,
			`f.yaml:11:10: batch must be at least 0; found -1`},
		{`likelihood`, `fixed: {a: one}`, ``,
			`f.yaml:11:14: a must be a number; found "one"`},
		{`likelihood`, `priors: {a: "uniform(-2, -1)"}`, ``,
			`f.yaml:10:3: the domain is empty: "a > 0" and "a <= -1 (prior)" exclude each other: loosen or drop one of them`},
		{`iterations`, `init: {a: -1, b: 1, c: 1, d: 1}`, ``,
			`f.yaml:13:9: the start (a = -1, b = 1, c = 1, d = 1) lies outside the domain`},
		{`iterations`, `init: uniform`, ``,
			`f.yaml:13:9: init: uniform needs a bounded domain: bound every variable, or give a point such as {a: 0}`},
		{`iterations`, `whiten: maybe`, ``,
			`f.yaml:13:11: unknown whiten "maybe"; accepted: true, false`},
		{`model`, `modell:`, ``,
			`f.yaml:1:1: the model is missing: add, for instance, model: {equations: {x: "a*x"}}` +
				"\n" + `f.yaml:6:1: unknown key "modell"; did you mean "model"?`},
		{`name`, `potential: x`, ``,
			`f.yaml:1:1: unknown key "potential"; known keys: name, data, model, sampler, figures`},
		{`likelihood`, `likelyhood: derivative`, ``,
			`f.yaml:11:3: unknown key "likelyhood"; did you mean "likelihood"?`},
		{`-`, ``, "t,x\n0,1\n",
			`data.csv:1:1: no column "y" for state "y" (columns: "t", "x")`},
		{`-`, ``, "t,x,y\n0,1,2\n1,NaN,2\n2,1,1\n3,1,1\n",
			`data.csv:3:3: "NaN" in column "x": not a number: leave the cell empty, or write NA, where a value is missing`},
		{`-`, ``, "t,x,y\n0,1,2\n1,1\n2,1,1\n",
			`data.csv:3:1: 2 cells in this row, 3 in the header`},
		{`-`, ``, "t,x,y\n0,1,2\n0,1,3\n1,2,3\n",
			`data.csv:3:1: t 0 comes twice, first in line 2: keep one row for each time`},
		{`-`, ``, "t,x,y\n0,1,2\n2,1,3\n1,2,3\n",
			`data.csv:4:1: t 1 comes after 2: sort the rows by time`},
		{`-`, ``, "t,x,y\n",
			`f.yaml:3:9: data.csv: 0 rows of data: at least 3 are needed`},
		{`-`, ``, "t,x,y\n0,1,2\n1,1,2\n",
			`f.yaml:3:9: data.csv: 2 rows of data: at least 3 are needed`},
		{`-`, ``, "t,x,y\n0,1,2\n1,abc,1e400\n2,1,1\n3,1,1\n",
			`data.csv:3:3: "abc" in column "x": not a number` +
				"\n" + `data.csv:3:7: "1e400" in column "y": too large to compute with (at most 1e+150): change the unit`},
		{`-`, ``, "t;x;y\n0;1;2\n",
			`data.csv:1:1: the columns are not separated by commas: save the file as comma-separated values`},
		{`-`, ``, "0,1,2\n1,2,3\n2,3,4\n",
			`data.csv:1:1: the first line holds numbers: it must name the columns, for instance "t,x,y"`},
		{`-`, ``, "t,x,y\n0,,2\n1,1,2\n2,3,3\n",
			`f.yaml:3:9: data.csv: 2 values of state "x" in column "x": at least 3 are needed`},
		{`-`, ``, "t,x,x,y\n0,1,1,2\n1,1,2,2\n2,3,3,3\n",
			`data.csv:1:5: column "x" comes twice`},
		{`likelihood`, `likelihood: log-derivative`, "t,x,y\n0,1,2\n1,-1,2\n2,1,1\n3,1,1\n",
			`data.csv:3:1: x = -1: the likelihood log-derivative needs positive data; use derivative`},
		{`-`, ``, "\"t,x,y\n0,1",
			`data.csv:1:1: a quotation mark that is opened in this row is not closed, or has letters behind it in line 2`},
		{`-`, ``, ` `,
			`data.csv:1:1: no column "t" for the time (columns: "")` +
				"\n" + `data.csv:1:1: no column "x" for state "x" (columns: "")` +
				"\n" + `data.csv:1:1: no column "y" for state "y" (columns: "")`},
	} {
		t.Run(c.with+c.data, func(t *testing.T) {
			folder := t.TempDir()
			data := c.data
			if data == "" {
				data = goodData
			}
			write(t, filepath.Join(folder, "data.csv"), data)
			file := filepath.Join(folder, "f.yaml")
			write(t, file, edit(goodIdentify, c.begins, c.with))
			_, err := Load("identify", file, nil)
			schemaTells(t, edit(goodIdentify, c.begins, c.with), err)
			if problems, ok := err.(Problems); ok {
				for i := range problems {
					problems[i].File = filepath.Base(problems[i].File)
					problems[i].Message = strings.ReplaceAll(problems[i].Message, folder+string(filepath.Separator), "")
				}
			}
			compareProblems(t, err, c.want)
		})
	}
}

// TestBadLibraries pins what is said of libraries.
func TestBadLibraries(t *testing.T) {
	const model = "name: good\ndata: {file: data.csv, time: t, states: {x: x, y: y}}\nmodel:\n  "
	for _, c := range []struct{ model, want string }{
		{`library: [x, 2*x, "x*y", "y*x"]` + "\n  sparse: true",
			`f.yaml:4:16: the terms "x" and "2*x" are multiples of each other in all rows, so that the data cannot choose between them: drop one from the library, or pin it in each equation (fixed: {"x.2*x": 0})` +
				"\n" + `f.yaml:4:28: the terms "x*y" and "y*x" are multiples of each other in all rows, so that the data cannot choose between them: drop one from the library, or pin it in each equation (fixed: {"x.y*x": 0})`},
		{`library: ["x**2", "x^2"]` + "\n  sparse: true",
			`f.yaml:4:21: the terms "x**2" and "x^2" are multiples of each other in all rows, so that the data cannot choose between them: drop one from the library, or pin it in each equation (fixed: {"x.x^2": 0})`},
		{`library: ["0*x"]`,
			`f.yaml:4:13: the term "0*x" is 0 in all rows of "x", so that the data say nothing of its coefficient: drop it from the library, or pin it (fixed: {"x.0*x": 0})`},
		{`library: poly(2)`, `f.yaml:4:12: library must be a list of terms; found "poly(2)"`},
		{`library: []`, `f.yaml:4:12: library is an empty list; expected terms`},
		{`library: [""]`, `f.yaml:4:13: entry 1 of library is empty`},
		{`library: [poly(-1)]`, `f.yaml:4:13: poly(-1): poly takes a degree, a whole number such as 2: poly(2) stands for all monomials of the states up to degree 2`},
		{`library: [poly(2.5)]`, `f.yaml:4:13: poly(2.5): poly takes a degree, a whole number such as 2: poly(2) stands for all monomials of the states up to degree 2`},
		{`library: [poly(99999999999999999999)]`,
			`f.yaml:4:13: poly(99999999999999999999) of 2 states has more than 256 terms: take a lower degree`},
		{"library: [poly(1)]\n  sparse: {prior: 1, threshold: 1.5}",
			`f.yaml:5:19: prior is a probability between 0 and 1, both ends excluded; found 1` +
				"\n" + `f.yaml:5:33: threshold is a probability between 0 and 1, both ends excluded; found 1.5`},
	} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "data.csv"), goodData)
		file := filepath.Join(folder, "f.yaml")
		write(t, file, model+c.model+"\n")
		_, err := Load("identify", file, nil)
		if problems, ok := err.(Problems); ok {
			for i := range problems {
				problems[i].File = filepath.Base(problems[i].File)
			}
		}
		compareProblems(t, err, c.want)
	}
}
