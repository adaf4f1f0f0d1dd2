package main

import (
	"fmt"
	"slices"
	"strings"
)

const (
	wells   = "((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5"
	valley  = "4*(x^2 + y^2 - 0.5)^2 + x*y"
	slanted = "2*x^2 + 3*(y - 0.4)^2 + 2*x*y + 0.5*(z + 0.3)^2 - z*x"
	square  = "box: {x: [-1, 1.5], y: [-1, 1]}"
	cube    = "box: {x: [-1, 1], y: [-1, 2], z: [0, 1]}"
)

// shell is U = |x| in a shell, with a gradient in y that depends on the seed. Hashes of
// configurations know the folder in which a program runs.
const shell = `{directory: /, command: [sh, -c, 'read a; echo "{\"r2sgld\": 1, \"dimension\": 2, \"stochastic\": true}";
  while read s x y; do case $x in -*) echo ${x#-} -1 $((s % 3 - 1));; *) echo $x 1 $((s % 3 - 1));; esac; done']}`

// brief is the length of most runs.
const brief = "iterations: 300, burn_in: 40, thin: 3, ladders: 2, "

// sampled is a run of sample in the variables that the potential speaks of.
func sampled(name, potential, domain, sampler string, do ...string) made {
	variables := "[x, y]"
	if strings.Contains(potential+domain, "z") {
		variables = "[x, y, z]"
	}
	return made{name, fmt.Sprintf("name: %s\nvariables: %s\npotential: %q\ndomain: {%s}\nsampler: {%s}\n", name, variables,
		potential, domain, sampler), do}
}

// allMade are all runs. Every third one is made by go test, so that neighbours are alike.
func allMade() []made {
	return slices.Concat(madeByMethod(), madeByKernel(), madeBySwaps(), madeByAuto(), madeGoingOn(), madeOfEquations(),
		madeOfTrajectories(), madeOfTheory(),
		madeOfStudies(), madeOfNetworks(), madeOfRows())
}

// madeOfRows are runs of fit.
func madeOfRows() []made {
	const table = "data: DATA/../examples/fit/"
	const auto = "sampler: {method: auto, ladders: 2, iterations: 100, until: {iterations: 100}}\n"
	return []made{
		{"fit-groups", "name: fit-groups\n" + table + `eight-schools.csv
model:
  parameters:
    mu: normal(0, 5)
    tau: half_cauchy(5)
    eta[school]: normal(0, 1)
  likelihood: effect ~ normal(mu + tau*eta[school], error)
` + auto, []string{"fit FILE --out RUN"}},
		{"fit-simplex", "name: fit-simplex\n" + table + `o-rings.csv
model:
  parameters:
    w: {shape: simplex(3), prior: "dirichlet(2, 1, 3)"}
    b: {prior: flat, max: 0}
  log_lik: damaged*log(w[1]) + (rings - damaged)*log(w[2] + w[3]) + b*(temperature - 50)/30
` + auto, []string{"fit FILE --out RUN"}},
		{"fit-lag", "name: fit-lag\n" + strings.Replace(table, ": ", ": {file: ", 1) + `penguins.csv, missing: drop}
model:
  parameters:
    beta[X]: normal(0, 500)
    c[species]: student_t(4, m, 500)
    m: normal(4000, 1000)
    s: half_normal(500)
  let:
    X: {columns: [flipper_length, bill_depth], standardise: true}
  likelihood: body_mass ~ normal(c[species] + X*beta + 0.01*lag(bill_length, 1), s)
` + auto, []string{"fit FILE --out RUN"}},
		{"fit-minibatch", "name: fit-minibatch\n" + strings.Replace(table, ": ", ": {file: ", 1) + `penguins.csv, missing: drop}
model:
  parameters:
    beta[X]: normal(0, 500)
    c[species]: normal(4000, 1000)
    s: {prior: "half_normal(500)", min: 300}
  let:
    X: {columns: [flipper_length, bill_depth], standardise: true}
  likelihood: body_mass ~ normal(c[species] + X*beta, s)
` + strings.Replace(strings.Replace(auto, "100", "1000", 2), "ladders", "minibatch: 64, ladders", 1), []string{"stop fit FILE --out RUN", "resume RUN --threads 1"}},
		{"fit-joint", "name: fit-joint\n" + strings.Replace(table, ": ", ": {file: ", 1) + `penguins.csv, missing: drop}
model:
  parameters:
    mu[species, 2]: multi_normal([m, 15], [[400, 10], [10, 25]])
    m: normal(40, 10)
    s[2]: half_normal(10)
    L: {shape: cholesky_corr(3), prior: lkj_corr_cholesky(2)}
  likelihood: "[bill_length, bill_depth] ~ multi_normal_cholesky(mu[species], diag_pre_multiply(s, [[1, 0], [L[2,1], L[2,2]]]))"
` + auto, []string{"fit FILE --out RUN", "simulate RUN --draws 20 --keep"}},
		{"fit-float32", "name: fit-float32\n" + strings.Replace(table, ": ", ": {file: ", 1) + `penguins.csv, missing: drop, precision: float32}
model:
  parameters:
    beta[X]: normal(0, 2)
    c[species]: normal(0, 2)
  let:
    X: {columns: [flipper_length, bill_depth], standardise: true}
  likelihood: (body_mass > 4200) ~ bernoulli_logit(c[species] + X*beta + 0.1*bill_length)
` + strings.ReplaceAll(auto, "100", "400"),
			[]string{"stop fit FILE --out RUN", "resume RUN --threads 1", "simulate RUN --draws 20 --keep"}},
	}
}

