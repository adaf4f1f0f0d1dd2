package mutants

// ofModels are faults of potentials and dynamical systems.
var ofModels = []fault{
	{"rows: what is left over of strips", "internal/rows TestStrips", []edit{{"internal/rows.(*evaluator).Eval", "from < p.rows", "from < max(1, p.rows/strip*strip)"}}},
	{"rows: entries of the row before", "internal/rows TestGroups", []edit{{"internal/rows.(*builder).pick", "l.Of[row]", "l.Of[max(0, row-1)]"}}},
	{"rows: derivatives by picked entries of one state", "internal/rows TestStrips", []edit{
		{"internal/rows.(*workspace).subtract", "grad[g.coordinate[level]*r+i] -=", "grad[g.coordinate[level]*r] -="},
	}},
	{"rows: constants that do not count", "internal/rows TestStrips|TestGroups", []edit{{"internal/rows.(*evaluator).Eval", "-sum(p.constant)", "0"}}},
	{"rows: priors of the parameter itself", "internal/rows TestFaults$", []edit{
		{"internal/rows.(*builder).priorOf", "case slices.Contains(v.order, j):", "case slices.Contains(v.order[:0], j):"},
	}},
	{"categories: numbers in two spellings are two", "dynamics TestCategoriesAreWrittenAlike", []edit{{"dynamics.(*wanted).level", "why == \"\"", "false && why == \"\""}}},
	{"rows: comparisons of what is equal", "internal/rows TestComparisons", []edit{{"internal/rows.compared", `"<=": {"(1 - max(sign((", ")), 0))"}`, `"<=": {"max(-sign((", ")), 0)"}`}}},
	{"rows: comparisons of parameters", "internal/rows TestFaults", []edit{{"internal/rows.(*builder).compare", `case p != ""`, `case p != "" && p == ""`}}},
	{"rows: ranges are names of columns", "internal/rows TestCountedEntries", []edit{{"internal/rows.(*array).count", "\"1..\"", "\"0..\""}}},
	{"rows: lags of no row", "internal/rows TestRows", []edit{{"internal/rows.(*builder).values", "row-back", "row-0*back"}}},
	{"rows: gaps that are looked back at", "internal/rows TestRows", []edit{{"internal/rows.(*builder).table", "[i-l.back]", "[i]"}}},
	{"rows: strict inequalities that are not", "internal/rows TestRows", []edit{{"internal/rows.fulfils", "!strict", "(true || strict)"}}},
	{"rows: a spread over all rows but one", "internal/rows TestBlocks", []edit{{"internal/rows.(*builder).scale", "float64(len(b.keep)-1)", "float64(len(b.keep))"}}},
	{"rows: blocks of the rows before", "internal/rows TestBlockIs", []edit{{"internal/rows.(*workspace).load", "b.Rows(from, w.n)", "b.Rows(0, w.n)"}}},
	{"rows: blocks of the first state", "internal/rows TestBlockIs", []edit{{"internal/rows.(*workspace).set", "w.each[c] = x[j*r+i]", "w.each[c] = x[j*r]"}}},
	{"rows: slopes of blocks that add up over states", "internal/rows TestBlockIs", []edit{{"internal/rows.(*workspace).subtract", "clear(each)", "_ = each"}}},
	{"rows: blocks of other rows than asked for", "internal/rows TestBlockIs", []edit{{"internal/rows.(*rowwise).part", "columns = append(columns, taken(column, some))", "columns = append(columns, column)"}}},
	{"minibatches: not as many as all", "internal/rows TestMinibatchesAreUnbiased", []edit{{"internal/rows.(*batchEvaluator).Eval", "scale := float64(m.chunks())", "scale := float64(m.part.rows) / float64(m.chunk)"}}},
	{"minibatches: energies to no order", "internal/rows TestMinibatchesAreUnbiased", []edit{{"internal/rows.(*batchEvaluator).Eval", "part += drawn.slope[j] * off", "_ = drawn"}}},
	{"minibatches: slopes of rows that were not drawn", "internal/rows TestMinibatchesAreUnbiased", []edit{{"internal/rows.(*batchEvaluator).Eval", "clear(e.sums[k].slope)", "_ = k"}}},
	{"minibatches: about the mode further away", "internal/rows TestMinibatchesAreUnbiased", []edit{{"internal/rows.(*Minibatches).nearest", "sum < least", "sum >= least || math.IsInf(least, 1)"}}},
	{"minibatches: widths that are not those of draws", "internal/rows TestSpreadOfMinibatches", []edit{{"internal/rows.(*Minibatches).Spread", "worst * c * c * float64(m.chunk)", "worst * c * c"}}},
	{"minibatches: the same rows at every step", "internal/rows TestMinibatchesInUse", []edit{{"internal/rows.(*Minibatches).Evaluator", "e.draw = s.Subset(m.chunks(), m.drawn).Draw", "s.Subset(m.chunks(), m.drawn)\n\te.draw = func() []int { return []int{0, 1, 2, 3, 4, 5, 6, 7}[:min(8, m.drawn)] }"}}},
	{"rows: a prior for one entry", "internal/rows TestGroups", []edit{{"internal/rows.(*builder).priorOf", "terms = append(terms, own...)", "terms = own"}}},
	{"rows: an order that is turned round", "cmd/r2sgld Posteriordb/gauss_mix", []edit{{"internal/config.(*fitReader).domain", "a := r.Unit(o[0], 1)\n\t\ta[o[1]] = -1", "a := r.Unit(o[0], -1)\n\t\ta[o[1]] = 1"}}},
	{"rows: a fit that goes on elsewhere", "cmd/r2sgld FitGoesOn", []edit{{"internal/config.(*loader).fit", "l.identify, l.OfModel, l.OfRows = true, true, true", "l.identify, l.OfRows = true, true"}}},
	{"rows: priors that do not look at each other", "internal/rows TestBase", []edit{{"internal/rows.(*family).draw", "e.Value(a[i:i+1], x)", "e.Value(a[i:i+1], make([]float64, len(x)))"}}},
	{"rows: a law that is not normalised where it is cut", "internal/rows TestBase", []edit{{"internal/prior.(*Joint).On", "math.Log(q.mass)", "0"}}},
	{"rows: priors that walls cut without being normalised", "cmd/r2sgld EvidenceBetweenWalls", []edit{{"internal/rows.(*builder).priors", "out.LogMass = b.logMass(); ", ""}}},
	{"rows: the area of a simplex", "cmd/r2sgld EvidenceBetweenWalls", []edit{{"internal/rows.(*builder).logMass", "math.Log(float64(len(of))) / 2", "0"}}},
	{"rows: rows that look back at the data", "internal/rows TestImitation", []edit{{"internal/rows.(*Imitation).Table", "im.numbers[l.column][l.row]", "im.from.series.Values[l.column][l.row]"}}},
	{"calibration: data of other parameters", "internal/calibration TestModels", []edit{{"internal/calibration.(*Model).replicate", "m.imitate(ctx, truth, rng)", "m.imitate(ctx, make([]float64, len(truth)), rng)"}}},
	{"calibration: probabilities of one side", "internal/calibration TestOddRanks", []edit{{"internal/calibration.newTest", "2*min(below+at, 1-below)", "2*(below+at)"}}},
	{"calibration: bands too narrow", "internal/calibration TestUniformRanks", []edit{{"internal/calibration.(*test).band", "len(t.null)/20", "len(t.null)/2"}}},
	{"rows: mixtures by the chance of the first", "internal/rows TestDrawsHaveTheirLaw|TestCountsHaveTheirLaw", []edit{{"internal/rows.(*said).mixed", "u -= a[i]", "u -= a[weight[0]]"}}},
	{"rows: draws where arguments give no law", "internal/rows TestUnseenOutcomes", []edit{{"internal/rows.(*Outcome).Draws", "lawful = lawful && of.holds(a[i])", "_ = of"}}},
	{"rows: other rows on a scale of their own", "internal/rows TestOtherRows", []edit{{"internal/rows.(*builder).standardise", "b.scales[full]\n", "b.scales[full+\" \"]\n"}}},
	{"rows: whole numbers of another law", "internal/rows TestCountsHaveTheirLaw", []edit{{"internal/rows.negBinomial", "a[1] / a[0]", "a[0] / a[1]"}}},
	{"rows: densities beside other draws", "cmd/r2sgld GroupsOfAFit", []edit{{"internal/runner.thinned", "columns[j][c][k]", "columns[j][c][max(0, k-1)]"}}},
	{"rows: predictions without the noise", "cmd/r2sgld PredictionsOfNewRows|GroupsOfAFit", []edit{{"internal/rows.normal", "a[1]*rng.NormFloat64()", "0*rng.NormFloat64()"}}},
	{"rows: ties that count whole", "internal/report TestCheck", []edit{{"internal/report.Check", "above += 0.5", "above++"}}},
	{"rows: densities of mass other than one", "internal/figure TestSmoothedMass", []edit{{"internal/figure.smoothed", "n * width", "n * width * 1.01"}}},
	{"rows: densities of other rows than asked for", "internal/rows TestStrips", []edit{{"internal/rows.taken", "from[k]", "from[min(i, k)]"}}},
	{"rows: densities without what data alone have", "internal/rows TestStrips", []edit{{"internal/rows.(*Likelihood).LogDensity", "taken(constant, some)", "nil"}}},
	{"rows: priors that the domain cuts without a word", "cmd/r2sgld EvidenceBetweenWalls", []edit{{"internal/runner.(*execution).restricted", "Log: e.Estimate - mass", "Log: e.Estimate"}}},
	{"rows: modes at constraints are poles", "cmd/r2sgld ModeAtAConstraint", []edit{{"internal/config.pole", "p.Domain != nil && !p.Domain.Contains(on)", "p.Domain != nil && !p.Domain.Contains(on) && rate < 0"}}},
	{"rows: draws by arguments that give no law", "internal/rows TestNoBase", []edit{{"internal/rows.(*family).draw", "d.takes[i].holds(a[i])", "(a[i] == a[i])"}}},
	{"rows: pi for a column of that name", "internal/rows ColumnNamedPi", []edit{{"internal/rows.(*builder).known", "expression.Constant(bare) && slices.Contains", "false && slices.Contains"}}},
	{"rows: pi for a column of that name in where", "internal/rows ColumnNamedPi", []edit{{"internal/rows.(*builder).whence", "expression.Constant(w.Text)", "false"}}},
	{"categories in any encoding", "dynamics CategoriesAreUTF8", []edit{{"dynamics.(*decoder).row", "!utf8.ValidString(cell)", "false && !utf8.ValidString(cell)"}}},
	{"an example of no columns", "dynamics HeaderOfNumbers", []edit{{"dynamics.(*decoder).example", "len(names) == 0", "false"}}},
	{"pi for the column of the time", "dynamics BuildErrors", []edit{{"dynamics.(*Model).clock", "expression.Constant(w.Text)", "false"}}},
	{"rows: skewness of the other sign", "internal/rows DrawsHaveTheirLaw", []edit{{"internal/rows.skewNormal", "math.Abs(rng.NormFloat64())", "-math.Abs(rng.NormFloat64())"}}},
	{"whitening without the transpose", "potential AffineGradient", []edit{
		{"potential.(*affineEvaluator).Eval", "g[i] += l * v", "g[i] += e.p.l[k][j] * v"},
	}},
	{"gradient and energy without N over n", "potential TestMinibatchIsUnbiased", []edit{
		{"potential.(*regressionEvaluator).Eval", "float64(p.rows)/float64(p.batch)", "1"},
	}},
	{"distance penalty: pushes out", ". ProximalLangevin", []edit{{"potential.(*distantEvaluator).Eval", "] += e", "] -= e"}}},
	{"distance penalty: no energy", ". ProximalLangevin", []edit{
		{"potential.(*distantEvaluator).Eval", "energy[i] += 0.5 * e.xi *", "_ ="},
	}},
	{"distance penalty: twice the energy", ". ProximalLangevin", []edit{{"potential.(*distantEvaluator).Eval", "0.5 * ", ""}}},
	{"chart: gradient without c", "potential ChartedGradient", []edit{
		{"potential.(*chartedEvaluator).Eval", "e.gather(e.g, grad, i)", "_ = e.g"},
	}},
	{"chart: energy without c", "potential Charted", []edit{{"potential.(*chartedEvaluator).Eval", "energy[i] +=", "_ ="}}},
	{"chart: another state of the block", "potential ChartedGradient", []edit{
		{"potential.(*chartedEvaluator).Eval", "x, i)", "x, 0)"},
	}},
	{"chart: the determinant is not in the prior", "internal/prior ChartAddsUp|ChartBase", []edit{
		{"internal/prior.(*Chart).Base", "sum -= y[j]", "_ = j"},
	}},
	{"chart: its slope is not in the prior", "internal/prior ChartBaseGradient|ChartAddsUp", []edit{
		{"internal/prior.(*Chart).Base", "grad[j]--", "_ = j"},
	}},
	{"chart: the prior counts twice", "internal/prior ChartAddsUp", []edit{
		{"internal/prior.(*Chart).Pull", "sum += log", "_ = log"},
	}},
	{"chart: the slope of the prior counts twice", "internal/prior ChartAddsUp",
		[]edit{{"internal/prior.(*Chart).Pull", "+ slope", "+ 0*slope"}}},
	{"chart: draws are no logarithms", "internal/prior ChartDraws",
		[]edit{{"internal/prior.(*Chart).Draw", "y[j] = math.Log(y[j])", "_ = j"}}},
	{"chart: priors are not cut", "internal/prior TestChart", []edit{
		{"internal/prior.(*Joint).On", "q = q.On(lo, hi); q == nil", "lo > hi"},
	}},
	{"chart: logarithms near 0", "internal/prior ChartOfWhat", []edit{{"internal/prior.(*Joint).Chart", "clearOfZero", "0"}}},
	{"trajectory: the prior counts twice, in a run", "cmd/r2sgld LynxHareIsStans", []edit{
		{"internal/prior.(*Chart).Pull", "sum += log", "_ = log"},
		{"internal/prior.(*Chart).Pull", "+ slope", "+ 0*slope"},
	}},
	{"data: numbers of Go source", "dynamics BadSeries", []edit{{"dynamics.number", `"_xXpP"`, `"_"`}}},
	{"a line ahead is the next answer", "internal/command TestAhead", []edit{
		{"internal/command.(*process).block", "|| p.early.ready() ", ""},
	}},
	{"adjoint: parameters of the solution before", "dynamics TestTrajectoryGradient", []edit{
		{"dynamics.(*systemBlock).Set", "copy(b.adjoint.Input[len(b.s.states)*b.n:], p)", ""},
	}},
	{"slopes: what biases them is told of linear equations alone", "dynamics RatesOfToldBias", []edit{
		{"dynamics.(*slopes).attenuation", "if !coarse", "if p.Linear && !coarse"},
	}},
	{"slopes: their bias is judged from the biased fit", "dynamics RatesOfToldBias", []edit{
		{"dynamics.(*slopes).fromWeak", "r > by", "r > 1e9*by"},
	}},
	{"noise: few degrees of freedom are told late", "dynamics FewDegrees", []edit{
		{"dynamics.(*Problem).fewLeft", "held < 0.9", "held < 0.885"},
	}},
	{"noise: parameters take no degrees of freedom", "dynamics FewDegrees", []edit{
		{"dynamics.(*slopes).weigh", "float64(own.Rows-len(e.parameters))-", "float64(own.Rows)-"},
	}},
	{"noise: few integrals are as good as many", "dynamics FewDegrees", []edit{
		{"dynamics.(*weakly).scaleNoise", "w.fewLeft(quoted(w.model.States), free)", "_ = free"},
	}},
	{"noise: rounding is noise of integrals", "dynamics TestExactIntegrals", []edit{
		{"dynamics.(*weakly).scaleNoise", "1e-14*", "1e-19*"},
	}},
	{"steps: their bias has another sign", "dynamics TestBiasOfSteps", []edit{
		{"dynamics.(*slopes).defects", ")-c.right", ")+c.right"},
	}},
	{"steps: integrals of what goes straight", "dynamics TestBiasOfSteps", []edit{
		{"dynamics.(*weakly).defects", "of(w.left[m], c.values[state])", "of(w.right[m], right)"},
	}},
	{"steps: logarithms change as values do", "dynamics TestBiasOfSteps", []edit{
		{"dynamics.(*table).course", "math.Log(v / y[k])", "v/y[k] - 1"},
	}},
	{"steps: states without an equation stay", "dynamics TestBiasOfSteps", []edit{
		{"dynamics.(*table).course", "curves[k].PredictDerivative(t)", "0"},
	}},
	{"steps: told where they move nothing", "dynamics RatesOfToldSteps", []edit{
		{"dynamics.(*Problem).coarseSteps", "biased*1.0", "0.0"},
	}},
	{"steps: told where they move a parameter far", "dynamics RatesOfToldSteps", []edit{
		{"dynamics.(*Problem).coarseSteps", "biased*1.0", "biased*4.0"},
	}},
	{"steps: told twice of chosen terms", "dynamics StepsAreToldOnce", []edit{
		{"dynamics.buildSparse", "build(model, s)", "Build(model, s)"},
	}},
	{"simulated states: some rows at observed ones", "dynamics SimulatedStatesOfSomeRows", []edit{
		{"dynamics.(*simulated).Fitted", "l.states.fitted(c)", "l.slopes.Fitted(c, nil)"},
	}},
	{"simulated states: some data at observed ones", "dynamics SimulatedStatesOfSomeRows", []edit{
		{"dynamics.(*simulated).LogDensity", "along.fitted = l.Fitted", "if data == nil {\nalong.fitted = l.Fitted\n}"},
	}},
	{"periods: the way to the orbit counts", "internal/simulation PeriodAfterTransient", []edit{
		{"internal/simulation.(*steps).period", "gaps[first:]", "gaps[0*first:]"},
	}},
}
