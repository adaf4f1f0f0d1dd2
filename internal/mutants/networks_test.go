package mutants

// ofNetworks are faults of neural networks.
var ofNetworks = []fault{
	{"header of IDX files believed", "internal/bnn/images IDXRefused", []edit{
		{"internal/bnn/images.readSized", "want > most", "false"},
	}},
	{"subset leaves out the last", "internal/bnn/images SubsetUniform", []edit{
		{"internal/bnn/images.(*Set).Subset", "len(m)-i", "max(len(m)-i-1,1)"},
	}},
	{"AURC sees the order of ties", "internal/bnn/score Permuted", []edit{
		{"internal/bnn/score.riskCoverage", "<= rounding", "< 0 || end == start"},
	}},
	{"temperature scored where it was fitted", "internal/bnn/score Reference", []edit{
		{"internal/bnn/score.(*Scores).scale", ", 1,", ", 0,"},
	}},
	{"FPR at 90 percent", "internal/bnn/score Detect", []edit{{"internal/bnn/score.detect", ">= 19", ">= 18"}}},
	{"gaps in a file of weights", "internal/bnn/weights RoundTrip", []edit{
		{"internal/bnn/weights.Encode", "[2]int{at, at", "[2]int{at + 1, at + 1"},
	}},
	{"momentum without its lean in swaps", "internal/bnn TestSwapsTradeLabels", []edit{
		{"internal/bnn.(*training).rescale",
			"now.Spread*now.Spread/(2*now.Temperature) - scale*was.Spread*was.Spread/(2*was.Temperature)",
			"0"},
	}},
	{"momentum not rescaled in swaps", "internal/bnn TestSwapsKeepTheLaw", []edit{
		{"internal/bnn.(*training).rescale", ".set.AsReleased", "rue"},
	}},
	{"indicator in units of energy", "internal/bnn TestIndicatorMeetsTarget", []edit{
		{"internal/bnn.(*training).energyOf", "/= float64(t.n)", "/= 1"},
	}},
	{"resume begins the streams of networks anew", "internal/bnn TestResumeAnywhere", []edit{
		{"internal/bnn.(*training).iterate", "streams.Begin(k)", "streams.Begin(0 * k)"},
	}},
	{"resume begins the epoch anew", "internal/bnn TestResumeAnywhere", []edit{
		{"internal/bnn.(*training).checkpoint", "deck.next", "n"},
	}},
	{"noise budget without the 2", "internal/bnn TestNoiseBudget", []edit{
		{"internal/bnn.(*training).layers", "2 * (1 - mu)", "1 - mu"},
	}},
	{"kinetic temperature before the momentum is rescaled", "internal/bnn TestKineticTemperatureAfterSwaps", []edit{
		{"internal/bnn.(*training).layers", "t.rescale(replica)", "1.0, 0.0"},
	}},
	{"energies over all data at every sweep", "internal/bnn TestFullEnergiesWhereWanted", []edit{
		{"internal/bnn.(*training).trade", "Looks", "Due"},
	}},
	{"plan without the energies of swaps", "internal/bnn TestPlanOfSwaps", []edit{
		{"internal/bnn.(*meter).plan", "pass*t.passes()", "0*pass"},
	}},
	{"cycles average their large steps", "internal/bnn TestCyclesExploreFirst", []edit{
		{"internal/bnn.(*training).exploring", "cycle*3/4", "0"},
	}},
	{"SWAG divides by K", "internal/bnn TestSWAGDraws", []edit{{"internal/bnn.(*gaussian).draw", ")-1", ")"}}},
	{"barrier of networks without the root", "internal/bnn TestPlannedLadder", []edit{
		{"internal/bnn.(*meter).plan", "math.Sqrt(d/(2*math.Pi)", "d / (2 * math.Pi"},
	}},
	{"threshold of rule indicator untold", "internal/bnn TestEpochsTellTheThreshold", []edit{
		{"internal/bnn.(*training).endEpoch", "t.exchange.Level()", "0"},
	}},
	{"footer counts attempts as swaps", "internal/training TestFooterCountsSwaps", []edit{
		{"internal/training.(*Summary).Footer", "text.Count(p.Accepted)", "text.Count(p.Attempts)"},
	}},
	{"exact gates in place of Algorithm 2", "internal/study/deep TestPaperScale", []edit{
		{"internal/study/deep.swaps", "!strings", "strings"},
	}},
	{"targets of one side", "internal/study/deep TestFiguresAreTwoSided", []edit{
		{"internal/study/deep.reached.Differs", "r.P < 0.05", "r.P < 0.05 && r.Ours.Mean < r.Mean"},
	}},
	{"a fixed point by the last epoch alone", "internal/study/deep TestThresholdVerdict", []edit{
		{"internal/study/deep.(*run).moved", "n/4", "0"},
	}},
	{"round trips weighed from below alone", "internal/study/deep TestRoundTripsVerdict", []edit{
		{"internal/study.ThreeToFour", " && trips <= 4", ""},
	}},
	{"steps near the best count against it", "internal/study/deep TestOptimumVerdict", []edit{
		{"internal/study/deep.(*inquiry).optimum", "eta > nearHigh", "eta > paperStep"},
	}},
	{"trainings of a study begin anew", "internal/study/deep TestTrainingsGoOn", []edit{
		{"internal/study/deep.(*bookmark).find", "!b.there ||", "true ||"},
	}},
	{"checkpoints of trainings that ended are left", "internal/study/deep TestTrainingsGoOn", []edit{
		{"internal/study/deep.(*bookmark).clear", "!b.there", "true"},
	}},
	{"checkpoint forgets complete repetitions", "internal/training TestResumeLeavesTheSameBytes", []edit{
		{"internal/training.(*execution).save", ".done", ".done[:0]"},
	}},
	{"repetitions are alike", "internal/training TestMethodsLeaveWholeFolders", []edit{
		{"internal/training.(*execution).open", "Ladder = repeat", "Ladder = 0"},
		{"internal/training.(*execution).repeat", "= repeat", "= 0"},
	}},
	{"places: losses of long ago count", "cmd/r2sgld TestLostNowAndThen", []edit{
		{"cmd/r2sgld.(*afar).Moved", "time.Since(l.since) > forgotten", "time.Since(l.since) < 0"},
	}},
	{"places: small numbers are all near", "internal/bnn/spread TestNear", []edit{
		{"internal/bnn/spread.Near", "nearness*size", "nearness*max(1, size)"},
	}},
	{"places: what is done again tells nothing", "internal/bnn/spread TestSameNumbers", []edit{
		{"internal/bnn/spread.(*Engine).act", "out[r] = o", "_, _ = r, o"},
	}},
	{"places: moves are not made again", "internal/bnn/spread TestSameNumbers", []edit{
		{"internal/bnn/spread.(*Engine).redo", "e.journal.since(at)", "e.journal.since(at)[:0]"},
	}},
	{"places: replicas begin anew", "internal/bnn/spread TestSameNumbers", []edit{
		{"internal/bnn/spread.(*Engine).opened", "states[r] != nil", "states[r] == nil"},
	}},
	{"places: a state that was set is not kept", "internal/bnn/spread TestSameNumbers", []edit{
		{"internal/bnn/spread.(*Engine).SetState", "e.based(r, s.Clone())", ""},
	}},
	{"places: the journal goes back to the newest state", "internal/bnn/spread TestSameNumbers", []edit{
		{"internal/bnn/spread.(*Engine).based", "oldest = min(", "oldest = max("},
	}},
	{"places: buffers are not recomputed again", "internal/bnn/spread TestSameNumbers", []edit{
		{"internal/bnn/spread.(*recompute).do", "k < 0", "k < 0 || k >= 0"},
	}},
	{"places: replicas are numbered by their place", "internal/bnn/spread TestSameNumbers", []edit{
		{"internal/bnn/bnntest.(*Engine).noise", "e.setup.Number(replica)+1", "replica+1"},
	}},
	{"places: anybody passes", "internal/bnn/spread TestOtherNumbers", []edit{
		{"internal/bnn/spread.(*Engine).passes", "!e.Agree([]float64{out[0].Loss, out[0].Square}, []float64{o.Loss, o.Square})", "o != o"},
	}},
	{"places: slots are not counted", "internal/bnn/spread TestDeal", []edit{
		{"internal/bnn/spread.(*Engine).deal", "(count[s]+1)*best.place.Slots() < (count[best]+1)*s.place.Slots()", "count[s] < count[best]"},
	}},
	{"places: nobody stays", "internal/bnn/spread TestDeal", []edit{
		{"internal/bnn/spread.(*Engine).deal", "s.holds[:min(len(s.holds), count[s])]", "s.holds[:0]"},
	}},
	{"places: a device by its number among those that are hidden", "internal/bnn/torch TestStartOn", []edit{
		{"internal/bnn/torch.StartOn", "name = names[k]", "_ = names"},
	}},
}
