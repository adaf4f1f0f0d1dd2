package mutants

// ofDomains are faults of domains and their walls.
var ofDomains = []fault{
	{"uniform draws of our own kinds alone", "domain OwnBallIsOurs", []edit{
		{"domain.Uniform", "}); ok {", "}); ok && func() bool { _, ours := d.(*ball); return ours }() {"},
	}},
	{"images of our own kinds alone", "domain OwnBallIsOurs", []edit{
		{"domain.(*affine).of", "}); ok {", "}); ok && func() bool { _, ours := d.(*ball); return ours }() {"},
	}},
	{"the volume of a user's domain is not asked for", "domain OwnSector", []edit{
		{"domain.Volume", "}); ok {", "}); ok && func() bool { _, ours := d.(*ball); return ours }() {"},
	}},
	{"nearest points of curves that are about as near", "domain NearestFromTheMiddle", []edit{
		{"domain.(*arc).descend", "f.d2*(1-1e-14)", "f.d2*(1-1e-2)"},
	}},
	{"glance: boxes a little too large", "domain GlanceIsSure", []edit{{"domain.(*box).Glance", "y <= h)", "y <= h+1e-9)"}}},
	{"glance: a half-line without an end", "domain GlanceIsSure", []edit{
		{"domain.(*box).Glance", "min(b.hi[j], math.MaxFloat64)", "b.hi[j]"},
	}},
	{"glance: balls a little too large", "domain GlanceIsSure", []edit{{"domain.(*ball).Glance", "b.r*b.r", "b.r*b.r+1e-9"}}},
	{"glance: ellipsoids a little too large", "domain GlanceIsSure", []edit{{"domain.(*ellipsoid).Glance", "s, 1)", "s, 1+1e-9)"}}},
	{"glance: totals a little too large", "domain GlanceIsSure", []edit{{"domain.(*simplex).Glance", "s.s)", "s.s+1e-9)"}}},
	{"glance: shares of any sign", "domain GlanceIsSure", []edit{{"domain.(*simplex).Glance", "x >= 0", "x >= -1e-9"}}},
	{"glance: facets a little too far", "domain GlanceIsSure", []edit{{"domain.(*polytope).Glance", "sum, b)", "sum, b+1e-9)"}}},
	{"glance: infinity beyond a facet", "domain GlanceIsSure", []edit{{"domain.(*polytope).Glance", "x-x != 0", "false && x-x != 0"}}},
	{"glance: discs that do not meet", "domain GlanceIsSure", []edit{
		{"domain.(*planeGrid).glance", "< near*near*g.unit2", "< 2*near*near*g.unit2"},
	}},
	{"glance: ends at the curve", "domain GlanceIsSure", []edit{{"domain.(*planeGrid).glance", "<= 0", "< 0"}}},
	{"glance: the last part alone", "domain GlanceIsSure", []edit{{"domain.(*product).Glance", "all[k](", "all[max(k, len(all)-1)]("}}},
	{"glance: free coordinates of any value", "domain GlanceIsSure", []edit{{"domain.(*product).Glance", "if !f {", "if !f || f {"}}},
	{"glance: one member", "domain GlanceIsSure", []edit{{"domain.(*intersection).Glance", "range all", "range all[:1]"}}},
	{"glance: images without their origin", "domain GlanceIsSure", []edit{{"domain.(*affine).applyLanes", "+= c", "+= 0*c"}}},
	{"glance: all steps, whatever it saw", ". LaddersInStep",
		[]edit{{".(*lanes).look", "w.glance(w.may, b.From", "_ = 0; w.glance(w.may[:1], b.From"}}},
	{"curves: the polygon along one is taken for it", "domain GridIsBelow", []edit{{"domain.newCurve", "math.Sqrt(d2) - off", "math.Sqrt(d2)"}}},
	{"arcs: strips without the height of the arc", "domain Exit", []edit{{"domain.newCurve", "a.sag*(1+1e-9)", "0*a.sag"}}},
	{"arcs: a path that falls away is not met again", "domain Exit|Specular", []edit{
		{"domain.(*curveTracer).again", "-1.01*p.bend", "1e9*p.bend"},
	}},
	{"no curved wall in the plane of two coordinates", "domain Section", []edit{
		{"domain.(*implicit).Section", "at != i && at != j", "at != i || at != j"},
	}},
	{"curved walls of other coordinates taken for one of two", "domain Section", []edit{
		{"domain.(*implicit).Section", "at != i && at != j", "at < 0"},
	}},
	{"wrong normal: turned by 10 degrees", "domain CurveNormals", []edit{
		{"domain.(*arc).normal", "dy / l, -dx", "(0.98*dy + 0.17*dx) / l, (0.17*dy - 0.98*dx)"},
	}},
	{"wrong normal, on the flower", "domain PlaneSpecularKeeps", []edit{
		{"domain.(*arc).normal", "dy / l, -dx", "(0.9*dy + 0.43*dx) / l, (0.43*dy - 0.9*dx)"},
	}},
	{"reflected at 0.995 of the way", "domain SpecularKeeps|PlaneSpecular|AgreeWithTracing", []edit{
		{"domain.(*specular).Reflect", "+= t", "+= 0.995 * t"},
	}},
	{"the wall reflected from is met again", "domain Specular|Wedge|RandomSteps", []edit{
		{"domain.(*specular).Reflect", "= w", "= None"},
	}},
	{"a fallback ends on the wall", "domain RandomSteps|NonFinite", []edit{{"domain.giveUp", "copy(to, from)", "_ = from"}}},
	{"momentum not mirrored", "domain Backwards", []edit{
		{"domain.(*specular).Reflect", "mirror(mv, r.n[:len(mv)])", "_ = mv"},
		{"domain.(*nearest).Reflect", "mirror(mv, r.n[:len(mv)])", "_ = mv"},
		{"domain.(*project).Reflect", "mirror(mv, r.n[:len(mv)])", "_ = mv"},
	}},
	{"hmc: momenta kept at a fallback", ". TurnBack", []edit{{"domain.giveUp", "v[i] = -v[i]", "_ = i"}}},
	{"mirror: no determinant, simplex", ". MirroredLangevin", []edit{{"domain.simplexMirror.Pull", "- tau*(1-n*q)", "+ 0*n*tau"}}},
	{"mirror: no determinant, box", ". MirroredLangevin", []edit{
		{"domain.boxMirror.Pull", "tau*math.Copysign((1-t)/(1+t), v)", "0*tau"},
	}},
	{"projection mirrors", ". ProjectedLangevin", []edit{{"domain.(*box).Reflector", "rule == Project", "false"}}},
	{"quadric: slopes by what the logarithms are of", "internal/config/region SurfacesInTheChart", []edit{
		{"domain.(*quadricEval).Gradient", "g[s.j] *= e.z[k]", "_ = k"},
	}},
	{"quadric: bounds without the slopes", "domain QuadricCrossings", []edit{
		{"domain.(*quadricEval).Bend", "sum = sum.plus(m.second.times(s.slope))", "_ = sum"},
	}},
	{"quadric: bounds at the near end", "domain QuadricCrossings", []edit{{"domain.(*quadricEval).Bend", "+b*", "+a*"}}},
	{"quadric: the farther root of a parabola", "domain Implicit|Chord", []edit{{"domain.(*path).parabola", "> 0 && a.d <=", "<"}}},
	{"quadric: a fall that may turn", "domain QuadricCrossings|UniformLaw", []edit{
		{"domain.(*path).bounded", "(a.d+0.5*up*h)", "a.d"},
	}},
	{"implicit: searches without an end", "domain LongSearches", []edit{{"domain.maxLabour", "<< 17", "<< 22"}}},
	{"implicit: a point outside is brought to walls that it is within", "domain ImplicitNearest",
		[]edit{{"domain.(*implicitTracer).Nearest", "outside && g", "!outside && g"}}},
	{"implicit: NaN taken for inside", "domain NaNBehind|ImplicitRefuses", []edit{{"domain.(*path).jet", "Inf(", "Inf(-"}}},
	{"a constraint that ends has its gradient for a normal", "domain WhereAConstraintEnds",
		[]edit{{"domain.(*implicitTracer).Normal", "l = -l", "l = +l"}}},
	{"no steps from where a slope is not defined", "domain FromTheTipOfACone",
		[]edit{{"domain.(*path).jet", "d-d != 0 && s > 0", "d-d != 0"}}},
	{"a zero where a constraint ends", "domain WhereAConstraintEnds",
		[]edit{{"domain.(*path).exit", "on && p.t.edge(p.i, a.v, p.x)", "on && p.t.edge(p.i, a.v, p.x) && a.s > 0"}}},
	{"a piece of the boundary is missing", "domain Boundary", []edit{{"domain.(*polygon).Pieces", "edges(p.v)", "edges(p.v)[1:]"}}},
	{"polytope: carried products trusted", "domain PolytopeForgets", []edit{
		{"domain.(*polyFold).first", "2*(2*r.lag+r.off+r.skew) + r.fresh(r.size) + k.least", "0.0"},
	}},
	{"polytope: another state taken for the last", "domain PolytopeForgets", []edit{
		{"domain.(*polyFold).find", "s.x[0] == x[0] &&", "i == 0 ||"},
	}},
	{"polytope: mirrored by less than twice", "domain PolytopeFindsTheFirstRow", []edit{
		{"domain.(*polyFold).follow", ":= 2", ":= 1.99"},
	}},
	{"mirrored 0.5 % before a facet", ". UniformSquare", []edit{{"domain.(*polyFold).follow", `		rest`, `t *= 0.995; 		rest`}}},
	{"folded 0.5 % early", ". UniformSquare", []edit{{"domain.foldInterval", "max(", "max(0.995*"}}},
	{"linear programs: columns that go up only", "domain TestDictionary", []edit{
		{"domain.(*dictionary).enter", "d = math.Abs(d)", "_ = d"},
	}},
	{"linear programs: the objective of before", "domain TestDictionary", []edit{
		{"domain.(*dictionary).maximise",
			`{
	s.aim(c)`,
			`{
if s.changes == 0 { s.aim(c) }`},
	}},
	{"volumes: a first law of another mass", "domain HopelessRejection", []edit{{"domain.cooled", "(2*", "("}}},
	{"volumes: momenta not mirrored", "domain HopelessRejection", []edit{{"domain.(*cooling).move", ", c.v", ", nil"}}},
	{"uniform draws of paths that are too short", "domain HopelessRejection", []edit{
		{"domain.(*sampler).billiard", ", 5", ", 0.05"},
	}},
	{"zones: heights as in one dimension less", "domain TestZonesOfBalls", []edit{{"domain.(*zone).height", "-1)", "-2)"}}},
	{"lenses: both caps alike", "domain TestZonesOfBalls", []edit{{"domain.lens", "(m+n)*rng.Float64() < m", "rng.Float64() < 0.5"}}},
	{"cells: those alone that a corner or the middle is in", "domain TestThinSets", []edit{{"domain.mayHold", "-= 2", "-= 0"}}},
	{"round coordinates of another volume", "domain TestRoundSlice", []edit{{"domain.RoundSlice", "(-log", "(log"}}},
	{"slices in coordinates of other lengths", "domain SliceMeasures", []edit{{"domain.(*Slice).measure", "math.Exp(-log)", "1.0"}}},
	{"stuck: walls of a product by the number of a part", "domain TestStuck", []edit{
		{"domain.(*productFold).blameOf", "r.first[part] + ", ""},
	}},
	{"barriers: slopes taken for half", "internal/mesh TestThinBarriers", []edit{{"domain.rises", "v+math", "v+0.3*math"}}},
}
