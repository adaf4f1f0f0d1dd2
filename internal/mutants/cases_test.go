package mutants

// ofCases are faults of lists of cases, of who does them, and of sweeps.
var ofCases = []fault{
	{"sweeps: what is said of --over told of --set", "internal/sweep OverIsNamed", []edit{
		{"internal/sweep.(*Config).over", "a.Key == key", "a.Key == p.File"},
	}},
	{"configuration: a key sought in any place, the deepest first", "internal/config TestBad", []edit{
		{"internal/config/key.deeper", "strings.Count(at, \".\") < strings", "strings.Count(at, \".\") > strings"},
	}},
	{"workers: the end of a list told by whoever hears of it", "internal/fleet EndIsTold", []edit{
		{"internal/fleet.(*casework).hear", "if helped", "if !helped"},
	}},
	{"studies: a damaged case stops them", "internal/study DamagedCasesAreTold", []edit{
		{"internal/store.(*Folder).scrap", "f.kind.Anew == nil", "f.kind.Anew != nil"},
	}},
	{"store: whatever was changed is made anew", "internal/study DamagedCasesAreTold", []edit{
		{"internal/store.(*Folder).scrap", "|| !anew.MatchString(name)", "|| anew == nil"},
	}},
	{"configuration: a formula that a comma of a list cuts is not told as one", "internal/config TestBad", []edit{
		{"internal/config/yamlpos.(*tree).mend", "open == 0 && len(parts) > 1", "open == 1 && len(parts) > 1"},
	}},
	{"configuration: commas within a function part constraints", "internal/config TestBad", []edit{
		{"internal/config/region.parted", "!closed || ", "closed && false || "},
	}},
	{"rows: only the last side of a constraint is written out", "internal/rows ConstraintsWrittenOut", []edit{
		{"internal/rows.(*builder).bySides", "from = w.End", "from = 0 * w.End"},
	}},
	{"fit: constraints as they are said where they name more than entries", "internal/config ConstraintsOfSums", []edit{
		{"internal/config/region.(*Region).Constraints", "text = r.Written[i]", "_ = r.Written[i]"},
	}},
	{"fit: descents begin at the corner of a domain, outside it", "internal/config ModeBesideACorner", []edit{
		{"internal/config.(*fitReader).scattered", "!toInside(p.Domain, inner, x) && f.region.Inside != nil", "!toInside(p.Domain, inner, x) && f.region.Inside == nil"},
	}},
	{"studies: cases of one list taken for those of another", "internal/study GatherGoesOn", []edit{
		{"internal/study.(*list).name", `fmt.Sprintf("%s %d", l.what, i)`, `fmt.Sprint(i)`},
	}},
	{"studies: things of one kind taken for those of another", "internal/study TestBatch", []edit{
		{"internal/study.(*Batch).at", "b.parts[k].from > i", "b.parts[k].from > i+1"},
	}},
	{"studies: cases of one study taken for those of another", "internal/study GatherGoesOn", []edit{
		{"internal/study.(*drawer).file", "c.study, sha256", `"study", sha256`},
	}},
	{"studies: cases are not kept", "internal/study GatherGoesOn", []edit{{"internal/study.(*drawer).Keep", "c.desk.write(file, text)", "c.desk.write(file, nil)"}}},
	{"studies: damaged cases are taken", "internal/study GatherDamaged", []edit{
		{"internal/study.unseal", "!= [sha256.Size]byte(text)", "== [sha256.Size]byte{}"},
	}},
	{"studies: cases that depend on other things are taken", "internal/study Depending", []edit{
		{"internal/study.(*apart).Find", "a.mark + name", "name"}, {"internal/study.(*apart).Keep", "a.mark+name", "name"},
	}},
	{"studies: the time of cases that are found, one after the other", "internal/study GatherTime", []edit{
		{"internal/study.(*list).gather", "took / time.Duration(min(l.Workers(), l.n))", "took"},
	}},
	{"studies: those that are abandoned go on writing", "internal/study CasesThatAreLeft", []edit{{"internal/study.(*Desk).write", "d.closed", "false"}}},
	{"studies: cases are left", "internal/study CasesThatAreLeft", []edit{{"internal/study.newDesk", "d.clear(", "_ = ("}}},
	{"store: what a run removed is asked for", "internal/store ReadyWithoutWhatPassed", []edit{
		{"internal/store.(*Folder).whole", "slices.Contains(passing, path.Dir(name))", "false"},
	}},
	{"store: more is removed than is meant", "internal/store ReadyWithoutWhatPassed", []edit{
		{"internal/store.(*Folder).Remove", "|| !meant(name)", ""},
	}},
	{"studies: another case is asked for than is meant", "internal/study TestShared$", []edit{
		{"internal/study.(*Share).with", "l.what, i, s.before", "l.what, 0, s.before"},
	}},
	{"studies: cases of others of any scale, seed and list", "internal/study SharedRefuses", []edit{
		{"internal/study.(*list).took", "c.Of != l.of(i)", `c.Of == ""`},
	}},
	{"studies: cases without what the lists before came to", "internal/study TestShared$", []edit{
		{"internal/study.(*Share).with", "l.what, i, s.before", "l.what, i, nil"},
	}},
	{"studies: the files of the lists before do not travel", "internal/study TestShared$", []edit{
		{"internal/study.(*Share).with", "Files: s.before", "Files: nil"},
	}},
	{"studies: cases of one seed from a study of another", "internal/study TestReplays", []edit{
		{"internal/study.(*replay).before", "r.seed == c.Seed && ", ""},
	}},
	{"studies: cases after other lists from the same study", "internal/study TestReplays", []edit{
		{"internal/study.(*replay).pass", "g.List != r.at.what", `g.List == ""`}, {"internal/study.(*replay).pass", "r.at.took(i, text); err != nil", "r.at.took(i, text); err != nil && text == nil"},
	}},
	{"studies: a case of another build is done", "internal/study TestReplays",
		[]edit{{"internal/study.(*Replays).Do", "c.Program != s.Program", `c.Program == "?"`}}},
	{"studies: a case does not say of which build it is", "internal/study TestShared",
		[]edit{{"internal/study.(*Share).with", "s.desk.task.Program, s.study", "s.study, s.study"}}},
	{"studies: begun anew for every case", "internal/study TestShared$", []edit{
		{"internal/study.(*Replays).at", "k >= 0 {", "k >= 1<<40 {"},
	}},
	{"studies: go on while a case is in hand", "internal/study ReplayWaits", []edit{
		{"internal/study.(*replay).gather", "r.inHand > 0 || ", ""},
	}},
	{"studies: never end on a worker", "internal/study TestReplays", []edit{
		{"internal/study.(*Replays).at", "s.all[:min(len(s.all), mostReplays-1)]", "s.all"},
	}},
	{"studies: all are for workers", "cmd/r2sgld ReproduceAlone", []edit{{"cmd/r2sgld.(*session).options", `e.here != ""`, `e.here == "?"`}}},
	{"studies: workers do cases of any", "cmd/r2sgld ReproduceAlone", []edit{{"cmd/r2sgld.replays", `e.name == name && e.here != ""`, "e.name == name && e.name == \"\""}}},
	{"studies: fields that gob leaves out", "internal/study GatherRefuses", []edit{{"internal/study.unkept", "!f.IsExported()", "false"}}},
	{"cases: what was begun is forgotten", "internal/cases EachOnce", []edit{
		{"internal/cases.(*List).Work", "append(append([]int(nil), l.Begun...), l.Left...)", "append([]int(nil), l.Left...)"},
	}},
	{"cases: hands that hear no end", "internal/cases ErrorEnds", []edit{
		{"internal/cases.(*queue).Next", "len(q.left) == 0 || ctx.Err() != nil", "len(q.left) == 0"},
	}},
	{"cases: a parcel of a folder that changed", "internal/store ParcelOfARun", []edit{
		{"internal/store.Pack", "!bytes.Equal(before, after)", "!bytes.Equal(before, before) && after != nil"},
	}},
	{"cases: locks travel", "internal/store TestParcel$", []edit{{"internal/store.Pack", "d.Name() == lockName", "false"}}},
	{"cases: parcels that write anywhere", "internal/store HostileParcels", []edit{
		{"internal/store.Unpack", `!fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || name == "."`, "name == \"\""},
	}},
	{"cases: parcels without a bound", "internal/store HostileParcels", []edit{{"internal/store.Unpack", "most -= h.Size", "most -= 0 * h.Size"}}},
	{"cases: folders in parcels without a bound", "internal/store HostileParcels", []edit{{"internal/store.Unpack", "most -= tarBlock", "most -= 0"}}},
	{"cases: files that were not sent", "internal/config TestWithin", []edit{
		{"internal/config.Programs.readable", "err != nil || !filepath.IsLocal(file)", "err != nil"}}},
	{"cases: another program", "cmd/r2sgld TestAnotherProgram", []edit{{"internal/fleet.Unchanged", "sum != executed[path]", `sum == ""`}}},
	{"cases: a sweep that fails is to begin anew", "internal/job TestStoppedWithCases", []edit{
		{"internal/job.(*Folder).unfinished", " || f.Resumable(casesFolder)", ""}}},
	{"cases: news asked for while hands have work", "internal/fleet TestFewQuestions", []edit{
		{"internal/fleet.(*posting).watch", "every = askEvery", "every = watchEvery"}}},
	{"cases: one key for all programs", "internal/fleet TestKeysOfPrograms", []edit{
		{"internal/fleet.newErrand", `" program %q %s", path, f.SHA256`, `" program %q", path`}}},
	{"cases: links in parcels", "internal/store HostileParcels", []edit{
		{"internal/store.Unpack", `err = fmt.Errorf("%q is neither a file nor a folder", h.Name)`, "err = nil"},
	}},
	{"a broker without room is waited for", "internal/fleet TestBrokerIsFull",
		[]edit{{"internal/fleet.(*posting).here", "p.conn.IsConnected() && !p.full", "p.conn.IsConnected()"}}},
	{"cases: why one failed elsewhere", "internal/fleet CaseFails", []edit{
		{"internal/fleet.(*posting).fetch", `o.Failed != ""`, `o.Failed == "?"`},
	}},
	{"cases: shelves that are left", "internal/fleet TestCases$", []edit{
		{"internal/fleet.(*posting).Close", "left == 0", "left < 0"},
	}},
	{"cases: workers of any program", "internal/fleet UnfitForCases", []edit{
		{"internal/fleet.(*casework).open", "theirs != k.Program", `theirs == "?"`},
	}},
	{"cases: workers that ask again for what they may not do", "internal/fleet UnfitForCases", []edit{
		{"internal/fleet.(*casework).refuse", "k.told[id], k.looked = true", "k.told[id], k.looked = false"},
	}},
	{"cases: nobody hears of workers that may not do them", "internal/fleet UnfitForCases", []edit{
		{"internal/fleet.(*casework).refuse", "_ = k.js.Conn().Publish(refusedOf(id), b)", "_ = b"},
	}},
	{"cases: the last outcome holds", "internal/fleet FirstOutcome", []edit{
		{"internal/fleet.(*casework).commit", "s.done.Create(ctx, e.Key, text)", "s.done.Put(ctx, e.Key, text)"},
	}},
	{"cases: folders of late outcomes are kept", "internal/fleet FirstOutcome", []edit{
		{"internal/fleet.(*casework).commit", "s.drop(ctx, &d.outcome)", "_ = d.Made"},
	}},
	{"cases: an outcome that was told twice is thrown away", "internal/fleet FirstOutcome", []edit{
		{"internal/fleet.(*casework).commit", "known.Worker != d.Worker", `known.Worker != ""`},
	}},
	{"cases: offered twice", "internal/fleet FirstOutcome", []edit{
		{"internal/fleet.(*shelf).put", ", jetstream.WithExpectLastSequencePerSubject(0)", ""},
	}},
	{"cases: what is delivered again begins anew", "internal/fleet CaseGoesOn", []edit{
		{"internal/fleet.delivered", "about.NumDelivered", "min(about.NumDelivered, 1)"},
	}},
	{"cases: small folders are left behind", "internal/fleet FirstOutcome", []edit{
		{"internal/fleet.(*shelf).home", "bytes.NewReader(o.Folder)", "bytes.NewReader(nil)"},
	}},
	{"cases: begun anew elsewhere", "internal/fleet CaseGoesOn", []edit{
		{"internal/fleet.(*casework).make", "case err != nil:\n\t\t\t_ = os.RemoveAll(dir)", "default:\n\t\t\t_ = os.RemoveAll(dir)"},
	}},
	{"cases: a part that does not come is none", "internal/fleet PassingErrors", []edit{
		{"internal/fleet.(*casework).make", "case err != nil && passing(err):\n\t\t\treturn d, err", "case false:\n\t\t\treturn d, err"}}},
	{"cases: a file that does not come makes a case fail", "internal/fleet PassingErrors", []edit{
		{"internal/fleet.(*casework).make", "case err != nil && passing(err):\n\t\treturn d, err", "case false:\n\t\treturn d, err"}}},
	{"cases: a folder that does not come is no outcome", "internal/fleet PassingErrors", []edit{
		{"internal/fleet.(*posting).fetch", "!p.conn.IsConnected() || passing(err)", "!p.conn.IsConnected()"}}},
	{"cases: a slot that left for a run stays away", "internal/fleet RunIsOverFirst", []edit{
		{"internal/fleet.(*casework).work", "for over.Err() == nil {", "for over.Err() == nil && !k.leave.Load() {"}}},
	{"cases: workers leave with what they did last", "internal/fleet CaseGoesOn", []edit{
		{"internal/fleet.(*casework).make", "saved(ctx.Err() != nil)", "saved(false)"},
	}},
	{"cases: left to a broker that stays away", "internal/fleet BrokerStaysAway", []edit{
		{"internal/fleet.(*posting).here", "time.Since(p.lost) > silence", "time.Since(p.lost) > 1000*silence"},
	}},
	{"cases: a broker that is away at first ends the list", "internal/fleet BrokerIsAwayAtFirst", []edit{
		{"internal/fleet.(*posting).insist", "err == nil || p.conn.FlushTimeout(askEvery) != nil", "err == nil"},
	}},
	{"cases: never offered to a broker that was away at first", "internal/fleet BrokerIsAwayAtFirst", []edit{
		{"internal/fleet.(*posting).watch", "forgotten || err == nil && !p.posted", "forgotten"},
	}},
	{"cases: a tally of one list goes on in the next", "internal/cases Tally", []edit{
		{"internal/cases.(*Tally).Begin", "t.now.Done = list, of, done", "t.now.Done = list, of, t.now.Done"},
	}},
	{"cases: what fails to come home counts", "internal/cases Tally", []edit{{"internal/cases.(*List).counted", "err == nil", "err == nil || true"}}},
	{"page: epochs twice", "internal/watch TestEpochs", []edit{
		{"internal/watch.(*history).epoch", ">= r.Epoch", "> r.Epoch"},
	}},
	{"page: the pace of a training by what was done before a stop", "internal/watch TestEpochs", []edit{
		{"internal/watch.(*history).start", "h.epochs.at = time.Time{}", ""},
	}},
	{"page: iterations of a checkpoint for epochs", "internal/watch TestEpochs", []edit{
		{"internal/watch.(*history).read", `h.Reached.Unit != ""`, "false"},
	}},
	{"programs: those that others stop are not waited for", "internal/child TestStopAllWaits", []edit{
		{"internal/child.StopAll", "<-p.(*Process).gone", ""},
	}},
	{"page: epochs of all repetitions", "internal/watch TestEpochs", []edit{{"internal/watch.(*history).start", "!r.Resumed", "false"}}},
	{"programs: not all are stopped", "internal/child TestStopAll", []edit{{"internal/child.StopAll", "stops.Wait()", ""}}},
	{"lines: nobody is expected", "internal/fleet TestUnheardLine", []edit{{"internal/fleet.(*line).expect", "l.heard == 0", "false"}}},
	{"lines: who has spoken is expected", "internal/fleet TestUnheardLine", []edit{{"internal/fleet.(*line).expect", "l.heard == 0", "true"}}},
	{"cases: those of a page that nothing has begun", "internal/watch CasesAreTold", []edit{
		{"internal/watch.(*Server).facts", "f.Cases != nil && f.State == Beginning", "f.Cases != nil"},
	}},
	{"cases: what was done while the broker was away is lost", "internal/fleet WhatWasDoneIsKept", []edit{
		{"internal/fleet.(*casework).insist", "errors.Is(gone, jetstream.ErrStreamNotFound)", "gone != nil"},
	}},
	{"cases: the end of a list is not heard", "internal/fleet LastCaseWakes", []edit{
		{"internal/fleet.(*posting).finish", "p.rest()", "_ = p.rest"},
	}},
	{"cases: asked for news again and again", "internal/fleet FewQuestions", []edit{
		{"internal/fleet.(*posting).watch", "every = askEvery", "every = moment"},
	}},
	{"cases: a reserve of what others may have done", "internal/fleet NoReserve", []edit{
		{"internal/fleet.(*posting).post", "p.shelf == nil && s.bare && len(told) == 0", "p.shelf == nil"},
	}},
	{"cases: what was done is in reserve", "internal/fleet OfWhatNobodyHas", []edit{
		{"internal/fleet.(*posting).reserve", "p.stage[i] < ours", "true"},
	}},
	{"cases: no reserve", "internal/fleet TestReserve$", []edit{
		{"internal/fleet.(*posting).post", "p.shelf == nil && s.bare", "p.shelf != nil && s.bare"},
	}},
	{"cases: long ones are kept back", "internal/fleet NoReserve", []edit{
		{"internal/fleet.(*posting).supply", "> longCase", "> 1000*longCase"},
	}},
	{"cases: workers wait for what is kept back", "internal/fleet TestDemand", []edit{
		{"internal/fleet.demand.next", "foresight*rate", "rate"},
	}},
	{"cases: waited for though nobody is asked", "internal/fleet MessagesAreLost", []edit{
		{"internal/fleet.(*posting).glance", "State.Msgs == 0", "State.Msgs == 1<<40"},
	}},
	{"sweep: ranges without their end", "internal/sweep TestAxes", []edit{{"internal/sweep.ParseAxis", "k <= to", "k < to"}}},
	{"sweep: commas in brackets part values", "internal/sweep TestAxes", []edit{{"internal/sweep.walk", "case len(open) == 0:", "default:"}}},
	{"sweep: values twice", "internal/sweep TestAxes", []edit{
		{"internal/sweep.ParseAxis", "slices.Contains(a.Values[:i], v)", "slices.Contains(a.Values[:i], v+v)"},
	}},
	{"sweep: grids without a bound", "internal/sweep TestGrid", []edit{{"internal/sweep.grid", "n > most", "n < 0"}}},
	{"sweep: runs twice", "cmd/r2sgld SweepRefused", []edit{
		{"internal/sweep.(*Config).resolve", "first[string(s.Config)]; twice", "first[string(s.Config)]; false && twice"},
	}},
	{"sweep: a failure ends it", "cmd/r2sgld SweepWithAFailure", []edit{
		{"internal/sweep.(*execution).do", `return x.keep(c, "", err)`, `if err != nil {
		return err
	}
	return x.keep(c, "", nil)`},
	}},
	{"sweep: any run in the folder of a case is that case", "cmd/r2sgld TestSweep$", []edit{
		{"internal/sweep.finished", "err != nil || known != hash", `err != nil || known == ""`}, {"internal/sweep.finished", "r.Hash != hash", `hash == ""`},
	}},
	{"sweep: data where they were", "internal/sweep TestElsewhere", []edit{{"internal/sweep.Run.load", "r.Place(data)", "data"}}},
	{"sweep: the table by the last ESS", "internal/sweep TestLine", []edit{
		{"internal/sweep.(*Line).tell", "math.Min(l.ESS, math.Min(known(p.ESS), known(p.Tail)))", "math.Min(known(p.ESS), known(p.Tail))"},
	}},
	{"sweep: log Z of data that are there", "internal/sweep TestLine", []edit{{"internal/sweep.(*Line).tell", "m != nil", "m != nil && false"}}},
}
