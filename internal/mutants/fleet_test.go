package mutants

// ofFleets are faults of workers on other machines.
var ofFleets = []fault{
	{"workers: what lay while the run computed taken for the way", "internal/fleet TestSure", []edit{
		{"internal/fleet.(*inbox).sure", "> b.since.Sub(sent)/8", "> 0"}}},
	{"workers: what comes while the run computes is sure", "internal/fleet TestSure", []edit{
		{"internal/fleet.(*inbox).sure", "!b.since.IsZero() &&", ""}}},
	{"workers: what is not sure raises the way", "internal/fleet TestNoteWay", []edit{
		{"internal/fleet.(*worker).noteWay", "sure || took < mean", "sure || took != mean"}}},
	{"workers: the last state does not stand for those beyond", "internal/fleet TestSizes", []edit{{"internal/fleet.(*sizes).evaluate", "x[min(i, n-1)*d:]", "x[min(i, 0)*d:]"}}},
	{"workers: a broker that does not create a queue at once is given up", "internal/fleet Reluctant", []edit{
		{"internal/fleet.queueOf", "range mostAsked", "range 1"}}},
	{"workers: a broker that has no room for a queue is asked again", "internal/fleet Reluctant", []edit{
		{"internal/fleet.queueOf", "|| refusal.ErrorCode != uncreated", ""}}},
	{"workers: states are taken together at any price", "internal/fleet TestSizes", []edit{{"internal/fleet.(*sizes).next", "more < sum", "more < 2*sum"}}},
	{"workers: more threads than asked for", "internal/fleet TestThreads", []edit{{"internal/fleet.Open", "chan struct{}, r.Threads", "chan struct{}, r.Threads+1"}}},
	{"workers: states that others answered are owed for ever", "internal/fleet TestOwed", []edit{{"internal/fleet.(*work).here", "w.crew.relieve(m)", ""}}},
	{"workers: what is left over is owed for ever", "internal/fleet TestOwed", []edit{
		{"internal/fleet.(*work).here", "w.crew.relieve(len(states))", ""}}},
	{"workers: what is evaluated here in the end was never owed", "internal/fleet TestOwed", []edit{{"internal/fleet.(*work).again", "w.crew.keep(mine)", ""}}},
	{"workers: all ways are waited for", "internal/fleet TestReach", []edit{
		{"internal/fleet.(*worker).reach", "max(w.way.mean/2, before)", "w.way.mean/2 + before"}}},
	{"workers: what is half done counts in full", "internal/fleet TestBandsInTurn", []edit{
		{"internal/fleet.(*worker).reach", "- now.Sub(w.since).Seconds()", "- 0*now.Sub(w.since).Seconds()"}}},
	{"workers: groups of states that come one by one", "internal/fleet TestDealing", []edit{
		{"internal/fleet.(*dealing).vectors", "t.many.mean < t.few.mean/2", "true"}}},
	{"workers: one that is late looks idle", "internal/fleet TestBandsInTurn", []edit{
		{"internal/fleet.(*Crew).share", "now.After(p.due)", "false"}}},
	{"workers: who may not do cases is told again and again", "internal/fleet TestDenials", []edit{
		{"internal/fleet.(*posting).hear", "refused[r.Worker] ||", ""}}},
	{"workers: groups are torn", "internal/fleet TestParts", []edit{{"internal/fleet.(*queue).part", "size := group", "size := 1"}}},
	{"workers: groups are whole at any price", "internal/fleet TestParts", []edit{{"internal/fleet.(*queue).part", "> slack*best", "> 100*slack*best"}}},
	{"workers: the last states are nobody's", "internal/fleet TestParts", []edit{{"internal/fleet.(*queue).deal", "left > 0", "left >= size"}}},
	{"workers: slots are not counted", "internal/fleet TestParts", []edit{{"internal/fleet.(*desk).with", "(t.states+more+t.slots-1)/t.slots", "t.states+more"}}},
	{"workers: one delay ends the asking", "internal/fleet TestNoteWay", []edit{
		{"internal/fleet.(*worker).noteWay", "if w.way.known", "if false"}}},
	{"workers: an answer of an older block taken for the newest", "internal/fleet OldAnswers", []edit{
		{"internal/fleet.(*Crew).answered", "p := c.asked[a.id]", "p := c.asked[c.blocks]"},
	}},
	{"workers: an answer counted twice", "internal/fleet OldAnswers", []edit{
		{"internal/fleet.(*Crew).answered", "delete(c.asked, a.id)", ""},
	}},
	{"workers: a state given out twice and both counted", "internal/fleet Doubts|LateAnswers", []edit{
		{"internal/fleet.(*work).fill", "if w.done[i] {", "if false {"},
	}},
	{"workers: what nobody can decide is not told", "internal/fleet Doubts", []edit{
		{"internal/fleet.(*Crew).compare", "c.doubts = append(c.doubts, fmt", "_ = append(c.doubts, fmt"}}},
	{"workers: a probe not compared", "internal/fleet BadWorkers|AnyBits", []edit{
		{"internal/fleet.(*Crew).prove", "!c.agree(values, p.proof.values)", "false"},
	}},
	{"workers: one that is near is the same", "internal/fleet AnyBits", []edit{
		{"internal/fleet.(*Crew).agree", "c.AnyBits && near", "near"},
	}},
	{"workers: anything is near", "internal/fleet AnyBits|Same$", []edit{{"internal/fleet.nearness", "1e-8", "1e-1"}}},
	{"workers: variants ignored", "internal/fleet Variants", []edit{
		{"internal/fleet.(*dock).hand", "variantOf(d.potential, t.block.variant)", `variantOf(d.potential, "x")`},
	}},
	{"workers: proved for one variant, taken for all", "internal/fleet Variants", []edit{
		{"internal/fleet.(*Crew).beat", "range c.probes {", "range map[string]bool{\"x\": true} {"},
		{"internal/fleet.(*worker).proven", "w.trades[variant].proven", "true"},
	}},
	{"workers: potentials with noise given away", "internal/fleet Variants", []edit{
		{"internal/fleet.Pure", "&& !noisy", "|| noisy"},
	}},
	{"workers: states of a part in another order", "internal/fleet SameBits$", []edit{
		{"internal/fleet.(*dock).evaluate", "copy(all.values[from:], a.values[:m])", "copy(all.values[b.n-from-m:], a.values[:m])"},
	}},
	{"workers: states of a block in another order", "internal/fleet SameBits$", []edit{
		{"internal/fleet.(*work).send", "for _, i := range p.states {", "for k := range p.states {\n\t\t\ti := p.states[m-1-k]"},
	}},
	{"workers: late answers not compared", "internal/fleet LateAnswers", []edit{
		{"internal/fleet.(*Crew).answered", "c.compare(p, a.values)", ""},
	}},
	{"workers: one that hangs is asked again", "internal/fleet HungWorkers", []edit{
		{"internal/fleet.(*Crew).share", "w.overdue > 0 ||", ""},
	}},
	{"workers: where two differ the first is right", "internal/fleet Doubts", []edit{
		{"internal/fleet.(*work).settle", "w.values[i], w.by[i] = u[0], nil\n\t\tcopy(w.grads[i*d:], g)", ""},
	}},
	{"workers: what is lost with the run's connection is waited for", "internal/fleet LostWith", []edit{
		{"internal/fleet.(*Crew).review", "lost != c.lost", "lost > c.lost+9"}}},
	{"workers: what is lost with their connection is waited for", "internal/fleet LostWith", []edit{
		{"internal/fleet.(*Crew).beat", "b.Reconnects != w.reconnects", "false"}}},
	{"workers: names that are subjects", "internal/fleet Unfit$", []edit{
		{"internal/fleet.(*hello).sound", "plainName(h.Worker, mostName) &&", ""},
	}},
	{"workers: paths that lead elsewhere", "internal/fleet Files$", []edit{
		{"internal/fleet.(*Worker).furnish", `filepath.Clean("/"+filepath.ToSlash(path))`, "path"},
	}},
	{"workers: files that have changed", "internal/fleet Files$", []edit{
		{"internal/fleet.(*Worker).fetch", "hex.EncodeToString(sum.Sum(nil)) != strings.ToLower(f.SHA256)", "false"},
	}},
	{"workers: files fetched again", "internal/fleet Files$", []edit{
		{"internal/fleet.(*Worker).fetch", "known == strings.ToLower(f.SHA256)", `known == ""`},
	}},
	{"workers: any file is one by its hash", "internal/fleet BriefsThatAreNone", []edit{
		{"internal/fleet.(*File).sound", "err == nil && len(b) == sha256.Size", "(err == nil || len(b) >= 0)"},
	}},
	{"workers that ask again are sent away", "internal/fleet JoinsAgain", []edit{
		{"internal/fleet.(*Crew).join", "c.forget(old, farewell", "c.dismiss(old, farewell"}}},
	{"brokers: two in a folder", "internal/fleet BrokersFolder", []edit{{"internal/fleet.alone", `filepath.Join(dir, ".lock")`,
		`filepath.Join(dir, fmt.Sprint(time.Now().UnixNano()))`}}},
	{"brokers: what they complain of is not told", "internal/fleet BrokersFolder", []edit{
		{"internal/fleet.begin", "errors.New(*said)", "fmt.Errorf(\"not within %v\", long)"}}},
	{"brokers: no token", "internal/fleet OnlyWithTheToken", []edit{{"internal/fleet.Listen", "Authorization: token,", ""}}},
	{"brokers: TLS for those who like it", "internal/fleet TLS", []edit{{"internal/fleet.Listen", "certificate != nil {", "false {"}}},
	{"messages tell the token", "internal/fleet Connect$", []edit{{"internal/fleet.plain", "token && ok", "token && !ok"}}},
	{"workers run any program", "cmd/r2sgld WorkRefuses", []edit{{"cmd/r2sgld.sent", "commands || inStan", "commands || !inStan"}}},
	{"lines: a message that is lost is not missed", "internal/fleet LostMessages", []edit{
		{"internal/fleet.(*line).hear", "binary.LittleEndian.Uint64(m) != l.heard", "false"},
	}},
	{"lines: any number of bytes is kept", "internal/fleet LostMessages", []edit{
		{"internal/fleet.(*line).keep", "l.held > 4*window", "false"},
	}},
	{"lines: files of any name", "internal/fleet LostMessages", []edit{
		{"internal/fleet.(*line).hear", "!g.sound()", "false"},
	}},
	{"lines: files of any size", "internal/fleet LostMessages", []edit{
		{"internal/fleet.(*line).hear", "g.Size > mostGift", "false"},
	}},
	{"lines: a file is sent again and again", "internal/fleet TestLine$", []edit{
		{"internal/fleet.(*gifts).of", "g.known[name]; ok", `g.known[""]; ok`},
	}},
	{"lines: files keep their names", "internal/fleet GiftsLeaveNothing", []edit{
		{"internal/fleet.(*gifts).of", "os.Remove(f.Name()) != nil", `f.Name() != ""`},
	}},
	{"loans: any device", "internal/fleet LendsWhatItHas", []edit{
		{"internal/fleet.(*loan).open", "!slices.Contains(l.Kit.Devices, o.Device)", `!slices.Contains(l.Kit.Devices, o.Device) && o.Device == ""`},
	}},
	{"loans: any number of programs", "internal/fleet LendsWhatItHas", []edit{
		{"internal/fleet.(*loan).admit", "n >= mostLines", "n > mostLines"},
	}},
	{"loans: any library", "cmd/r2sgld UnfitDevices", []edit{
		{"cmd/r2sgld.(*afar).unfit", "d.Library != a.library", "false"},
	}},
	{"loans: any kind of device", "cmd/r2sgld UnfitDevices", []edit{
		{"cmd/r2sgld.(*afar).unfit", "!kind(d.Name)", "false"},
	}},
	{"loans: devices that are lost again and again", "cmd/r2sgld UnfitDevices", []edit{
		{"cmd/r2sgld.(*afar).Lost", "l.lost >= mostLost", "l.lost == mostLost+1"},
	}},
}