// madeByMethod has every method, boundary rule and schedule, each on another domain.
func madeByMethod() []made {
	const one, two = brief + "step_size: 5e-3, method: ", brief + "step_size: [2e-3, 6e-3], temperature: [1, 4], method: "
	const walls = `constraints: ["x + y + z < 1", "x > -1", "y > -1", "z > -1", "x - y < 0.5", "0.1 < 2*x - z + 1 < 2"]`
	return []made{
		sampled("sgld-free", wells, "", brief+"init: {x: 0.1, y: 0.2}, method: sgld"),
		sampled("cycsgld-heart", wells, "heart: {radius: 1}", one+"cycsgld"),
		sampled("resgld-half-space", slanted, `constraints: ["x - 2*y + 0.5*z <= 0.5"]`, two+"resgld"),
		sampled("p-sgld-ellipsoid", slanted, "ellipsoid: {matrix: [[2, 0.5, 0], [0.5, 1, 0.2], [0, 0.2, 3]]}", one+"p-sgld, penalty: 5"),
		sampled("p-cycsgld-star", wells, "star: {radius: 1.3}", one+"p-cycsgld"),
		sampled("p-resgld-polytope", slanted, walls, two+"p-resgld, penalty: {strength: 40, form: distance}"),
		sampled("r-sgld-flower", wells, "flower: {radius: 0.8}",
			one+"r-sgld, boundary: nearest, cap: 5, schedule: {kind: exponential, decay: 0.99, after: 50}"),
		sampled("r-cycsgld-octagon", valley, "octagon: {radius: 0.8}", one+"r-cycsgld, boundary: refuse, schedule: {kind: cosine, cycles: 3}"),
		sampled("r-resgld-thin", wells, `constraints: ["1 <= x^2 + y^2 <= 1.0004"], box: {x: [-1.1, 1.1], y: [-1.1, 1.1]}`, two+"r-resgld"),
		sampled("sghmc-box", valley, square, one+"sghmc, schedule: {kind: polynomial, a: 0.1, b: 10, gamma: 0.5}"),
		sampled("cycsghmc-ball", valley, "ball: {radius: 0.7}", one+"cycsghmc"),
		sampled("resghmc-cross", wells, "cross: {radius: 1.5}", two+"resghmc"),
		sampled("p-sghmc-polygon", wells, "polygon: [[-1, -1], [1, -1], [0.3, 0.2]]", one+"p-sghmc, momentum: 0.5"),
		sampled("p-cycsghmc-simplex", slanted, "simplex: [x, y, z]", one+"p-cycsghmc"),
		sampled("p-resghmc-cylinder", slanted, `constraints: ["x^2 + y^2 < 1", "0 < z < 1 + x"]`, two+"p-resghmc"),
		sampled("r-sghmc-product", slanted, "ball: {center: [0.2, 0.1], radius: 0.8, of: [x, z]}, box: {y: [-1, 1]}",
			one+"r-sghmc, boundary: project"),
		sampled("r-cycsghmc-axes", slanted, "ellipsoid: {center: [0, 0.1, 0.2], axes: [1, 0.7, 0.4]}", one+"r-cycsghmc"),
		sampled("r-resghmc-hyperboloid", slanted, `constraints: ["x^2 + y^2 - z^2 < 0.5"], box: {x: [-2, 2], y: [-2, 2], z: [-1, 1]}`,
			two+"r-resghmc, momentum: 0.7, noise_estimate: 0.1"),
		sampled("r-hmc-wedge", slanted, `ball: {radius: 1}, constraints: ["x > 0.2*y", "z < 0.5"]`, brief+"method: r-hmc, leapfrog: 4"),
		sampled("projected-sgld-octagon", wells, "octagon: {}", brief+"method: projected-sgld"),
		sampled("myula-ball", valley, "ball: {radius: 0.7}", brief+"method: myula, smoothing: 0.02"),
		sampled("mirror-sgld-box", valley, square, brief+"method: mirror-sgld, step_size: 0.01"),
		sampled("mirror-sgld-simplex", "-log(x) - 2*log(y) - 3*log(1 - x - y)", "simplex: [x, y]", brief+"method: mirror-sgld, step_size: 0.01"),
		sampled("rejection-sgld-ball", valley, "ball: {radius: 0.8}", brief+"method: rejection-sgld"),
	}
}

