package mutants

// ofMathematics are faults of expressions, solvers, statistics and theory.
var ofMathematics = []fault{
	{"tails: those that hold little count as heavy", "diag Tails",
		[]edit{{"diag.(*draws).tail", "squares(out) < least*all", "squares(out) < 0*all"}}},
	{"sds of heavy tails known as of a normal law", "diag TestSpread",
		[]edit{{"diag.(*draws).essSpread", "errors := SD(d.x) / d.mcseSd()", "errors := math.Sqrt(2 * d.essSd())"}}},
	{"tails that leave an sd no error not told", "diag TestSpread", []edit{{"diag.Tail.Rough", "0.25", "0.5"}}},
	{"sds where there may be none", "diag TestSpread", []edit{{"diag.(*draws).essSpread", ".Heavy()", ".Heavy() && false"}}},
	{"draws of small units do not vary", "diag TestUnits", []edit{
		{"diag.alike", "0x1p-52*max(math.Abs(least), math.Abs(largest))", "0x1p-52"},
	}},
	{"exp: the rest of log 2 left out", "internal/vector/lane Errors", []edit{
		{"internal/vector/lane.parts", "r = math.FMA(-k, Ln2Rest, high)", "r = high"},
	}},
	{"log1p: what 1 + x lacks left out", "internal/vector/lane Errors|Special", []edit{
		{"internal/vector/lane.log1p", "rest/u", "0*rest"},
	}},
	{"sines: what the reduced argument lacks left out", "internal/vector/lane Errors", []edit{
		{"internal/vector/lane.quarters", "(high - (r - back)) - (p + back)", "0 * back"},
	}},
	{"cosines of the wrong sign in two quarters", "internal/vector/lane Errors", []edit{
		{"internal/vector/lane.turn", "(n+1)&2", "n&2"},
	}},
	{"Philox: both keys step alike", "internal/vector/lane Philox", []edit{
		{"internal/vector/lane.Philox", "k1 += PhiloxW1", "k1 += PhiloxW0"},
	}},
	{"normals: angles without their quarters", "internal/vector/lane Normals", []edit{
		{"internal/vector/lane.Normals", "turn(b>>QuarterBits", "turn(b>>QuarterBits&1"},
	}},
	{"lanes of replicas with one key", "stream LanesMoments", []edit{{"stream.(*Set).Lanes", "s.Of(i, p)", "s.Of(0*i, p)"}}},
	{"lanes: every two coordinates alike", "stream LanesLaw", []edit{{"stream.(*Lanes).draw", "<<32+j", "<<32+0*j"}}},
	{"lanes: iterations of a counter alike", "stream LanesMoments", []edit{{"stream.(*Lanes).draw", "(h.from+t)%ahead", "0*(h.from+t)"}}},
	{"lanes: counters of iterations alike", "stream LanesMoments", []edit{{"stream.(*Lanes).draw", "f, h.from/ahead", "f, 0"}}},
	{"lanes: every fill of an iteration alike", "stream LanesMoments", []edit{{"stream.(*Lanes).draw", "l.all, f,", "l.all, 0*f,"}}},
	{"lanes: numbers of the stream alone", "stream LanesMoments", []edit{{"stream.(*Rand).NormFloat64", "normals|", "0*normals|"}}},
	{"lanes: fills go on in another iteration", "stream LanesDoNotDepend",
		[]edit{{"stream.(*Lanes).fill", "l.at, l.fills = k, 0", "l.at = k"}}},
	{"lanes: numbers of iterations past", "stream LanesDoNotDepend", []edit{{"stream.(*Lanes).fill", "pair-h.from >= h.many", "h.many == 0"}}},
	{"lanes: iterations of two counters at once", "stream LanesDoNotDepend", []edit{
		{"stream.(*Lanes).fill", "pair - pair%h.many", "pair"},
	}},
	{"lanes: the cosine twice", "stream LanesMoments", []edit{
		{"stream.(*Lanes).fill", "l.at%2*h.many", "l.at%2*0"},
	}},
	{"lanes: numbers of one scale off", "stream LanesLaw", []edit{{"stream.(*Lanes).Normals", "return l.fill(false, d)",
		"v := l.fill(false, d); for i := range v { v[i] *= 1.01 }; return v"}}},
	{"a fused product that kernels round", "internal/vector SameBits|Lengths", []edit{
		{"internal/vector.MulAdd", "float64(x*b[i]) + c[i]", "math.FMA(x, b[i], c[i])"},
	}},
	{"lanes that a kernel leaves begin one too late", "internal/vector SameBits|Lengths", []edit{
		{"internal/vector.unary.run", "i += k(&dst[i], &a[i], n-i)", "i = min(i+k(&dst[i], &a[i], n-i)+1, n)"},
	}},
	{"formulas: products with logarithms of what rounds to 0", "expression TestLogSpace",
		[]edit{{"expression.(*graph).timesLog", "g.natures[b] == common", "g.natures[b] == common || g.natures[b] != common"}}},
	{"formulas: half-integer powers of constants", "expression TestHalfPowersOfConstants", []edit{{"expression.(*graph).pow",
		"g.halves(vertex{op: opPow, arg: [4]int32{a, b}}); ok", "g.halves(vertex{op: opPow, arg: [4]int32{a, b}}); ok && n > maxPower"}}},
	{"log sums of lanes: coefficients stay in place", "expression Together", []edit{
		{"expression.logSums", "one, other = other, one", "one, other = one, other"},
	}},
	{"weights of lanes not scaled", "expression Together", []edit{{"expression.weights", "exp[i] / s", "1 / s"}}},
	{"a kernel for another function", "expression Theirs", []edit{{"expression.opcodes", "opCos: opcode.Cos", "opCos: opcode.Sin"}}},
	{"erfc: what the square lacks left out", "internal/vector/lane Errors", []edit{
		{"internal/vector/lane.erfOf", "((hi-u)+w)+lo", "(hi - u) + w"},
	}},
	{"Phi: what √½ lacks has the other sign", "internal/vector/lane Errors", []edit{
		{"internal/vector/lane.Phi", "-(lacks / y)", "lacks/y"},
	}},
	{"halves of powers without their root", "expression HalfPowers", []edit{
		{"expression.expandPowers", "e.op(opMul, e.multiplied(v.arg[0], n), e.op(opSqrt, v.arg[0]))", "e.multiplied(v.arg[0], n)"},
	}},
	{"programs: lanes that a kernel has done are done again", "internal/vector Programs", []edit{
		{"internal/vector.Run", "k, at = k+done, lane", "k, at = k+done, 0*lane"},
	}},
	{"programs: a whole program where some lanes are no vector", "internal/vector Programs", []edit{
		{"internal/vector.Run", "lanes&(kernels.width-1) == 0", "kernels.width > 0"},
	}},
	{"weights of a log sum exchanged", "expression TestLogSpace", []edit{
		{"expression.(*sweep).part", "2-j], v.arg[3-j", "j], v.arg[j+1"},
	}},
	{"logarithms of powers as written", "expression TestLogSpace", []edit{
		{"expression.(*graph).powers", "case opPow:", "case opSelect:"},
	}},
	{"signs of odd powers lost", "expression LogOfPowers", []edit{{"expression.(*graph).wholePower", "a, n-1", "rest, n"}}},
	{"powers that vary of positive numbers alone", "expression LogOfPowers", []edit{
		{"expression.(*graph).realPower", "base > 0", "base == base"},
	}},
	{"moduli of products that are not taken apart", "expression Separate", []edit{
		{"expression.(*separation).ofProduct", "opSqrt, opAbs", "opSqrt"},
	}},
	{"a scale for the exponents alone", "expression TestLogSpace", []edit{{"expression.(*graph).logOf", "t.l", "g.constant(0)"}}},
	{"the other share of two exponentials", "expression TestLogSpace", []edit{{"expression.(*graph).share", "l !=", "l =="}}},
	{"the logarithm of a negative sum", "expression NegativeSums", []edit{{"expression.logSum", "Log(s)", "Log(math.Abs(s))"}}},
	{"masses: a cell at the wall is left out", "internal/quadrature Reference|Masses|AddUp|Cells", []edit{
		{"internal/quadrature.(*Region).shares", "> x1", "<= r.box.x0"},
	}},
	{"masses: energies from another level", "internal/quadrature Reference|Masses", []edit{
		{"internal/quadrature.(*Region).Masses", "low", "low+1"},
	}},
	{"swap probability: temperatures exchanged", "internal/quadrature Reference|Exchange|Swap", []edit{
		{"internal/quadrature.swap", "ac*belowB + bc", "ah*belowB + bh"},
	}},
	{"error of the grid as of order two", "internal/theory TestGapError", []edit{
		{"internal/theory.(*Result).error", "min(2, max(leastOrder, order))", "2"},
	}},
	{"changes that are small by chance are the error", "internal/theory TestGapErrorOfRings", []edit{
		{"internal/theory.(*Result).error", "order > mostOrder", "false"},
	}},
	{"the error of grids that miss something alike is told", "internal/theory TestBetweenThePoints", []edit{
		{"internal/theory.(*Result).error", `case r.missing != "" &&`, "case false &&"},
	}},
	{"few points between those of the grid", "internal/theory TestBetweenThePoints", []edit{
		{"internal/theory.(*field).missing", "all = looks", "all = slowLooks"},
	}},
	{"energies between the points of a grid as at them", "internal/theory TestBetweenThePoints", []edit{
		{"internal/theory.(*field).within", "!f.problem.Domain.Contains(x)", "true"},
	}},
	{"cells trade by the larger mass", "internal/theory TestSwapRate", []edit{{"internal/theory.(*Process).With", "min", "max"}}},
	{"conductances a little too small", "internal/theory TestExactGaps", []edit{{"internal/theory.(*field).cut", ":= tau", ":= 0.98 * tau"}}},
	{"conductances of the cell, not of its face", "internal/theory TestSecondOrder", []edit{
		{"internal/theory.(*field).cut", "face[k", "cell[m.Faces[k].I"},
	}},
	{"bound of chi2 that falls twice as fast", "internal/theory TestBoundsHold",
		[]edit{{"internal/theory.(*following).bounds", "-2*", "-4*"}}},
	{"W2 by the wrong mean square", "internal/theory TestQuantileW2",
		[]edit{{"internal/theory.quantileDistance", "d0*d1 + d1*d1) / 3", "d1*d1) / 2"}}},
	{"rates of a product not by its masses", "internal/reversible TestProductGenerator", []edit{
		{"internal/reversible.(*network).appendProduct",
			`i; k++ {
		w.col = append(w.col, a.net.col[k]*nb+int32(j))
		w.c = append(w.c, a.net.c[k]*b.mass[j])
	}`,
			`i; k++ {
		w.col = append(w.col, a.net.col[k]*nb+int32(j))
		w.c = append(w.c, a.net.c[k])
	}`},
		{"internal/reversible.(*network).appendProduct",
			`end; k++ {
		w.col = append(w.col, a.net.col[k]*nb+int32(j))
		w.c = append(w.c, a.net.c[k]*b.mass[j])
	}`,
			`end; k++ {
		w.col = append(w.col, a.net.col[k]*nb+int32(j))
		w.c = append(w.c, a.net.c[k])
	}`},
	}},
	{"evolution that stops early", "internal/reversible TestEvolveAgainstDense|TestSemigroup", []edit{
		{"internal/reversible.settled", "  = 3e-11", "= 1e-7"},
	}},
	{"an order that leaves all of the priors", "cmd/r2sgld TestOrderOfAlikeEntries", []edit{
		{"internal/rows.(*Posterior).Alike", "log-lgamma", "log-0*lgamma"},
	}},
	{"draws out of order", "cmd/r2sgld TestOrderOfAlikeEntries", []edit{{"internal/rows.Sort", "slices.Sort(v)", "_ = v"}}},
	{"an order of entries with other walls", "internal/rows TestAlike", []edit{
		{"internal/rows.(*Posterior).Alike", "lo[j] == lo[of[0]] && hi[j] == hi[of[0]]", "true"},
	}},
	{"cuts from the other side", "internal/rows TestCategories$", []edit{{"internal/rows.orderedLogistic", "chosen(cuts, 2)", "chosen(cuts, 1)"}}},
	{"categories by weights that are not divided", "internal/rows TestCategories$", []edit{
		{"internal/rows.categorical", `") - log(" + strings.Join(theta, " + ") + ")"`, `")"`},
	}},
	{"scores drawn from the wrong end", "internal/rows TestCategoriesHaveTheirLaw", []edit{{"internal/rows.orderedLogistic", "z > c", "z < c"}}},
	{"a mean of almost constants taken once", "internal/reversible TestSolveAlmostConstant", []edit{
		{"internal/reversible.(*Chain).Solve", "before/1024", "before*0"},
	}},
	{"blocks that are evaluated by others' lengths", "potential TestFromBatch", []edit{
		{"potential.batch.Eval", "p.f(energy, grad, x)", "p.f(energy[:1], grad, x)"},
	}},
	{"the text of a Stan program that includes forgets the rest", "internal/stan TestSources", []edit{
		{"internal/stan.Sources", "follow(b)", "_ = b"},
	}},
	{"centroids of cut cells off", "internal/mesh TestCellsAndFacesByMembership", []edit{
		{"internal/mesh.(*cutting).openSide", "*b - a*", " - "},
	}},
	{"walls along grid lines counted on both sides", "internal/mesh TestLatticePolygons", []edit{
		{"internal/mesh.(*walker).crossing", "w.hugged(axis, s) >= 0", "false"},
	}},
	{"many steps: a degree too low by a fifth", "internal/scheme TestPowerProperty",
		[]edit{{"internal/scheme.(*Kernel).power", "8.7", "6.96"}}},
	{"exact step without the two", "internal/scheme TestOrderAtATime", []edit{{"internal/scheme.(*Step).sd", "(2*", "("}}},
	{"exact swaps of the wrong mass", "internal/scheme TestTradeKeepsTheLaw", []edit{
		{"internal/scheme.(*Pair).trade", "swap[b]", "swap[a]"},
	}},
	{"hull without its corners", "internal/mesh TestHull", []edit{{"internal/mesh.hull", ", -1", ""}}},
	{"mode: every ripple a rival", "diag TestModeOfOnePeak", []edit{{"diag.peak", "away >= far", "true"}}},
	{"mode: no rival without a valley", "diag TestModeOfSeveral", []edit{{"diag.peak", "away >= far || ", ""}}},
	{"adjoint: the way made by a step", "ode TestLanesAgree", []edit{
		{"ode.(*Lanes).back", "vector.Sub(l.bar[0], c[0], l.u)", "copy(l.bar[0], c[0])"},
	}},
	{"adjoint: slopes at the ends of steps", "ode TestLanesAgree", []edit{{"ode.(*Lanes).back", "slope = l.slope", "slope = l.zero"}}},
	{"adjoint: stages of another step", "ode TestLanesAgree", []edit{{"ode.(*Lanes).back", "l.stage(s), l.pull", "l.stage(1), l.pull"}}},
	{"adjoint: states of rejected steps", "ode TestLanesAgree", []edit{{
		"ode.(*Lanes).back", "vector.Select(l.end, l.accepted, l.zero, l.end, l.state)", "copy(l.end, l.state)"}}},
	{"adjoint: parameters of rejected steps", "ode TestLanesAgree", []edit{{
		"ode.(*Lanes).back", "vector.Select(gp, l.mask, l.nought, gp, l.more)", "copy(gp, l.more)"}}},
	{"lanes: the error of a neighbour", "ode TestLanesAgree", []edit{{"ode.(*explicit).judge", "e.norm[i], ", "e.norm[(i+1)%e.n], "}}},
	{"lanes: the step of a neighbour", "ode TestLanesAgree", []edit{{"ode.(*explicit).judge", "safety*e.next[i]", "safety*e.next[0]"}}},
	{"lanes: all begin where one was accepted", "ode TestLanesAgree", []edit{{"ode.(*explicit).sweep",
		"e.spread(e.accepted, r.accepted)", "e.spread(e.accepted, slices.Repeat([]float64{slices.Max(r.accepted)}, e.n))"}}},
	{"lanes: a step goes on from a rejected state", "ode TestToleranceAndWork", []edit{{
		"ode.(*explicit).sweep", "vector.Select(e.y0, e.accepted, e.zero, e.y0, e.y)", "copy(e.y0, e.y)"}}},
	{"lanes: few left behind have no gradient", "dynamics TestTrajectoryLanesAreAlone", []edit{{
		"dynamics.(*solutions).apart", "+= g[j*r+k]", "+= 0*g[j*r+k]"}}},
	{"mesh: a thin domain is one that falls apart", "internal/mesh TestRefusals",
		[]edit{{"internal/mesh.newPlane", "then != parts", "then < 0"}}},
	{"columns: standardised by nothing where some are taken", "internal/vector TestColumns", []edit{
		{"internal/vector.standard.Taken", "c.by", "[3]float64{0, 1, 1}"},
	}},
	{"columns: rows from the first on", "internal/vector TestColumns",
		[]edit{{"internal/vector.Singles.Rows", "float64(c[from+i])", "float64(c[i])"}}},
	{"columns: what is none becomes another", "internal/vector TestNaNOfSingles",
		[]edit{{"internal/vector.widened", "v != v", "v != v && !math.IsNaN(float64(v))"}}},
	{"columns: standardised ones of 32 bits in 64", "internal/rows TestSingles",
		[]edit{{"internal/vector.Standardised", "; ok {", "; ok && sd < 0 {"}}},
	{"blocks: columns of two forms as one", "internal/vector TestTimes",
		[]edit{{"internal/vector.(*kept).join", "!ok || k.form() != o.form()", "!ok"}}},
	{"blocks: weights of the first form for all", "internal/vector TestTimes",
		[]edit{{"internal/vector.(*Block).Times", "weights = weights[k:]", "weights = weights[k*0:]"}}},
	{"blocks: scalar products of all forms in one place", "internal/vector TestDots",
		[]edit{{"internal/vector.(*Block).Dots", "dst = dst[k:]", "dst = dst[k*0:]"}}},
	{"blocks: rows left over are the first ones", "internal/vector TestTimes",
		[]edit{{"internal/vector.(*kept).times", "k.from+done", "k.from"}}},
	{"singles: counts that are rounded", "dynamics TestCoarseSingles",
		[]edit{{"dynamics.(*singles).coarse", "s.off > 0 && !s.divided || ", ""}}},
	{"singles: times that are rounded", "dynamics TestCoarseSingles", []edit{{"dynamics.(*singles).coarse", " || s.off > shift*reach", ""}}},
	{"singles: numbers beyond all", "dynamics TestFaultsOfSingles|cmd/r2sgld TestFloat32Faults",
		[]edit{{"dynamics.(*singles).add", "math.IsInf(float64(kept), 0)", "math.IsInf(v, 0)"}}},
	{"singles: columns that grow", "dynamics TestSingles", []edit{{"dynamics.(*singles).grow", "make([]float32, 0, room)", "nil"}}},
	{"rows: columns too coarse for float32 in float32", "internal/rows TestSingles",
		[]edit{{"internal/rows.decode", "s.Coarse == nil", "s.Coarse != nil || s != nil"}}},
	{"rows: offsets of the first rows", "internal/rows TestSingles|TestLogOdds$",
		[]edit{{"internal/rows.(*oddsEvaluator).set", "e.offset.rows(e.room[:n], from)", "e.offset.rows(e.room[:n], 0)"}}},
	{"fit: float32 that is not asked for", "cmd/r2sgld TestFloat32Faults",
		[]edit{{"internal/config.(*fitReader).posterior", `t.Precision == "float32"`, `t.Precision == "float31"`}}},
	{"sum: a weight of another term", "internal/vector TestSum", []edit{
		{"internal/vector.(*Sum).Into", "w * s.terms[j][i]", "(w + s.weights[0] - s.weights[j]) * s.terms[j][i]"},
	}},
}
