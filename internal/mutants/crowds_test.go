package mutants

// ofCrowds are faults of walls that another program tells.
var ofCrowds = []fault{
	{"crowd: every question that of the first", "domain StepsOfACrowd", []edit{
		{"domain.(*board).answer", "x[j*n+k] = q.x[j*q.n+q.i]", "x[j*n+k] = q.x[j*q.n]"},
	}},
	{"crowd: answers to another state", "domain StepsOfACrowd", []edit{{"domain.(*board).answer", "= grad[j*n+k]", "= grad[j*n+n-1-k]"}}},
	{"crowd: members that wait for nobody", "domain ACrowdAsksOnce", []edit{{"domain.(*board).ask", "case m == nil:", "default:"},
		{"domain.(*board).ask", "default:\n\t\tm.yield", "case m != nil && m.asked < 0:\n\t\tm.yield"}}},
	{"crowd: what is known is asked again", "domain ACrowdAsksOnce", []edit{
		{"domain.(*board).ask", "!b.memory.recall(q)", "!b.memory.recall(q) || q.n == 1"},
	}},
	{"crowd: states of one place are the same", "domain MemoryOfACrowd", []edit{
		{"domain.(*memory).recall", "math.Float64bits(v) != math.Float64bits(q.x[j*q.n+q.i])", "v != v && j > 0"},
	}},
	{"crowd: 0 and −0 are the same", "domain MemoryOfACrowd", []edit{
		{"domain.(*memory).recall", "math.Float64bits(v) != math.Float64bits(q.x[j*q.n+q.i])", "v != q.x[j*q.n+q.i]"},
		{"domain.(*memory).place", "math.Float64bits(q.x[j*q.n+q.i])", "math.Float64bits(q.x[j*q.n+q.i]+0)"},
	}},
	{"paths: places a little farther", "domain StepsOfACrowd|PathsAreForeseen", []edit{
		{"domain.(*path).foresee", "p.x[j] + s*e", "p.x[j] + s*e*(1+1e-14)"},
	}},
	{"paths: nothing is foreseen", "domain PathsAreForeseen", []edit{{"domain.(*path).foresee", "g == nil ||", "true ||"}}},
	{"paths: what was foreseen of the surface before", "domain StepsOfACrowd", []edit{
		{"domain.(*implicitTracer).Exit", "t.ahead.forget()", "_ = t.ahead.s"},
	}},
	{"descents of a crowd without an end", "domain ContextOfACrowd", []edit{{"domain.crowdLabour", "2_000", "2_000_000"}}},
	{"cells of a crowd: the first alone", "domain FoundByACrowd", []edit{{"domain.(*looks).keep", "range found", "range found[:1]"}}},
	{"counts that go on within a block", "domain TestCount", []edit{{"domain.Count", "in == enough", "false"}}},
	{"walls that fail unheard", "domain FailureOfADomain", []edit{{"domain.ended", "cmp.Or(ctx.Err(), Err(d))", "cmp.Or(ctx.Err(), nil)"}}},
	{"walls of members that fail unheard", "domain FailureOfADomain", []edit{
		{"domain.(*intersection).Err", "firstFailure(x.members)", "nil"},
	}},
	{"walls that fail asked through a crowd", "domain FailureOfADomain", []edit{{"domain.boarded.Err", "failureOf(s.Surface)", "nil"}}},
	{"pictures with coordinates that change places", "domain RasterOfADomain", []edit{
		{"domain.(*implicit).raster", "x[i*n*n+at], x[j*n*n+at] =", "x[j*n*n+at], x[i*n*n+at] ="},
	}},
	{"pictures of corners alone", "domain RasterOfADomain", []edit{
		{"domain.(*implicit).raster", "s, t = s-float64(p), t-float64(q)", "s, t = 0, 0"},
	}},
	{"a run: steps without their mirrorings", ". WallsFromElsewhere", []edit{
		{".band.together", "l.ended(&w.hands[lane], i, r)", "_ = r"},
	}},
	{"a run: hot draws of later numbers", ". WallsFromElsewhere", []edit{
		{"domain.(*Crowd).Draw", "\t\t\tback()\n", "\t\t\t_ = back\n"},
	}},
	{"a run: steps of a lane counted for the next ladder", ". WallsFromElsewhere", []edit{
		{".band.together", "l, i := b[lane/rungs], lane%rungs\n\t\tr :=", "l, i := b[(lane+1)%len(w.hands)/rungs], lane%rungs\n\t\tr :="},
	}},
	{"a run whose walls fail goes on", ". WallsThatFail", []edit{
		{".band.together", "err := domain.Err(w.crowd.Domain())", "var err error"},
	}},
	{"a checkpoint without what was asked", ". LaddersInStep", []edit{{".(*picture).tables", ", p.asked", ""}}},
	{"command: one constraint for all", "internal/command TestConstraints", []edit{
		{"internal/command.(*Potential).Constraint", "walls + uint32(k)", "walls"},
	}},
	{"command: a process for each question", "internal/command TestConstraints|Pool", []edit{
		{"internal/command.(*Potential).take", "n > 0", "n > 1000"},
	}},
	{"command: a process for each evaluator", "internal/command Pool", []edit{
		{"internal/command.(*evaluator).eval", "e.p.lends()", "false"},
	}},
	{"command: a process for each evaluator without walls", "internal/command LanewiseProgramsArePooled", []edit{
		{"internal/command.(*Potential).lends", "p.abilities.Lanewise || ", ""},
	}},
	{"command: processes never rest", "internal/command Pool", []edit{{"internal/command.(*pool).wait", "l.open > 0", "true"}}},
	{"command: processes rest before the last energy", "internal/command Pool", []edit{
		{"internal/command.(*pool).wait", "l.open > 0 ||", ""},
		{"internal/command.(*pool).end", "l.open > 0", "false"},
	}},
	{"command: energies go on without walls", "internal/command ConstraintFailures", []edit{
		{"internal/command.(*evaluator).eval", "err := e.p.pool.failure()", "var err error"},
	}},
	{"command: constraints that change places", "internal/command ConstraintFailures", []edit{
		{"internal/command.abilities.equal", "slices.Equal(a.Constraints, b.Constraints)", "true"},
	}},
	{"command: constraints by lines", "internal/command HandshakeFailures", []edit{
		{"internal/command.readGreeting", "len(g.Constraints) > 0 && g.Version == first", "false"},
	}},
	{"walls of a program: kinks taken for slopes", "tune TestCheckConstraint", []edit{{"tune.CheckConstraint", "2*c.bad > c.looked", "false"}}},
	{"walls of a program: flat ones", "tune TestCheckConstraint", []edit{{"tune.(*chords).look", "!(size > 0)", "size < 0"}}},
	{"walls of a program: those of others", "tune TestCheckConstraint", []edit{{"tune.(*chords).follow", "[0] == c.name", `[0] != ""`}}},
	{"walls of a program: in company", "tune TestCheckConstraint", []edit{{"tune.(*chords).alone", "w != v[i]", "w != w"}}},
	{"walls of a program: of which the domain says nothing", "cmd/r2sgld WrongWallsOfAProgram", []edit{
		{"internal/config.(*external).potential", "len(names) > 0 &&", "false &&"},
	}},
	{"walls of a program: no check before a run", "cmd/r2sgld WrongWallsOfAProgram", []edit{
		{"internal/config.(*external).potential", "range l.region.OfProgram", "range l.region.OfProgram[:0]"},
	}},
	{"walls of a program: all of them for each", "cmd/r2sgld WallsOfAProgram", []edit{
		{"internal/config/region.(*Region).readProgram", "p.Constraint(names[i])", "p.Constraint(names[0])"},
	}},
}