// madeByKernel has every kernel, and the certificate.
func madeByKernel() []made {
	const two, hot = brief + "method: r2sgld, temperature: [1, 4], ", brief + "method: r2sgld, temperature: [1, inf], "
	return []made{
		sampled("mala-slice", slanted, `constraints: ["x >= 0", "y >= 0", "z >= 0", "x + y + z = 1"]`,
			two+"kernel: mala, step_size: [0.02, 0.05]"),
		sampled("mala-flower", wells, "flower: {}", hot+"kernel: mala, step_size: [0.02, 0.1]"),
		sampled("hmc-implicit", wells, `constraints: ["((x - 1)^2 + y^2)*((x + 1)^2 + y^2) <= 1.21"], box: {x: [-2, 2], y: [-1, 1]}`,
			two+"kernel: hmc, leapfrog: 3, step_size: [0.01, 0.03]"),
		sampled("harmonic-ball", slanted, `ball: {radius: 1.2}, constraints: ["x + z < 0.7"]`, two+"kernel: harmonic"),
		sampled("harmonic-box", slanted, cube, brief+"method: r-sgld, kernel: auto"),
		sampled("hmc-polytope", slanted, `constraints: ["x + y + z < 1", "x > -1", "y > -1", "z > -1", "x - y < 0.5"]`,
			two+"kernel: hmc, leapfrog: 5"),
		sampled("certificate-box", valley, square, brief+"method: r-sgld, step_size: 0.02, certificate: true"),
		sampled("certificate-ball", valley, "ball: {radius: 0.9}",
			hot+"step_size: [0.02, 0.05], certificate: true, boundary: refuse, swap: {every: 10}"),
	}
}

