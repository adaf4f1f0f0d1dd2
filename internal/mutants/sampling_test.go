package mutants

// ofSampling are faults of replicas, kernels, swaps and the loop that tunes them.
var ofSampling = []fault{
	{"rounds of saved states without an end", ". ForgedRound", []edit{{".(*run).restore", "most > 0 &&", "most < 0 &&"}}},
	{"walls looked for at one side", "tune SteepWall", []edit{
		{"tune.SteepWall", "+ wallRays ", ""},
		{"tune.along", "float64(k%2)", ""},
	}},
	{"poles: the power at draws alone", "tune TestInfinite", []edit{{"tune.(*descent).falls", "left >= closest", "left >= 1"}}},
	{"poles: slopes alone", "tune TestInfinite", []edit{{"tune.(*descent).falls", "-left*", "-"}}},
	{"poles: straight ways alone", "tune TestPolesInside", []edit{{"tune.(*descent).infinite", "range turns", "range 1"}}},
	{"poles: at walls alone", "tune TestPolesInside|TestInfinite", []edit{{"tune.(*descent).follow", "far = t\n", "return 0\n"}}},
	{"poles: long differences at narrow domains", "tune TestPoleFar", []edit{{"tune.(*meter).curvature", "h < least", "least > 0"}}},
	{"one step towards a wall", "tune SteepWall", []edit{{"tune.SteepWall", "&& steepens(seen[1], seen[2]) ", ""}}},
	{"walls steep by any growth", "tune SteepWall", []edit{{"tune.steepens", "wallGrowth", "1"}}},
	{"swap inverted", "exchange Probability|KeepsTheLaw", []edit{{"exchange.logS", "uCold - uHot", "uHot - uCold"}}},
	{"swap inverted, on the flower", ". TwoRungs", []edit{{"exchange.logS", "uCold - uHot", "uHot - uCold"}}},
	{"swap by threshold", "exchange KeepTheLaw|FlowerSwaps", []edit{
		{"exchange.(*Exchange).metropolis", "s >= 0 {", "true { return s >= -8.1"},
	}},
	{"how high energies are untold", ". BlowUpTellsEnergies", []edit{{".(*BlowUp).Error", "e.Energy-e.Energy == 0", "false"}}},
	{"products of inverse temperatures that are 0", "tune ReachOfHighEnergies", []edit{{"tune.reach", "mid < least", "false"}}},
	{"the first energy for the highest", "tune Heights", []edit{{"tune.(*tuner).heights", "u > highest", "u < highest || highest < 0"}}},
	{"moderate energies told as high", "tune Heights", []edit{{"tune.(*tuner).heights", "highest < tall", "false"}}},
	{"balls in words not told from shapes", "internal/config Harmonic",
		[]edit{{"domain.InequalitiesOf", "d.(*implicit); ok", "d.(*implicit); false && ok"}}},
	{"tails without an end looked for at no slopes", "tune EndlessTails", []edit{{"tune.endless", "(c[at]-m)*slopes[i][at]/tau", "0"}}},
	{"slopes of another temperature", "tune EndlessTails", []edit{{"tune.endless", "slopes[i][at]/tau", "slopes[i][at]"}}},
	{"walls that end a tail overlooked", "tune EndlessTails",
		[]edit{{"tune.EndlessTails", "closed(walls, j, sign) ||", "false && closed(walls, j, sign) ||"}}},
	{"improper posteriors untold", "internal/report ImproperPosterior", []edit{{"internal/report.endless", "len(tails) == 0", "true"}}},
	{"swap by threshold, on the flower", ". TwoRungs", []edit{
		{"exchange.(*Exchange).metropolis", "s >= 0 {", "true { return s >= -8.1"},
	}},
	{"correction C = 1", "exchange KeepsTheLaw", []edit{{"exchange.Settings.WithDefaults", "= 2", "= 1"}}},
	{"correction C = 4", "exchange KeepsTheLaw", []edit{{"exchange.Settings.WithDefaults", "= 2", "= 4"}}},
	{"temperatures exchanged in the swap", "exchange KeepTheLaw|Flower", []edit{
		{"exchange.(*Exchange).Sweep", "p]-e.beta[q", "q]-e.beta[p"},
	}},
	{"C ignored", "exchange NoisyRatio", []edit{{"exchange.(*Exchange).Sweep", "e.set.Correction", "2"}}},
	{"parity ignored", "exchange PairsOf|RoundTripRates", []edit{
		{"exchange.alternate", "parity % 2; p < len(traded); p += 2", "0; p < len(traded); p++"},
	}},
	{"gate once never closes", "exchange Gates", []edit{{"exchange.(*Settings).windowed", "Gate !=", "Gate =="}}},
	{"gate once reported exact", "exchange Gates|Bias", []edit{{"exchange.Settings.Bias", `"once"`, `"never"`}}},
	{"threshold reported exact", "exchange Threshold", []edit{{"exchange.Settings.Bias", `"threshold"`, `"never"`}}},
	{"noise in sequence reported exact", "exchange NoisySchemes", []edit{
		{"exchange.Settings.Bias", "because(statistic && noisy && sequence", "because(false && sequence"},
	}},
	{"noise of one pair reported biased", "exchange NoisySchemes", []edit{{"exchange.Settings.Bias", "rungs > 2", "true"}}},
	{"backward evidence with the wrong sign", "exchange GaussianPath", []edit{
		{"exchange.(*Statistics).evidence", "Backward -=", "Backward +="},
	}},
	{"forward evidence with the wrong sign", "exchange GaussianPath", []edit{{"exchange.(*stone).add", "(-delta", "(delta"}}},
	{"noise of the evidence with the wrong sign", "exchange NoisyEvidence", []edit{
		{"exchange.(*Statistics).evidence", "logMean(n) - d*sCold", "logMean(n) + d*sCold"},
	}},
	{"evidence of every sixteenth of rare sweeps", "exchange RareSweeps", []edit{
		{"exchange.(*Exchange).noted", "due && past < e.set.Every", "false"},
	}},
	{"the level of the indicator moves the other way", "exchange Indicator", []edit{
		{"exchange.(*Exchange).adapt", "level +", "level -"},
	}},
	{"first estimates of the variance not averaged", "exchange TestEstimate", []edit{
		{"exchange.(*Exchange).Observe", "max(e.set.Estimate.Smoothing, 1/float64(e.estimates))", "e.set.Estimate.Smoothing"},
	}},
	{"noise of a shared minibatch as independent", "exchange TestEstimate", []edit{{"exchange.smooth", "j >= 0", "false"}}},
	{"energies do not move with labels", "exchange KeepTheLaw", []edit{
		{"exchange.(*Exchange).Sweep", "e.energy[p], e.energy[q] = uHot, uCold", "_ = s"},
	}},
	{"resume forgets the gates", "exchange SavedState", []edit{{"exchange.(*Exchange).lists", "traded, e.travel", "travel"}}},
	{"barrier from the cold end", "exchange LadderOfGaussian", []edit{{"exchange.NewBarrier", "rejection[n-1-i]", "rejection[i-1]"}}},
	{"harmonic: means between numbers sought with steps that vanish", "kernel FindGaussianNarrow",
		[]edit{{"kernel.(*finder).expand", "s < least", "false"}}},
	{"harmonic: means that still move", "kernel FindGaussianNarrow", []edit{{"kernel.findGaussian", "!settled;", "!settled && false;"}}},
	{"harmonic: paths given up tell no time", "kernel HarmonicTuneOfTheWidest", []edit{
		{"kernel.(*orbit).Tune", "o.gone[i]*manyHits/float64(hits)", "*time/10"},
	}},
	{"auto: rungs of one temperature", "tune NarrowerThan", []edit{{"tune.merged", "1/beta[i] > 1/beta[i-1]", "true"}}},
	{"steps of temperatures beyond numbers blamed on the potential", "internal/config TestBadFiles",
		[]edit{{"tune.Steps", "walk == 0", "false"}}},
	{"temperatures exchanged in the kernel", "kernel Stationary", []edit{
		{"kernel.(*Schedule).Set", "s.Temperature[r]", "s.Temperature[len(s.Temperature)-1-r]"},
	}},
	{"a mover counts all ladders as the first", ". LaddersInStep", []edit{{"kernel.(*Block).Slot", "i - i%b.Rungs + b.Rung[i]", "b.Rung[i]"}}},
	{"counts of the mover are not handed over", ". LaddersInStep", []edit{{".(*replicas).handOver", "moves != nil", "false && moves != nil"}}},
	{"numbers of the mover are handed to the first", ". LaddersInStep", []edit{{".(*replicas).handOver", "(*to)[first:]", "(*to)"}}},
	{"given-up paths of the first ladder", ". LaddersInStep", []edit{{".(*replicas).arrived", "l.first + i", "i"}}},
	{"jumps looked for at the first ladder", ". LaddersInStep", []edit{{".(*watch).land", "l.first+i", "i"}}},
	{"ladders of unlike iterations go in step", ". LaddersInStep", []edit{
		{".(*run).bands", "i, ok := open[l.done]", "i, ok := open[0]"},
		{".(*run).bands", "open[l.done], all = i", "open[0], all = i"},
	}},
	{"draws are told the energies of the first ladder", ". LaddersInStep",
		[]edit{{".(*ladder).keepDraw", "l.told[l.first:], l.more[l.first:]", "l.told, l.more"}}},
	{"a state with the numbers of all ladders", ". LaddersInStep", []edit{{".(*replicas).apart", "b.R == b.Stride", "true"}}},
	{"no square root of two in the noise", "kernel Stationary", []edit{{"kernel.(*Schedule).Set", "(2 * share", "(share"}}},
	{"no square root of two, on the flower", ". TwoRungs", []edit{{"kernel.(*Schedule).Set", "(2 * share", "(share"}}},
	{"uphill", "kernel Stationary", []edit{{"kernel.stepLangevin", "v -= eta", "v += eta"}}},
	{"no reflection", ". GaussianInBox|Simplex", []edit{{".(*replicas).reflect", "l.reflector != nil:", "false:"}}},
	{"draws of the hot rung", ". TwoRungs", []edit{
		{".(*ladder).keepDraw", "c.draws.add(r,", "c.draws.add(b.R-1-r,"},
	}},
	{"the bias of sgld counts for it", "tune TestChoose", []edit{{"tune.(*Found).choose", "1 -", "1 +"}}},
	{"jumps do not choose the kernel", "tune TestChoose", []edit{{"tune.(*Found).choose", "sgld.Jumps", "false"}}},
	{"hot rungs are not looked at", "cmd/r2sgld TestFunnel", []edit{{"internal/report.(*Summary).unreached", "v > worst", "v > 9*worst"}}},
	{"holes: not seen at points", "tune TestHoles", []edit{{"tune.(*tuner).first", "t.probe.holes", "false"}}},
	{"holes: not seen by steps", "tune TestHoles", []edit{{"tune.(*tuner).again", "math.IsInf(", "t == nil && math.IsInf("}}},
	{"holes: states in them", "tune TestHoles", []edit{{"tune.lastFinite", "math.IsInf(energy[i], 1)", "false"}}},
	{"holes: long paths that end in them", "tune TestHoles", []edit{{"tune.(*tuner).paths", "next.Holes && ", "false && "}}},
	{"holes: the backward mean of all of the domain", "exchange UniformReference|FromDraws", []edit{
		{"exchange.(*Statistics).evidence", " - math.Log(float64(t.Hot.Count)/float64(n))", ""},
	}},
	{"holes: backward draws of all of the domain", "exchange FromDraws", []edit{{"exchange.FromDraws", "math.Log(finite)", "0*finite"}}},
	{"kernels compared by their last rounds", "tune TestChoose", []edit{
		{"tune.(*Found).Efficiency", "min(len(f.Rounds), fewest", "len(f.Rounds"},
	}},
	{"a burn-in of the command alone", "cmd/r2sgld CommandAndGoProgramAgree",
		[]edit{{"tune.withLengths", "cmp.Or(s.BurnIn, burnIn)", "burnIn-burnIn"}}},
	{"modes: steps no longer than starts are wide", "cmd/r2sgld TestFarFromTheStart",
		[]edit{{"internal/modes.(*descent).accept", "w.reach *= 2", "w.reach *= 1"}}},
	{"a kernel that lost is tried again", "tune TestContestLost", []edit{{"tune.Options.tune", "f.Rival == nil && ", ""}}},
	{"kernels compared where walls are sought", "tune TestContestLeftOut", []edit{
		{"tune.exact", "domain.ExactWalls(p.Domain", "(true || domain.ExactWalls(p.Domain)"},
	}},
	{"curvatures by differences as long as the way to the origin", "cmd/r2sgld TestFarFromTheStart", []edit{
		{"tune.(*meter).curvature", "/probeLongest, 0.25)", "/probeLongest, 1)"}}},
	{"modes: ladders that begin wherever they are told", "cmd/r2sgld TestFarFromTheStart",
		[]edit{{"tune.(*tuner).high", "> remote*", "> 1e300*"}}},
	{"steps of hot rungs not looked at", "tune TestUnseenAtHotRungs", []edit{{"tune.unseen", "|| j", "|| r == 0 && j"}}},
	{"singular slopes have a known bias", "tune TestChoose", []edit{{"tune.(*Found).choose", "sgld.Singular", "false"}}},
	{"trials of any length", "tune TestTrialIsShort", []edit{
		{"tune.(*tuner).tried", "pilotPart*cost*f.Leapfrog > most", "cost < 0 && most < 0"},
	}},
	{"starts that are not finite kept", "tune TestStartsAre", []edit{{"tune.(*tuner).starts", "!m.finite(at)", "false"}}},
	{"stay where the drift is infinite", ". NoTrap", []edit{{".(*replicas).bounce", "l.withoutDrift(i, r)", "_ = i"}}},
	{"threads share a stream", "stream StreamsDiffer", []edit{{"stream.(*Set).Of", "s.ladder", "0"}}},
	{"replicas share a stream", "stream StreamsDiffer", []edit{{"stream.(*Set).Of", "s.ladder, replica", "s.ladder, 0*replica"}}},
	{"normal numbers of one scale off", "stream Normals", []edit{{"internal/vector/lane.Normals", "-2 *", "-2.02 *"}}},
	{"normal numbers: the cosine twice", "stream StreamsDiffer", []edit{{"internal/vector/lane.Normals", "r * s", "r * c"}}},
	{"normal numbers: the first of two twice", "stream StreamsDiffer", []edit{
		{"stream.(*Rand).NormFloat64", "return x", "s.normal = x; return x"},
	}},
	{"normal numbers of the words", "stream StreamsDiffer", []edit{{"stream.(*Rand).NormFloat64", "normals|", "words|"}}},
	{"streams go on in another iteration", "stream StreamsBegin", []edit{{"stream.(*bits).follow", "k != s.at", "false"}}},
	{"streams begin alike in all iterations", "stream StreamsBegin", []edit{{"stream.(*bits).Uint64", "s.words/2, s.at", "s.words/2, 0"}}},
	{"a resume begins streams anew", ". ResumedRun", []edit{{".band.iterate", "l.streams.Begin(k)", "l.streams.Begin(0 * k)"}}},
	{"a resume begins the streams of shadows anew", ". LaddersInStep",
		[]edit{{".(*shadow).follow", "streams.Begin(k)", "streams.Begin(0 * k)"}}},
	{"a band's own noise is that of its first ladder", ". LaddersInStep", []edit{{".(*replicas).random", "l.first + i", "i"}}},
	{"momentum: noise without 1 - mu", "kernel MomentumStationary", []edit{{"kernel.(*Schedule).Set", "Mu - m.", ""}}},
	{"momentum uphill", "kernel MomentumStationary", []edit{{"kernel.stepMomentum", "v -=", "v +="}}},
	{"momentum scaled whole at swaps", ". MomentumSwapsKeep", []edit{
		{"kernel.(*Block).Rescale", "b.V[j] += lean * b.Grad[j]", "_ = lean"},
	}},
	{"momentum scaled by temperature alone at swaps", ". MomentumAtSwaps", []edit{
		{".(*trading).trade",
			"l.at.Spread[was], l.at.Temperature[was], l.at.Spread[r]",
			"l.at.Temperature[was], l.at.Temperature[was], l.at.Temperature[r]"},
	}},
	{"momentum not mirrored, in a run", ". MomentumKeeps", []edit{{".(*replicas).bounce", "l.v", "nil"}}},
	{"uniform rung: a walk for fresh draws", ". InfiniteTemperatureIs", []edit{{".(*run).ladder", "rungs-1, lawSource", "-1, lawSource"}}},
	{"uniform rung: steps without the two", ". InfiniteTemperatureWalks", []edit{{"kernel.(*Schedule).Set", ", eta,", ", eta / 2,"}}},
	{"uniform rung: an infinite energy ends the run", ". InfiniteEnergy", []edit{{".(*replicas).notFinite", "i < 0", "true"}}},
	{"rounds: only the first", ". EveryCheckpoint", []edit{{".(*run).rounds", "n <= r.schedule.Iterations", "true"}}},
	{"resume forgets the length of the round", ". Interrupted", []edit{
		{".(*run).restore", "max(r.schedule.Iterations, l.until)", "r.schedule.Iterations"},
	}},
	{"resume forgets the keeper", ". Interrupted", []edit{{".(*ladder).picture", "p.parts = append(p.parts, l.keeper)", "_ = p"}}},
	{"resume forgets momenta", ". Interrupted", []edit{{".(*picture).numbers", "b.V", "p.at.Spread"}}},
	{"the other half of the draws is dropped", ". HeldDraws", []edit{{".Draws.halve", "i+1]", "i]"}}},
	{"evaluators left open without a start", ". Evaluators", []edit{{".newRun", "errors.Join(err, r.close())", "err"}}},
	{"hmc: always accepted", "kernel HMCKeeps", []edit{{"kernel.(*trajectory).Accept", "< gain", "< 1"}}},
	{"hmc: always accepted, in a run", ". HMCIsExact", []edit{{"kernel.(*trajectory).Accept", "< gain", "< 1"}}},
	{"hmc: H without its kinetic part", "kernel HMCKeeps", []edit{
		{"kernel.(*trajectory).over", "sum / (2 * sd * sd)", "0 * sum * sd"},
	}},
	{"hmc: H without its kinetic part, in a run", ". HMCIsExact", []edit{
		{"kernel.(*trajectory).over", "sum / (2 * sd * sd)", "0 * sum * sd"},
	}},
	{"hmc: H at temperature 1", "kernel HMCKeeps", []edit{{"kernel.(*trajectory).over", " / tau", ""}}},
	{"hmc: momenta without the temperature", "kernel HMCKeeps", []edit{
		{"kernel.(*trajectory).begin", "at.Noise[b.Rung[i]]", "math.Sqrt(2*at.StepSize[b.Rung[i]])"},
	}},
	{"hmc: no half-kick at the end", "kernel HMCKeeps", []edit{{"kernel.(*trajectory).Accept", `	t.kick(b, at, 1)`, "_ = at"}}},
	{"hmc: a whole kick at the beginning", "kernel HMCKeeps", []edit{{"kernel.(*trajectory).Leapfrog", "= 1", "= 2"}}},
	{"hmc: half-kicks within", "kernel HMCKeeps|Backwards", []edit{{"kernel.(*trajectory).Leapfrog", "2.0", "1.0"}}},
	{"hmc: jitter not squared in the kick", "kernel KeepH", []edit{{"kernel.(*trajectory).kick", "] * t.factor[i]", "]"}}},
	{"hmc: uphill", "kernel KeepH", []edit{
		{"kernel.(*trajectory).kick", ".V[j] -= c * b.Grad", ".V[j] += c * b.Grad"},
		{"kernel.(*trajectory).kick", ".V[j] -= c * b.BaseGrad", ".V[j] += c * b.BaseGrad"},
	}},
	{"hmc: momenta drawn in every step", "kernel KeepH|HMCKeeps", []edit{{"kernel.(*trajectory).Leapfrog", "!t.begun", "true"}}},
	{"hmc: gradients of rejected ends", "kernel HMCKeeps|NotFinite", []edit{
		{"kernel.(*trajectory).Accept", ", b.Grad[j] = t.x[j], t.grad", " = t.x"},
	}},
	{"hmc: gradients of rejected ends, in a run", ". HMCBlocks", []edit{
		{"kernel.(*trajectory).Accept", ", b.Grad[j] = t.x[j], t.grad", " = t.x"},
	}},
	{"hmc: energies of rejected ends", "kernel HMCKeeps|NotFinite", []edit{
		{"kernel.(*trajectory).Accept", `		b.Energy[i] = t.energy[i]`, ""},
	}},
	{"hmc: energies of rejected ends, in a run", ". HMCBlocks", []edit{
		{"kernel.(*trajectory).Accept", `		b.Energy[i] = t.energy[i]`, ""},
	}},
	{"hmc: ends of energy -Inf", "kernel NotFinite", []edit{{"kernel.(*trajectory).Accept", "&& gain <= math.MaxFloat64 ", ""}}},
	{"hmc: momenta not mirrored", ". HMCIsExact", []edit{{".(*replicas).bounce", "l.v", "nil"}}},
	{"hmc: trajectories moved on by noise", ". TurnBack", []edit{{".(*replicas).bounce", "!l.traits.Metropolis", "true"}}},
	{"hmc: the uniform rung rejects", ". HMCBlocks", []edit{{".lawSource.draw", "l.traits.Carries", "true"}}},
	{"hmc: one leapfrog step whatever is asked", ". HMCBlocks", []edit{{"kernel.HMC.Traits", "h.Leapfrog", "1"}}},
	{"hmc: resume forgets the trajectories", ". ResumedRunsOfOther", []edit{{".(*picture).tables", "p.moves(), ", ""}}},
	{"inside: all draws are kept", ". DrawsInside", []edit{{".(*ladder).keepDraw", "c.inside", "false"}}},
	{"inside: those outside are kept", ". DrawsInside", []edit{{".(*ladder).keepDraw", "inside && !c", "inside && c"}}},
	{"inside: the hot rung decides", ". DrawsInside", []edit{{".(*ladder).keepDraw", "(0)", "(b.R-1)"}}},
	{"inside: chains of unequal strides", ". DrawsInsideAreASelection", []edit{
		{".(*Result).alike", "every(of(l), stride/l.Stride", "of(l"},
	}},
	{"base: no temperature before its gradient", ". SGLDWithBase", []edit{
		{"kernel.stepLangevin", "eta * at.Temperature[r]", "eta"},
	}},
	{"base: uphill", ". SGLDWithBase", []edit{{"kernel.stepLangevin", "] -=", "] +="}}},
	{"base: no temperature before its force", ". FollowTheBase", []edit{
		{"kernel.(*trajectory).kick", "c *= at.Temperature[r]", "_ = at.Temperature"},
	}},
	{"base: no force", ". FollowTheBase", []edit{{"kernel.(*trajectory).kick", "b.V[j] -= c * b.BaseGrad[j]", "_ = j"}}},
	{"base: H without its energy", ". HMCWithBase", []edit{{"kernel.(*trajectory).over", "h += b.Base[i]", "_ = b.Base"}}},
	{"base: its energy over the temperature", ". HMCWithBase", []edit{{"kernel.(*trajectory).over", "Base[i]", "Base[i] / tau"}}},
	{"base: gradients of rejected ends", ". BlocksWithBase", []edit{
		{"kernel.(*trajectory).Accept", "b.BaseGrad[j] = t.baseGrad[j]", "_ = j"},
	}},
	{"base: energies of rejected ends", ". BlocksWithBase", []edit{{"kernel.(*trajectory).Accept", `			b.Base[i] = t.base[i]`, ""}}},
	{"base: in the coordinates of the user", ". BlocksWithBase|HMCWithBase", []edit{
		{".(*frame).potential", "u = potential.Affine(u, w.Center, w.L)", "_ = w"},
	}},
	{"base: no fresh draws without walls", ". HMCWithBase", []edit{{".(*replicas).reflect", "l.fresh >= 0", "l.fresh >= 0 && l.reflector != " +
		"nil"}}},
	{"base: fresh draws beyond the walls", ". HMCWithBase", []edit{
		{".Problem.drawCut", "p.Domain == nil || p.Domain.Contains(x)", "true"},
	}},
	{"base: its mass in the domain is 1", ". HMCWithBase", []edit{{".Problem.Mass", "float64(hits) / m", "1 - 1e-9*float64(hits)/m"}}},
	{"base: resume forgets it", ". Interrupted|ResumedRunsOfOther", []edit{
		{".(*picture).numbers", "b.Base, &b.BaseGrad", "p.at.Spread, &p.at.Spread"},
	}},
	{"chart: draws in the coordinates of the kernel", ". ChartShows", []edit{{".(*frame).shown", "return f.point", "return x"}}},
	{"every sweep looks at energies", "exchange TestLooks", []edit{{"exchange.(*Exchange).Looks", "len(e.pairs) > 0", "true"}}},
	{"round trips of windows as of sweeps", "exchange TestRoundTripRates", []edit{
		{"exchange.Settings.RoundTrips", " / float64(s.Window)", ""},
	}},
	{"harmonic: normal not in whitened coordinates", "kernel TestHarmonicLaw", []edit{
		{"kernel.newPlanes", "MulVec(cov, ", "CopyVec("},
	}},
	{"harmonic: no reflection", "kernel TestHarmonicLaw", []edit{{"kernel.(*planePath).mirror", `	subtract`, `//	subtract`}}},
	{"harmonic: the other root", "kernel TestHarmonicLaw", []edit{{"kernel.crossing", "r - root", "r + root"}}},
	{"harmonic: velocity kept", "kernel TestHarmonicLaw", []edit{
		{"kernel.(*orbit).launch",
			"o.white[j] = sd * xi[j*n]",
			"if v := sd * xi[j*n]; o.white[j] == 0 { o.white[j] = v }"},
	}},
	{"MALA: energies of momenta too small", "kernel MALA", []edit{{"kernel.(*trajectory).over", "(2 *", "(2.1 *"}}},
	{"MALA: the way back at the folded displacement", ". MALAOfATruncated", []edit{
		{"kernel.(*trajectory).Accept", `	t.kick`, "for j, x := range b.X { b.V[j] = x - t.x[j] }; t.kick"},
	}},
	{"MALA: the same, in a ball", ". ExactKernels/gauss_ball/MALA", []edit{
		{"kernel.(*trajectory).Accept", `	t.kick`, "for j, x := range b.X { b.V[j] = x - t.x[j] }; t.kick"},
	}},
	{"HMC: momenta not mirrored", ". ExactKernels/octagon", []edit{{".(*replicas).bounce", "l.v", "nil"}}},
	{"harmonic: curved walls in the Euclidean metric", ". ExactKernels/ellips/harmonic", []edit{
		{"kernel.(*quadricPath).mirror", "inverse.mul", "copy"},
	}},
	{"harmonic: time left with the wrong sign", ". ExactKernels/^polygon$/harmonic", []edit{
		{"kernel.(*orbit).follow", "- s) / (1 +", "+ s) / (1 -"},
	}},
	{"harmonic: energies held against nothing", ". HarmonicNoticesSlits", []edit{
		{"kernel.(*orbits).Check", "o.gaussian.clearly(x, grad, energy)", "true"},
	}},
	{"harmonic: rounding taken for another potential", "kernel FindGaussianRounding", []edit{
		{"kernel.(*gaussian).agrees", "+quadraticSlope*", "+0*"},
	}},
	{"harmonic: no temperature", ". HarmonicRuns", []edit{{"kernel.(*orbit).launch", "sd *", ""}}},
	{"harmonic: walls of other coordinates", ". HarmonicRuns", []edit{
		{".(*run).prepare", "r.domain", "r.problem.Domain"},
	}},
	{"harmonic: times of travel forgotten", ". HarmonicResumes", []edit{
		{"kernel.(*orbits).Numbers", "[]*[]float64{&o.orbit.Times}", "nil"},
	}},
	{"certificate: half of the bias", ". CertificateBetweenWalls", []edit{{".(*Result).Bias", "(2,", "(1,"}}},
	{"certificate: without what the extrapolation leaves", ". TestCertificateCovers", []edit{{".(*Result).Bias", "rest/2", "0*rest"}}},
	{"certificate: noise of its own", ". CertificateBetweenWalls", []edit{
		{".(*shadow).split", ", xi := range noise {", " := range noise { xi := s.random(i).NormFloat64()"},
	}},
	{"evidence: gap without an error", "tune Contradicts", []edit{{"tune.gapError", ", e.GapError", ", 0"}}},
	{"evidence: heavy tails explain either way", "tune Contradicts", []edit{{"tune.unexplained", "e.Forward < e.Backward", "true"}}},
	{"bottlenecks: a tail may be as heavy as it likes", "tune TooFewRungs", []edit{{"tune.bottleneck", "k > worst", "k > 100*worst"}}},
	{"bottlenecks: a heavy tail one way is enough", "tune TooFewRungs", []edit{{"tune.bottleneck", "min(shape", "max(shape"}}},
	{"bottlenecks: the first pair", "tune WithoutRoundTrips", []edit{{"tune.widest", "most, at = v, p", "most, at = v, 0"}}},
	{"bottlenecks: round trips not looked at", "tune WithoutRoundTrips", []edit{{"tune.bottleneck", "stats.RoundTrips == 0", "false"}}},
	{"bottlenecks: no gap is one", "tune Contradicts", []edit{{"tune.contradicts", "> 0 &&", "> 1e9 &&"}}},
	{"evidence: what ladders tell left out", "tune AmongLadders", []edit{{"tune.judged", "among > e.Error", "among < 0"}}},
	{"evidence: the spread of ladders for its error", "tune AmongLadders", []edit{
		{"tune.amongLadders", " / math.Sqrt(float64(len(each)))", ""},
	}},
	{"until.evidence: met in spite of a bottleneck", "tune UntilKnown", []edit{{"tune.Until.judge", " && e.Bottleneck == nil", ""}}},
	{"trajectories: stable twice as far", "tune TestUnstable$", []edit{{"tune.Unstable", "> 2", "> 4"}}},
	{"trajectories: a guide is no law to begin at", "tune TestUnstable$", []edit{{"tune.Unstable", "guide.Guided", "false"}}},
	{"modes: draws that nobody holds against the density", "tune TestSpikeInASlab", []edit{
		{"tune.(*Modes).hold", "a == nil ||", "true ||"},
	}},
	{"modes: a mixture without its determinants", "internal/modes MixtureDensity", []edit{
		{"internal/modes.(*Mixture).Evaluator", "c -= math.Log(p.L[j][j])", "_ = j"},
	}},
	{"modes: a mixture without its box", "internal/modes MixtureDensity", []edit{
		{"internal/modes.(*Mixture).Evaluator", "w == 0", "w >= 0 && m.Lo != nil"},
	}},
	{"modes: the box of a mixture has no walls", "internal/modes MixtureDensity", []edit{
		{"internal/modes.(*mixed).Eval", "case inside", "case inside || e.m.Lo != nil"},
	}},
	{"modes: no slope of the wide law", "internal/modes MixtureDensity", []edit{
		{"internal/modes.(*mixed).Eval", "g += w * e.grad[j*e.r+i]", "_ = w"},
	}},
	{"modes: the first lane of a mixture for all", "internal/modes MixtureDensity", []edit{
		{"internal/modes.(*mixed).Eval", "= x[j*e.r+i]", "= x[j*e.r]"},
	}},
	{"modes: draws of a mixture ignore its weights", "internal/modes MixtureDraws", []edit{
		{"internal/modes.(*Mixture).Draw", "u >= m.Parts[k].Weight", "rng.Float64() < 0.5"},
	}},
	{"modes: no barrier parts two minima", "internal/modes FindCounts", []edit{
		{"internal/modes.(*Target).connected", "<= max(a.Energy, b.Energy)+barrier", "< math.Inf(1)"},
	}},
	{"modes: directions at walls are not projected", "internal/modes MinimaAreOfFirstOrder", []edit{
		{"internal/modes.(*descent).press", "floats.AddScaled(w.p, -push, n)", "_ = push"},
	}},
	{"modes: one wall forgotten for the next", "internal/modes MinimaAreOfFirstOrder", []edit{{"internal/modes.(*descent).way",
		"append(w.walls, wall), append(w.normal, slices.Clone(w.n)), append(w.force, 0)",
		"append(w.walls[:0], wall), append(w.normal[:0], slices.Clone(w.n)), append(w.force[:0], 0)"}}},
	{"modes: steps that end at curved walls", "internal/modes MinimaAreOfFirstOrder", []edit{
		{"internal/modes.(*descent).way", "return w.hug(wall)\n\t}\n", "w.end(); return blocked\n\t}\n"},
	}},
	{"modes: minima at walls that are looked at once", "internal/modes MinimaAreOfFirstOrder", []edit{
		{"internal/modes.(*descent).arrive", "w.fresh || ", "true || "},
	}},
	{"modes: starts around the start alone", "cmd/r2sgld UnboundedModes/sheets",
		[]edit{{"tune.(*tuner).around", "from = append(from, m.X)", "_ = m"}}},
	{"modes: nothing around the fitted law", "cmd/r2sgld UnboundedModes/wells",
		[]edit{{"internal/modes.(*Mixture).Surrounding", "c.ScaleSym(around*around, c)", "c.ScaleSym(1e-4, c)"}}},
	{"modes: chords at the tip", "cmd/r2sgld UnboundedModes/hyperbola", []edit{
		{"internal/modes.(*Target).chords", "inwards = max(0, sd[j]-behind*down)", "inwards = 0"},
		{"internal/modes.(*Target).chords", "inwards = -max(0, sd[j]-ahead*up)", "inwards = 0"},
	}},
	{"modes: descents creep along curved walls", "internal/modes FindInPieces", []edit{
		{"internal/modes.(*descent).hug", "w.follow()", "false"},
	}},
	{"modes: descents cross gaps", "internal/modes FindInPieces", []edit{
		{"internal/modes.(*descent).follow", "back <= short*far && w.t.Domain.Contains(w.next) && !leaves(w.trace, w.x, w.next, w.v)",
			"w.t.Domain.Contains(w.next)"},
	}},
	{"modes: parts that are no longer drawn", "internal/modes FitInPieces", []edit{
		{"internal/modes.normalise", "scarce/float64(len(parts))", "1e-6"},
	}},
	{"modes: weights that do not make up for draws outside", "internal/modes FitInPieces", []edit{
		{"internal/modes.(*Fit).move", "max(leastIn, in/(part.Weight*float64(drawn)))", "max(1, 0*in)"},
	}},
	{"modes: what parts have in place of modes", "internal/modes FitTellsOfModes", []edit{
		{"internal/modes.(*Fit).settle", "f.Basin[f.laws.Owner(at[i*d:(i+1)*d])] += math.Exp(l-f.LogZ) / float64(n)",
			"_, _, _ = d, i, l; copy(f.Basin, f.Weight)"},
	}},
	{"modes: no way through to a hidden one", "internal/modes Tunnel$", []edit{
		{"internal/modes.(*Search).tunnel", "len(marked) == 0", "len(marked) >= 0"},
	}},
	{"modes: points that led to none teach next to nothing", "internal/modes HeavyTails", []edit{
		{"internal/modes.(*Search).tunnel", "max(p.error, (", "max(1.01*p.error, 1e-6*("},
	}},
	{"modes: slopes that know nothing of what is left", "internal/modes Residual", []edit{
		{"internal/modes.(*left).Eval", "/ part", "/ max(1, part)"},
	}},
	{"modes: a known law without its weight", "internal/modes Residual", []edit{
		{"internal/modes.(*left).Eval", "r.energy[i] - r.log - e", "r.energy[i] - 0*r.log - e"},
	}},
	{"modes: laws that are not parted", "internal/modes LawsAreParted", []edit{{"internal/modes.(*normal).alone", "min(parted, ", "min(0, "}}},
	{"modes: starts that see one do not count", "internal/modes StartsSee", []edit{{"internal/modes.cover.seen", "out |= 1 << k", "_ = k"}}},
	{"modes: a fitted law that misses the density", "tune ScoutAtAPole", []edit{{"internal/modes.(*Fit).Defend", "held >= 1-most", "true"}}},
	{"guide: added in place of taken off", ". Guide", []edit{{".(*guide).lead", "b.Energy[i] -= u", "b.Energy[i] += u"}}},
	{"guide: energies told as they are traded", ". Guide", []edit{{".(*guide).told", "energy[i] += v", "energy[i] += 0 * v"}}},
	{"guide: the mass of the uniform law", ". Guide", []edit{{".Problem.normal", "p.Guide != nil", "p.Guide != nil && false"}}},
	{"guide: without the probability that the domain has", ". Guide$",
		[]edit{{".Problem.Mass", "return math.Log(share)", "return 0 * share"}}},
	{"guide: no acceptance knows it", ". ExactKernels/^triangle$/HMC",
		[]edit{{"kernel.(*trajectory).over", "h += b.Base[i]", "_ = b.Base[i]"}}},
	{"guide: steps that do not know it", ". GaussianInBall", []edit{
		{"kernel.stepLangevin", "x[k] -= eta * at.Temperature[r] * g", "_, _ = k, g"},
	}},
	{"guide: not cut to the domain", ". ExactKernels/^disc$/HMC", []edit{{".Problem.drawCut", "p.Domain.Contains(x)", "true"}}},
	{"guide: a density without its uniform part", ". ExactKernels/^disc$/HMC", []edit{
		{"internal/modes.(*Mixture).Evaluator", "e.rest -= math.Log(m.Hi[j] - m.Lo[j])", "e.rest = math.Inf(-1 - j)"},
	}},
	{"guide: fitted anew when draws are judged", "tune TwoWidths/2", []edit{{"tune.Run", "judged, out.Judgement = n,",
		"for _, q := range found.Modes.Fit.Mixture.Parts { q.Center[0] += 0.3 }; judged, out.Judgement = n,"}}},
	{"guide: a potential with noise", ". GuideRefused", []edit{{".(*run).kernel", "r.problem.Guide != nil && noisy", "noisy && false"}}},
	{"guide: resume forgets what energies are more", ". GuideResumes",
		[]edit{{".(*picture).numbers", "v = append(v, &p.draws.More[r])", "_ = r"}}},
	{"audit: nothing is missing", "tune Audit", []edit{{"tune.(*Modes).audit", "case v.Expected > missed:", "case false:"}}},
	{"audit: expected weights for those of the draws", "tune Audit",
		[]edit{{"tune.(*Modes).audit", "v.Weight /= float64(len(own) * max(1, len(own[0])))", "v.Weight = v.Expected"}}},
	{"audit: weights of normal laws for those of the draws", "tune Audit$", []edit{
		{"tune.(*Modes).audit", "v.Weight /= float64(len(own) * max(1, len(own[0])))", "v.Weight = math.Exp(o.Log - m.top())"},
	}},
	{"audit: modes that are rare are not told", "tune Audit", []edit{{"tune.(*Modes).audit", "v.Starts <= rarely", "false"}}},
	{"modes: starts that are not halved", "tune HalvedStarts", []edit{{"tune.(*tuner).halved", "(v + mean[j]) / 2", "v + 0*mean[j]"}}},
	{"modes: given starts are left out", "tune GivenStarts", []edit{{"tune.scout", "t.given()", "t.given()[:0]"}}},
	{"ladders start at the first place", ". MoreStarts", []edit{{".(*run).places", "points[l.index%len(points)]", "points[0]"}}},
	{"modes: what is found after a run goes into the ladder", "tune TwoWidths",
		[]edit{{"tune.(*Modes).renew", "search := *m, *m.Search", "search := *m, *m.Search\n\tm.Search.Starts++"}}},
	{"evidence: the other side of a pair", "exchange FromDraws", []edit{{"exchange.FromDraws", "p], delta,", "p], -delta,"}}},
	{"until.evidence: twice what is asked", "tune Evidence", []edit{{"tune.Until.judge", "Error <= u", "Error <= 2*u"}}},
	{"jumps: whatever steps do not resolve", ". SmoothPotentials", []edit{{".(*watch).narrow", "halvings", "0"}}},
	{"jumps: a certificate in spite of them", ". JumpsAreSeen", []edit{{".(*Result).Bias", "|| r.Jumps(-1).Certain() ", ""}}},
	{"modes: what walls leave of those without draws", "tune AuditBetweenWalls",
		[]edit{{"tune.(*Modes).audit", "v.Expected = cut[k]", "_ = cut"}}},
	{"modes: what walls leave of one mode alone", "tune AuditBetweenWalls", []edit{{"tune.(*Modes).cut", "out[k] /= sum", "out[k] /= 2"}}},
	{"a certificate at a pole", "cmd/r2sgld CertificateAtAPole", []edit{
		{"internal/report.(*Summary).Singular", "p.Bias != nil", "p.Bias == nil"},
	}},
	{"jumps: kinks", ". SmoothPotentials", []edit{{".segment.jumps", "math.Abs(s.slope[1]-s.slope[0])", "0"}}},
	{"given steps: twice the bias", "tune StepBias", []edit{{"tune.StepBias", "2 / ", ""}}},
	{"auto: draws that are not thinned", "cmd/r2sgld TestLimits", []edit{{"tune.Until.hold", "leastHeld", "mostDraws"}}},
	{"auto: jumps that the warm-up keeps to itself", "cmd/r2sgld AutoAcross(Jumps|Features)", []edit{
		{"tune.(*tuner).learn", ", Jumps: unseen(res)", ""},
	}},
	{"auto: SGLD whatever its steps and draws tell", "cmd/r2sgld TestAutoInNarrowWells", []edit{
		{"tune.unseen", "j.Certain() || j.Coarse(Bias)", "j.Certain() && false"},
		{"tune.(*Found).choose", "hmc.Efficiency() >= sgld.Efficiency()*unbiased", "unbiased < 0"},
	}},
	{"auto: a box of few numbers has no interior", "cmd/r2sgld TestBoxOfFewNumbers", []edit{
		{"internal/config/region.lonely", "math.Nextafter(v, math.Copysign(math.Inf(1), step))", "math.NaN()"},
	}},
	{"auto: steps too long for a feature", "cmd/r2sgld AutoAcrossFeatures", []edit{
		{".Jumps.Coarse", "j.Refused > admitted", "false"},
	}},
	{"jumps: errors of steps that resolve", ". NotCoarse", []edit{{".(*watch).land", "leastError", "0"}}},
	{"auto: steps too long for a wall", "cmd/r2sgld AutoAcrossFeatures", []edit{{".(*watch).lean", "e > leastLean", "e < 0"}}},
	{"jumps: slopes at walls, however gentle", ". TooLongForAWall", []edit{{".(*watch).lean", "e > leastLean", "e > leastLean/10"}}},
	{"jumps: slopes along walls", ". TooLongForAWall", []edit{
		{".(*watch).lean", "slope+out*b.Grad[k]", "slope+(b.X[k]-l.from[j])*b.Grad[k]"},
		{".(*watch).lean", "slope * way / square / tau", "slope / tau"},
	}},
	{"auto: a Go program that does not see that its potential is Gaussian", "cmd/r2sgld CommandAndGoProgramAgree", []edit{
		{"tune.withKernel", "&& Gaussian(p, s.Start)", "&& false"},
	}},
	{"quadratic: any term of a sum will do", "potential TestQuadratic$",
		[]edit{{"potential.sum.Quadratic", "if !Quadratic(t)", "if !Quadratic(t) && false"}}},
	{"auto: another kernel than the given one", "cmd/r2sgld AutoAcross(Jumps|Features)", []edit{
		{"tune.Options.tune", "s.Kernel == nil", "!s.Unbiased()"},
	}},
}
