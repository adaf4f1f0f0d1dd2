package mutants

// ofWatching are faults of what a run tells while it goes on, and of the page that shows it.
var ofWatching = []fault{
	{"notes at every tick", "internal/report Noted", []edit{{"internal/report.noting", "now-noted >= now/100", "now > noted-now"}}},
	{"notes at the start alone", "internal/report Noted", []edit{{"internal/report.noting", "now-noted >= now/100", "now-noted < 0"}}},
	{"notes go on after the end", "internal/report Noted", []edit{
		{"internal/report.(*Progress).NotedIn", "noted(); shown()", "shown(); _ = noted"},
	}},
	{"a log whose numbers that are not known are errors", "internal/store LogOfWhat", []edit{
		{"internal/store.attribute", "encode(&b, reflect.ValueOf(v)) == nil", "encode(&b, reflect.ValueOf(v)) != nil"},
	}},
	{"a lock that is left is a writer", "internal/store OneWriter", []edit{{"internal/store.Writing", "!errors.Is", "true || errors.Is"}}},
	{"a lock of a process that lives is none", "internal/store OneWriter", []edit{{"internal/store.Writing", "!errors.Is", "errors.Is"}}},
	{"a log without the numbers of its rounds", "cmd/r2sgld PageOfARun", []edit{
		{"internal/runner.(*execution).line", `"ess", r.ESS`, `"es", r.ESS`},
	}},
	{"the rounds of a log by the draws before", "cmd/r2sgld PageOfARun", []edit{
		{"internal/runner.(*execution).review", "Draws: held(res)", "Draws: held(res) / 2"},
	}},
	{"workers that are not taken among those of now", "internal/fleet Members", []edit{
		{"internal/fleet.(*Crew).Members", "w.taken", "w != nil"},
	}},
	{"the first workers that went kept for the last", "internal/fleet Members", []edit{
		{"internal/fleet.(*Crew).remember", "c.gone[max(0, len(c.gone)-mostGone):]", "c.gone[:min(mostGone, len(c.gone))]"},
	}},
	{"the speed of a slot for that of a worker", "internal/fleet Members", []edit{
		{"internal/fleet.speed", "float64(slots) / longest", "1e4 * float64(slots)"},
	}},
	{"watch: iterations of a ladder for those of all", "internal/watch FactsOfALog", []edit{
		{"internal/watch.(*history).read", "r.Iterations*h.ladders", "r.Iterations"},
	}},
	{"watch: time left by what is done", "internal/watch FactsOfALog", []edit{
		{"internal/watch.(*history).reach", "number(of-n)", "number(n)"},
	}},
	{"watch: the share of the round before", "internal/watch FactsOfALog", []edit{
		{"internal/watch.(*history).read", "h.Reached = nowhere()", "_ = 0"},
	}},
	{"watch: a warning again and again", "internal/watch FactsOfALog", []edit{{"internal/watch.(*history).warn", "i >= 0", "false"}}},
	{"watch: half a line is a line", "internal/watch GrowingLog", []edit{
		{"internal/watch.(*Folder).catchUp", "append(f.part, more...)", "more"},
	}},
	{"watch: rounds made anew beside the old ones", "internal/watch StoppedAndResumed", []edit{
		{"internal/watch.(*history).round", "i >= 0", "false"},
	}},
	{"watch: runs that nobody makes go on", "internal/watch StoppedAndResumed", []edit{
		{"internal/watch.(*Folder).facts", "!store.Writing(f.dir)", "false"},
	}},
	{"watch: points without end", "internal/watch FactsStayFew", []edit{{"internal/watch.few", "<= mostPoints", "<= 1<<30"}}},
	{"watch: the first points alone", "internal/watch FactsStayFew", []edit{
		{"internal/watch.few", "append(points[:mostPoints/2], points[len(points)-1])", "points[:mostPoints/2]"},
	}},
	{"watch: the run before shown as the new one", "internal/watch Coming", []edit{
		{"internal/watch.(*Folder).catchUp", "f.stale != nil", "false"},
	}},
	{"watch: a log of another run read on", "internal/watch Coming", []edit{{"internal/watch.(*Folder).Facts", "at != f.at", `f.at == ""`}}},
	{"watch: the best R̂ for the worst", "internal/watch SummaryOfARun", []edit{
		{"internal/watch.(*history).summed", "!(p.RHat <= r.RHat)", "!(p.RHat >= r.RHat)"},
	}},
	{"watch: any two rungs are neighbours", "internal/watch SummaryOfARun", []edit{
		{"internal/watch.(*history).summed", "p.Rungs[1] == p.Rungs[0]+1", "p.Rungs[1] > 0"},
	}},
	{"watch: names that lead elsewhere", "internal/watch NothingFromElsewhere", []edit{
		{"internal/watch.(*Folder).Figure", "!picture.MatchString(name)", `name == ""`},
	}},
	{"watch: links that are followed", "internal/watch NothingFromElsewhere", []edit{
		{"internal/watch.regular", "root.Lstat(name)", "root.Stat(name)"},
	}},
	{"watch: a token that begins like ours", "internal/watch Served", []edit{
		{"internal/watch.(*Server).ServeHTTP", "[]byte(token), []byte(s.token)", "[]byte(token)[:min(len(token), 25)], []byte(s.token)[:25]"},
	}},
	{"watch: the path before the token", "internal/watch Served", []edit{
		{"internal/watch.(*Server).ServeHTTP", "subtle.ConstantTimeCompare",
			"1 - strings.Count(r.URL.Path, s.token) + 0*subtle.ConstantTimeCompare"},
	}},
	{"watch: anything but GET", "internal/watch Served", []edit{
		{"internal/watch.(*Server).ServeHTTP", "r.Method != http.MethodGet", "false"},
	}},
	{"watch: facts that are read once", "internal/watch Events", []edit{
		{"internal/watch.(*Server).facts", "time.Since(s.at) < fresh", "true"},
	}},
	{"watch: an end without the last facts", "internal/watch Events", []edit{
		{"internal/watch.(*Server).stream", "s.facts(over)", "s.facts(false)"},
	}},
	{"watch: pages that leave make no room", "internal/watch Bounded", []edit{
		{"internal/watch.(*Server).stream", "defer func() { <-s.room }()", "_ = 0"},
	}},
	{"watch: connections without end", "internal/watch ConnectionsAreLimited", []edit{
		{"internal/watch.(*limited).Accept", "_ = c.Close()", "return c, nil"},
	}},
	{"watch: all of a machine's addresses", "internal/watch Addresses", []edit{
		{"internal/watch.Serve", `host = "127.0.0.1"`, `host = "0.0.0.0"`},
	}},
}