// madeBySwaps has schemes, rules and gates of swaps, and kinds of noise and of potentials.
func madeBySwaps() []made {
	const noisy = "\nnoise: {gradient: 0.05, energy: 0.4}"
	five := func(name, potential, domain, swap, noise string) made {
		m := sampled(name, potential, domain,
			brief+"temperature: [1, 1.7, 3, 6, 12], step_size: [1e-3, 1e-3, 2e-3, 4e-3, 6e-3], swap: {"+swap+"}")
		m.text += noise
		return m
	}
	program := sampled("program", "0", "box: {x: [-2, 2], y: [-1, 1]}",
		brief+"temperature: [1, 3], step_size: [0.01, 0.02], swap: {variance: online}")
	program.text = strings.Replace(program.text, `"0"`, shell, 1)
	return []made{
		five("adj-star", wells, "star: {}", "scheme: adj, every: 3", ""),
		five("ape-formula", wells, `constraints: ["sin(3*x) + y^2 < 0.9", "y < exp(-x)"], box: {x: [-1, 1], y: [-2, 2]}`,
			"scheme: ape, rule: indicator, target: 0.3", ""),
		five("seo-matrix", slanted, "constraints: {matrix: DATA/../examples/dodecahedron.csv, lower: -1, upper: 1, names: header}",
			"scheme: seo, rule: threshold, threshold: 0.01", ""),
		five("last-polygon", wells, "polygon: [[-1, -1], [2, -1], [0.3, 0.2], [-1, 2]]", "scheme: windowed-deo, window: 7, gate: last", ""),
		five("open-parts", wells, `constraints: ["x^2 + y^2 >= 0.25", "y < 1 + x"], flower: {petals: 6, radius: 1.4}`,
			"scheme: windowed-deo, gate: open, parity: off", ""),
		five("once-long", slanted, `constraints: ["0 < x < 3e6", "0 < x + y < 1", "0 < z < 1"]`,
			"scheme: windowed-deo, window: 5, gate: once, rule: indicator, gain: 0.1", ""),
		five("number-product", slanted, "flower: {petals: 4, offset: 2, radius: 1, of: [z, x]}, box: {y: [0, 1]}",
			"variance: 0.3, correction: 3", noisy),
		five("online-flower", wells, "flower: {}", "variance: online", noisy),
		five("batches-heart", wells, "heart: {}", "variance: {every: 20, batches: 3, smoothing: 0.2}, scheme: seo", noisy),
		five("full-cross", wells, "cross: {}", "energies: full", noisy),
		program,
		sampled("densities", "-normal_lpdf(x, 0, 1) - student_t_lpdf(y, 4, 0, 1) - gamma_lpdf(z, 2, 3) - log(0.3*exp(-x^2) + 0.7*exp(-20*(y - "+
			"0.5)^2)) - log(Phi(x))", "box: {z: [0.01, 3]}", brief+"method: r2sgld, step_size: 1e-3"),
		sampled("functions", "abs(x) + max(x, y, 0.2) + floor(2*y)/4 + lgamma(2 + x) + atan2(y, 2 + x) + log1p_exp(x*y) + hypot(x, y)^1.5",
			square, brief+"method: r2sgld"),
	}
}

// madeByAuto has what method auto finds, and where it ends.
func madeByAuto() []made {
	const auto, end = "method: auto, ladders: 2, iterations: 2000, ", "until: {iterations: 2000}"
	return []made{
		sampled("auto-flower", wells, "flower: {}", auto+end),
		sampled("auto-free", slanted, "", auto+"until: {rhat: 1.2, ess: 50, iterations: 8000}"),
		sampled("auto-whitened", "50*(x + y - 0.5)^2 + 0.5*(x - y)^2 + z^2/4", cube, auto+"kernel: mala, until: {iterations: 2000}"),
		sampled("auto-jump", "4*floor(2*x + y) + x^2", square, auto+end),
		sampled("auto-hmc", valley, "ball: {radius: 1}", "method: auto, ladders: 2, kernel: hmc, iterations: 200, until: {iterations: 200}"),
		sampled("auto-harmonic", slanted, cube, "method: auto, ladders: 2, kernel: harmonic, iterations: 200, until: {iterations: 400}"),
		sampled("auto-evidence", valley, "polygon: [[-1, -1], [1, -1], [0, 1]]",
			"method: auto, ladders: 2, kernel: mala, iterations: 1000, until: {evidence: 0.1, iterations: 4000}"),
		sampled("auto-bias", "x^2 + y", square, "method: auto, ladders: 2, iterations: 1000, until: {bias: 0.5, iterations: 2000}"),
		sampled("auto-mode", "-log(0.3*exp(-20*((x - 0.8)^2 + y^2 + z^2)) + 0.7*exp(-20*((x + 0.8)^2 + y^2 + z^2)))",
			"constraints: {matrix: DATA/../examples/dodecahedron.csv, lower: -1, upper: 1, names: header}", auto+end+", swap: {scheme: seo}"),
	}
}

