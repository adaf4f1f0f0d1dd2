package mutants

// ofMonotone are the faults of the study of a monotone net.
var ofMonotone = []fault{
	{"monotone: a slope by a weight without its scale", "internal/study/monotone TestGradients", []edit{
		{"internal/study/monotone.(*fit).misfit", "a * scaleW * p.z[0]", "a * p.z[0]"},
	}},
	{"monotone: a slope by height without height", "internal/study/monotone TestGradients", []edit{
		{"internal/study/monotone.(*fit).misfit", "scaleLogs * high * o", "scaleLogs * o"},
	}},
	{"monotone: noise that counts no rows", "internal/study/monotone TestGradients", []edit{
		{"internal/study/monotone.(*fit).misfit", "(float64(n) - squares*precision)", "(1 - squares*precision)"},
	}},
	{"monotone: logarithms whose Jacobian has no slope", "internal/study/monotone TestGradients", []edit{
		{"internal/study/monotone.logarithmic", "grad[i]*x[i] - 1", "grad[i] * x[i]"},
	}},
	{"monotone: logarithms without a Jacobian", "internal/study/monotone TestLawsAreOne", []edit{
		{"internal/study/monotone.logarithmic", "u -= at[i]", "u -= 0 * at[i]"},
	}},
	{"monotone: priors beyond the wall", "internal/study/monotone TestLawsAreOne", []edit{
		{"internal/study/monotone.normal", "math.Abs(x[i])", "x[i] + 0*math.Pi"},
	}},
	{"monotone: a slope by the other input", "internal/study/monotone TestSlope", []edit{
		{"internal/study/monotone.slope", "x[atW+k*units+j]", "x[atW+j]"},
	}},
	{"monotone: walls for one weight more", "internal/study/monotone TestWalls", []edit{
		{"internal/study/monotone.form.walls", "return atV, atW + units*f.doses()", "return atV, atW + units*f.doses() + 1"},
	}},
	{"monotone: both chemicals alike", "internal/study/monotone TestRows", []edit{
		{"internal/study/monotone.form.inputs", "dose * (1 - share)", "dose * share"},
	}},
	{"monotone: a row that is learnt from and predicted", "internal/study/monotone TestRows", []edit{
		{"internal/study/monotone.splitOf", "if i < learn", "if i < learn-1"},
	}},
	{"monotone: steps without the temperature", "internal/study/monotone TestGait", []edit{
		{"internal/study/monotone.gaitOf", "b*g[i] + g0[i]", "g[i] + g0[i] + 0*b"},
	}},
	{"monotone: steps by the flattest direction", "internal/study/monotone TestGait", []edit{
		{"internal/study/monotone.gaitOf", "slices.Max(e.Values(nil))", "slices.Min(e.Values(nil))"},
	}},
	{"monotone: a density that is a sum", "internal/study/monotone TestPredictive", []edit{
		{"internal/study/monotone.predictive", "math.Log(sum/n)", "math.Log(sum)"},
	}},
	{"monotone: near the wall is at it", "internal/study/monotone TestMarks", []edit{
		{"internal/study/monotone.effort.judge", "v == 0", "v < near"},
	}},
	{"monotone: any draw that rises counts once", "internal/study/monotone TestMarks", []edit{
		{"internal/study/monotone.(*forecast).rising", "rises > 0", "rises > 100"},
	}},
	{"monotone: clipped to the other side", "internal/study/monotone TestClip", []edit{
		{"internal/study/monotone.clip", "max(x[i], 0)", "max(x[i], -x[i])"},
	}},
	{"monotone: the free net is to be better", "internal/study/monotone TestLossVerdicts", []edit{
		{"internal/study/monotone.(*Results).helps", "against(exact, freeExact)", "against(freeExact, exact)"},
	}},
	{"monotone: the constraint that is not so is to help", "internal/study/monotone TestLossVerdicts", []edit{
		{"internal/study/monotone.(*Results).asks", "against(freeEach, exactEach)", "against(exactEach, freeEach)"},
	}},
	{"monotone: as good by the mean alone", "internal/study/monotone TestReflectionVerdict", []edit{
		{"internal/study/monotone.(*tally).within", "i.Mean-i.Half, i.Mean+i.Half", "i.Mean, i.Mean"},
	}},
	{"monotone: fewer weights near the wall do not matter", "internal/study/monotone TestWallVerdicts", []edit{
		{"internal/study/monotone.(*Results).faithful", "-alike, alike", "math.Inf(-1), alike"},
	}},
	{"monotone: what is not known is wrong", "internal/study/monotone TestReflectionVerdict", []edit{
		{"internal/study/monotone.(*tally).within", "t.Open, t.Numbers = append(t.Open, name)", "t.Not, t.Numbers = append(t.Not, name)"},
	}},
	{"monotone: the first repetition stands for all", "internal/study/monotone TestFallsVerdict", []edit{
		{"internal/study/monotone.(*Results).falls", "slices.Max(v) > 0", "slices.Max(v[:1]) > 0"},
	}},
	{"monotone: free nets need not rise", "internal/study/monotone TestFallsVerdict", []edit{
		{"internal/study/monotone.(*Results).falls", "rises != holds(m)", "!rises || !holds(m)"},
	}},
	{"monotone: effective draws are not asked for", "internal/study/monotone TestMixingVerdict", []edit{
		{"internal/study/monotone.(*Results).mixing", "ess >= enough", "ess >= 0*enough"},
	}},
	{"monotone: the best R̂ is judged", "internal/study/monotone TestMixingVerdict", []edit{
		{"internal/study/monotone.(*Results).worst", "slices.Max(v)", "slices.Min(v)"},
	}},
	{"monotone: intervals that hold too few", "internal/study/monotone TestCoverageVerdict", []edit{
		{"internal/study/monotone.(*Results).covers", "math.Abs(c.Mean-level)", "math.Max(0, c.Mean-level)"},
	}},
	{"monotone: projection reflects", "internal/study/monotone TestGlance", []edit{
		{"internal/study/monotone.effort.run", "Boundary: w.rule", "Boundary: domain.Specular"},
	}},
}