// madeGoingOn has runs that are stopped, extended or read again.
func madeGoingOn() []made {
	const two = "iterations: 1500, burn_in: 100, thin: 5, ladders: 3, temperature: [1, 4], step_size: [2e-3, 6e-3]"
	return []made{
		sampled("resumed-stopped", wells, "flower: {}", "method: r2sghmc, swap: {variance: online}, "+two,
			"stop sample FILE --out RUN", "resume RUN"),
		sampled("resumed-longer", wells, "flower: {}", two, "sample FILE --out RUN --threads 1", "resume RUN --iterations 2500",
			"resume RUN --iterations 3000 --threads 2 --set sampler.step_size=1e-3"),
		sampled("resumed-auto", valley, square, "ladders: 2, method: auto, iterations: 1000, until: {ess: 20, rhat: 2}", "sample FILE --out RUN",
			"resume RUN --set sampler.until.ess=300"),
		sampled("read-again", slanted, cube, two, "sample FILE --out RUN --json", "resume RUN --set figures.parameters=[z,x]",
			"diagnose RUN --json", "diagnose RUN/draws.zarr --json",
			"diagnose RUN/draws-1.csv RUN/draws-2.csv --json", "plan FILE --json"),
		sampled("planned-auto", valley, "flower: {radius: 1}", "method: auto, ladders: 2", "plan FILE --json"),
	}
}

const (
	pelts = "data: {file: DATA/lynx_hare.csv, time: year, states: {H: hare, L: lynx}}\nmodel:\n" +
		`  equations: {H: "H*(alpha - beta*L)", L: "L*(-gamma + delta*H)"}` + "\n"
	positive = `  constraints: ["alpha > 0", "beta > 0", "gamma > 0", "delta > 0"]` + "\n"
	bounded  = `  constraints: ["0 < alpha < 1.5", "0 < beta < 0.1", "0 < gamma < 1.5", "0 < delta < 0.1"]` + "\n"
)

// identified is a run of identify.
func identified(name, model, sampler string, do ...string) made {
	return made{name, fmt.Sprintf("name: %s\n%ssampler: {%s}\n", name, model, sampler), do}
}

// madeOfEquations has likelihoods that need no solver, sparse libraries, minibatches,
// priors, and comparison.
func madeOfEquations() []made {
	const one = brief + "method: r2sgld"
	const butterfly = "data: {file: DATA/lorenz.csv, time: t, states: {x: x, y: y, z: z}}\nmodel:\n"
	return []made{
		identified("slopes-central", pelts+positive+"  likelihood: log-derivative\n", one),
		identified("slopes-savgol", pelts+positive+"  derivative: {savgol: {window: 5, order: 3}}\n  noise: paper\n", one),
		identified("slopes-spline", pelts+positive+"  derivative: spline\n", one+", whiten: false"),
		identified("slopes-column", strings.Replace(pelts, "}}", "}, derivatives: {H: lynx, L: hare}}",
			1)+"  derivative: column\n  noise: {H: 20, L: 20}\n", brief+"method: resgld"),
		identified("slopes-simulated", pelts+positive+"  states: simulated\n  solver: {rtol: 1e-4}\n", one),
		identified("slopes-batch", pelts+positive+"  likelihood: log-derivative\n  start: {alpha: 1}\n  batch: 7\n", one),
		identified("weak", pelts+positive+"  likelihood: weak\n  weak: {width: 7}\n", brief+"method: r2sgld, kernel: hmc, leapfrog: 3"),
		identified("sparse", butterfly+"  library: [poly(2)]\n  sparse: {keep: [x.x], threshold: 0.6}\n  likelihood: weak\n  constraints: "+
			"[\"y.x > 1\"]\n", one),
		identified("equations-harmonic", pelts+positive+"  likelihood: log-derivative\n", brief+"method: r2sgld, kernel: auto"),
		identified("equations-priors",
			pelts+"  priors: {alpha: \"gamma(2, 2)\", beta: \"half_normal(0.1)\", gamma: \"student_t(3, 1, 1)\", delta: \"uniform(0, 0.1)\"}\n  "+
				"likelihood: log-derivative\n", one+", init: prior"),
		identified("equations-nonlinear", strings.Replace(pelts, "alpha - beta*L", "alpha - beta*L/(1 + kappa^2*H)",
			1)+positive+"  start: {kappa: 0.1}\n  fixed: {delta: 0.02}\n", one),
		identified("compared", pelts+bounded+"  likelihood: log-derivative\n  noise: {H: 0.21, L: 0.19}\n",
			"method: auto, ladders: 2, iterations: 1000, until: {iterations: 1000}",
			"identify FILE --out RUN", "identify FILE --out OTHER --set model.equations.H=H*(alpha-0.004*H-beta*L)", "compare RUN OTHER --json"),
		identified("identified-auto", pelts+positive+"  likelihood: log-derivative\n",
			"ladders: 2, method: auto, iterations: 2000, until: {iterations: 2000}",
			"identify FILE --out RUN --json", "simulate RUN --until +10 --draws 40", "plan FILE --json"),
	}
}

// madeOfTrajectories has likelihoods by solutions of the equations, and simulation.
func madeOfTrajectories() []made {
	const ball = "data: {file: DATA/ball_drop.csv, time: time, states: {h: height}}\nmodel:\n" + `  equations: {h: "v", v: "-g - 0.03625*Cd*v*abs(v)"}
  constraints: ["9.763 <= g <= 9.834", "Cd >= 0"]
  likelihood: trajectory
  priors: {Cd: "half_normal(1)", g: "uniform(9.763, 9.834)", h.initial: "normal(48, 2)", v.initial: "normal(0, 1)", h.noise: "lognormal(-2, 1)"}
`
	const flu = "data: {file: DATA/influenza_school.csv, time: day, states: {I: in_bed}}\nmodel:\n" + `  equations: {S: "-beta*S*I/763", I: "beta*S*I/763 - gamma*I"}
  constraints: ["beta > 0", "gamma > 0", "I.initial > 0", "512 <= S.initial + I.initial <= 763", "beta*S.initial > 763*gamma"]
  likelihood: trajectory
  priors: {beta: "lognormal(0, 1)", gamma: "lognormal(-1, 1)", S.initial: "uniform(0, 763)", I.initial: "lognormal(1, 1)", I.noise: "lognormal(3, 1)"}
`
	const rough = "  solver: {method: dopri5, rtol: 1e-3, atol: 1e-2}\n"
	const few = "iterations: 60, burn_in: 6, thin: 1, ladders: 2, "
	const pair = few + "method: r2sgld"
	return []made{
		identified("trajectory-normal", ball+"  noise: normal\n", pair, "identify FILE --out RUN",
			"simulate RUN --until +1 --draws 20 --keep --solver lsoda --points 30"),
		identified("trajectory-lognormal",
			pelts+positive+"  likelihood: trajectory\n  noise: {kind: lognormal, H: 0.2, L: 0.2}\n  solver: {method: dopri5, rtol: 1e-5}\n", pair,
			"identify FILE --out RUN", "simulate RUN --from mode --lyapunov --points 40 --apart 5 --truth alpha=0.5,beta=0.03,gamma=0.8,delta=0.03",
			"simulate RUN --from mean --against DATA/lynx_hare.csv --out OTHER --times DATA/lynx_hare.csv:year --set beta=0.03 --json"),
		identified("trajectory-stiff", strings.Replace(ball, "  likelihood", "  solver: {method: lsoda}\n  likelihood", 1),
			pair+", kernel: mala, init: prior"),
		identified("trajectory-hidden", flu+"  noise: normal\n"+rough, pair+", kernel: hmc, leapfrog: 2"),
		identified("trajectory-auto", flu+"  noise: normal\n"+rough, "ladders: 2, method: auto, iterations: 100, until: {iterations: 100}"),
	}
}

// madeOfTheory has the diffusion itself.
func madeOfTheory() []made {
	gap := func(name, variables, potential, domain, theory string) made {
		return made{name, fmt.Sprintf("name: %s\nvariables: %s\npotential: %q\ndomain: {%s}\ntheory: {%s}\n", name, variables,
			potential, domain, theory), nil}
	}
	return []made{
		gap("theory-line", "[x]", "2*x^2", "box: {x: [0, 2]}", "grid: 100, decay: {start: {x: 0.1}, times: [0, 0.1, 1]}"),
		gap("theory-swaps", "[x]", "5*(x^2 - 1)^2 + 0.3*x", "box: {x: [-1.5, 1.5]}",
			"grid: 40, temperature: [1, 10], intensity: 30, intensities: [1, 10, 100]"),
		gap("theory-plane", "[x, y]", wells, "flower: {}",
			"grid: 40, eigenvalues: 3, decay: {start: {x: 0, y: 0}, times: [0, 1, 10], of: [chi2, kl, tv]}"),
		gap("theory-plane-swaps", "[x, y]", valley, `constraints: ["x^2 + y^2 < 1", "x < 0.7"], polygon: [[-1, -1], [1, -1], [0, 2]]`,
			"grid: 8, temperature: [1, 3], intensity: 2"),
	}
}

// madeOfStudies has the studies of the paper that need no worker program.
func madeOfStudies() (all []made) {
	for _, name := range []string{"lorenz", "multimodal", "lotka-volterra", "diameter", "theory", "swaps", "evidence", "monotone"} {
		all = append(all, made{"study-" + name, "", []string{"reproduce " + name + " --scale smoke --out RUN"}})
	}
	return append(all, made{"study-truth", "", []string{"reproduce multimodal --truth --json"}})
}

// madeOfNetworks has trainings.
func madeOfNetworks() (all []made) {
	for name, text := range map[string]string{
		"ladder": "network: {kind: lenet, norm: frn}\nsampler: {method: r2sghmc, epochs: 2, batch: 40, temperature: [0.05, 0.5], step_size: " +
			"[0.05, 0.07]}\naverage: {from: 0.4, save: true}\n",
		"swag": "network: {kind: mlp, hidden: [5], activation: tanh}\nsampler: {method: swag, epochs: 4, batch: 40}\naverage: {from: 0.4}\n",
		"rescaled": "network: {kind: mlp, hidden: [2]}\nsampler: {method: r2sghmc, epochs: 6, batch: 30, order: independent, temperature: [1, " +
			"1.1, 1.2], step_size: 0.02, schedule: constant, swap: {scheme: deo, rule: metropolis}}\n",
	} {
		m := made{name: "train-" + name, text: "name: " + name + "\ndata: {kind: idx, folder: " + fashionFolder +
			", train: 120, test: 60}\n" + text}
		if name == "rescaled" {
			m.do = []string{"stop train FILE --out RUN", "resume RUN"}
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b made) int { return strings.Compare(a.name, b.name) })
	return all
}
