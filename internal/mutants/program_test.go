package mutants

// ofTheProgram are faults of the program, its files and studies.
var ofTheProgram = []fault{
	{"yaml: lists that something follows", "internal/config/yamlpos TestBrokenText",
		[]edit{{"internal/config/yamlpos.unquoted", "case list != nil &&", "case list == nil &&"}}},
	{"barriers looked for at a few points", "internal/modes TestJoins$", []edit{{"internal/modes.(*Target).highest", "range 2", "range 1"}}},
	{"the highest barriers first", "internal/modes TestJoins$", []edit{
		{"internal/modes.(*Target).Joins", "cmp.Compare(a.Energy, b.Energy)", "cmp.Compare(b.Energy, a.Energy)"},
	}},
	{"cores: mean energies around minima of any kind", "internal/modes TestCores", []edit{
		{"internal/modes.(*Target).Cores", "> likeness", "> 1e9*likeness"},
	}},
	{"modes: shares are 1 to the last digit", "internal/report TestBasinsByRounding",
		[]edit{{"internal/report.(*Basins).check", "1+rounding", "1"}}},
	{"barriers through walls", "internal/modes TestJoinsAreUnknown", []edit{
		{"internal/modes.(*Target).highest", "t.Domain != nil &&", "false &&"},
	}},
	{"barriers that are infinite", "internal/modes TestJoinsAreUnknown", []edit{{"internal/modes.(*Target).highest", "e-e != 0", "false"}}},
	{"a tree of basins whose deeper side is anywhere", "internal/figure DisconnectivityTree", []edit{
		{"internal/figure.(*Basins).tree", "t.nodes[b].lowest < t.nodes[a].lowest", "false"},
	}},
	{"runs of other methods taken for old ones", "cmd/r2sgld ModesRefused", []edit{{"cmd/r2sgld.unsought", `method != "auto"`, "false"}}},
	{"shares of draws that are none", "cmd/r2sgld ModesRefused", []edit{{"internal/report.(*Basins).check", "!share(v.Weight)", "false"}}},
	{"the lowest way out of a mode from the bottom of another", "cmd/r2sgld ModesOfARun", []edit{
		{"internal/report.(*Basins).way", "Modes.Modes[i]", "Modes.Modes[0]"},
	}},
	{"gradients of the search for modes that do not count", "cmd/r2sgld ModesOfARun", []edit{
		{"internal/runner.(*execution).doubts", "sum.Gradients += x.searched", "_ = x.searched"},
	}},
	{"store: a file of the user's is taken for the record", "internal/store RecordOfTheUser", []edit{
		{"internal/store.(*Folder).readRecord", "r.alien = len(data) > 0", "r.alien = false"},
	}},
	{"files ours by their names", "internal/store ForeignFiles", []edit{
		{"internal/store.(*Folder).owns", "m.Bytes || info.Size() > m.Bytes", "0"},
		{"internal/store.(*Folder).owns", "m.CRC32C", "sum"},
	}},
	{"files of another command replaced", "cmd/r2sgld ForceReplacesTheSameCommand", []edit{
		{"internal/store.(*Folder).survey", "!of.MatchString(name)", "of == nil"},
	}},
	{"any file on record grows", "internal/store ForgedRecord", []edit{
		{"internal/store.mark.sound", `(growing[m.Name] != "" || chunkKey(m.Name) != "")`, "true"},
		{"internal/store.(*Folder).grown", `head == "" || `, ""},
	}},
	{"any folder on record holds chunks", "internal/store ForgedRecord", []edit{
		{"internal/store.mark.sound", "arrayName.MatchString(m.Name)", "true"},
		{"internal/store.chunkName", `^draws\.zarr/(?:(?:posterior|sample_stats)/[^/]+/`, "^(?:.*/"},
	}},
	{"any name that of a chunk", "internal/store ChangedChunks", []edit{
		{"internal/store.chunkName", "|tempered(?:_stats)?", "|(?:posterior|tempered(?:_stats)?)"},
	}},
	{"chunks ours by their names", "internal/store ChangedChunks", []edit{
		{"internal/store.(*Folder).owns", "marks == nil {", "drawn {"},
	}},
	{"copies by links written in place", "internal/store LinkedCopy", []edit{
		{"internal/store.apart", "nameCount(info) < 2", "nameCount(info) > 0"},
	}},
	{"chunks of any size", "internal/store ChangedChunks", []edit{
		{"internal/store.(*Folder).owns", "whole == 0 ||", "true ||"},
	}},
	{"chunks by the first of their draws", "internal/store ChangedChunks", []edit{
		{"internal/store.(*Folder).owns", "marks = marks[len(marks)-1:]", "marks = marks[:1]"},
	}},
	{"the record of draws that made place for others", "internal/store ChangedChunks", []edit{
		{"internal/store.(*Writer).beginChunk", "there && !stale", "there && (true || stale)"},
	}},
	{"hot rungs not on record", "internal/store ChangedChunks", []edit{
		{"internal/store.(*Writer).enterDraws", "!slices.Contains(r.marks[m.Name], m)",
			"t.segments == 1 && !slices.Contains(r.marks[m.Name], m)"},
	}},
	{"a log never closed", "internal/store AppendedLog", []edit{{"internal/store.(*record).add", "case m.Closed:", "case false:"}}},
	{"whatever follows in a log", "internal/store AppendedLog", []edit{
		{"internal/store.(*Folder).grown", "!strings.HasPrefix(", "false && strings.HasPrefix("},
	}},
	{"what a run needs looked for at its end", "internal/store ForeignFiles", []edit{
		{"internal/store.(*survey).fits", "case file:", "case false:"},
	}},
	{"files of others in draws.zarr", "internal/store ForeignFiles", []edit{
		{"internal/store.(*survey).fits", `strings.HasPrefix(name, "draws.zarr/")`, "false"},
	}},
	{"a chain that counts twice", "cmd/r2sgld DiagnoseOfOneChainTwice", []edit{{"cmd/r2sgld.twice", "same && moving", "false"}}},
	{"chains that stand still are one", "cmd/r2sgld DiagnoseOfOneChainTwice",
		[]edit{{"cmd/r2sgld.twice", "same && moving", "same && (true || moving)"}}},
	{"folders that were moved written where they were", "internal/store FolderMovedAway", []edit{
		{"internal/store.(*place).ours", "os.SameFile(info, p.folder)", "(true || os.SameFile(info, p.folder))"},
	}},
	{"a run that goes on without its folder", "cmd/r2sgld MovedRunEnds", []edit{
		{"internal/runner.(*execution).save", "x.stop(err)", "_ = err"},
	}},
	{"any file read whole for a checkpoint", "internal/store LargeFileIsNoCheckpoint", []edit{
		{"internal/store.(*Folder).NewestCheckpoint", "path, most)", "path, max(most, mostCheckpoint))"},
	}},
	{"chunks inflated without a bound", "internal/store InflatedChunks", []edit{
		{"internal/store.(*zarrArray).take", "m.Compressor != nil &&", "false &&"},
	}},
	{"chunks inflated whole", "internal/store InflatedChunks", []edit{
		{"internal/store.(*placement).fill", "bufio.NewReaderSize(r, 1<<16)", "bufio.NewReaderSize(r, size)"},
	}},
	{"draws of another stride", "internal/store InflatedChunks", []edit{
		{"internal/store.(*placement).place", "i + step - 1 - i%step", "i + (step-i%step)%step"},
	}},
	{"the newest whole checkpoint or nothing", "cmd/r2sgld CheckpointOfNoLadder", []edit{
		{"internal/job.(*Folder).Skip", "!f.Before(path)", "f.Before(path) || true"},
	}},
	{"builds removed unseen", "internal/store ForeignFiles", []edit{
		{"internal/store.(*Folder).checkBuilds", "len(held.foreign) > 0", "false"},
	}},
	{"exchanges that are not tried first", "internal/store NothingIsRemovedInVain", []edit{
		{"internal/store.(*Folder).exchange", "err := f.passable(f.dir); err != nil", "false"},
	}},
	{"a new log in an old record", "internal/store ExchangeFailsOnTheWay", []edit{
		{"internal/store.(*Folder).exchange", "f.dir = ready", "f.dir = f.home"},
	}},
	{"what is ready discarded", "internal/store ExchangeFailsOnTheWay", []edit{
		{"internal/store.(*Folder).Discard", " && !f.Bound()", ""},
	}},
	{"folders of both in the way", "internal/store FoldersOfBoth", []edit{
		{"internal/store.(*Folder).fits", "!there.IsDir()", "there.IsDir()"},
	}},
	{"files of the same name in folders of both", "internal/store FoldersOfBoth", []edit{
		{"internal/store.(*Folder).fits", "err := f.fits(within); err != nil", "err := f.fits(within[:0]); err != nil"},
	}},
	{"changed draws copied", "internal/store ChangedDrawsAreNotCopied", []edit{
		{"internal/store.(*ChainWriter).unchanged", "sum != want[j]", "false && sum != want[j]"},
	}},
	{"draws held against the first chunk", "internal/store ChangedDrawsAreNotCopied", []edit{
		{"internal/store.(*ChainWriter).unchanged", "w.final()[chunk*len(w.tracks):]", "w.final()[0*chunk:]"},
	}},
	{"draws that end within a line", "internal/store StanFilesThatMakeNoSense", []edit{
		{"internal/store.parseStan", "last && len(text) > 0", "false && len(text) > 0"},
	}},
	{"home of a build not looked at", "internal/store HomeOfABuild", []edit{
		{"internal/store.(*Folder).resume", ".Beside()", "alse"},
		{"internal/store.(*Folder).Discard", ".Beside()", "alse"},
	}},
	{"checkpoints of others removed", "internal/store ForeignFiles|Damaged", []edit{
		{"internal/store.(*Folder).WriteCheckpoint", "!f.record.has(checkpointName(n))", "false"},
	}},
	{"any folder ready completed", "internal/store ReadyOfOthers", []edit{
		{"internal/store.(*Folder).settle", "f.checkBuilds, f.whole", "f.checkBuilds"},
	}},
	{"files of others in what is ready", "internal/store ReadyOfOthers", []edit{
		{"internal/store.(*Folder).whole", "len(held.foreign) > 0", "false"},
	}},
	{"what is ready by its record alone", "internal/store ReadyOfOthers", []edit{
		{"internal/store.(*Folder).whole", "!slices.ContainsFunc(places", "false && !slices.ContainsFunc(places"},
	}},
	{"a record that tells of nothing", "internal/store ReadyOfOthers", []edit{
		{"internal/store.(*Folder).whole", "documents == 0", "documents < 0"},
	}},
	{"names of the store's own in what is ready", "internal/store ReadyOfOthers", []edit{
		{"internal/store.(*survey).walk", "isPrivate(name) && !s.all", "isPrivate(name)"},
	}},
	{"builds that hold no run kept", "internal/store FailedBuilds", []edit{
		{"internal/store.(*Folder).beside", "range numbers", "range numbers[:0]"},
	}},
	{"an old run removed when the new one begins", "internal/store TestCreate$", []edit{
		{"internal/store.(*Folder).create", "f.beside(", "errors.Join(f.in(f.home).removeRun(), f.beside()"},
	}},
	{"a run in the root of the file system", "internal/store RootIsRefused", []edit{
		{"internal/store.(*Folder).mustBeFolder", "filepath.Dir(at)", `""`},
	}},
	{"an extension offered where the record is missing", "cmd/r2sgld ResumeWithoutRecord", []edit{
		{"internal/store.Recorded", "run == nil", "run == fs.ErrExist"},
	}},
	{"a draft that is to be resumed", "internal/outlook FailedExchange", []edit{
		{"internal/store.(*Folder).Install", "case f.draft:", "case f.draft && f.log != nil:"},
	}},
	{"log Z that is lost told all the same", "internal/report Lost", []edit{
		{"internal/report.(*Evidence).Doubt", "e.Estimate, e.Error = math.NaN(), math.NaN()", "_ = math.NaN"},
	}},
	{"compare: probabilities beside log Z that is lost", "internal/compare Lost", []edit{
		{"internal/compare.New", "mass = math.NaN()", "_ = mass"},
	}},
	{"compare: log Z that is lost as one that there never was", "cmd/r2sgld LostEvidence", []edit{
		{"cmd/r2sgld.runToCompare", "b != nil && e.Log == nil", "false && b != nil"},
	}},
	{"a gap of log Z that nobody is warned of", "internal/report OneSided", []edit{
		{"tune.Strays", "max(gapLeast, 2*e.GapError)", "gapLeast + 5*e.GapError"},
	}},
	{"every gap of log Z is warned of", "internal/report OneSided", []edit{
		{"tune.Strays", "max(gapLeast, 2*e.GapError)", "2 * e.GapError"},
	}},
	{"progress told every thousand iterations", "internal/report ProgressOfSlow", []edit{
		{"internal/report.(*watcher).Record", "k%16 != 0", "k%1024 != 0"},
	}},
	{"branches of a text that facts do not take, unread", "internal/study ProseThatFits", []edit{
		{"internal/study.(*fitter).branches", "f.walk(otherwise, outer)", "_ = otherwise"},
	}},
	{"the part within a part of a text unread", "internal/study ProseThatFits", []edit{
		{"internal/study.(*fitter).walk", "f.part(n.Name, is)", "_ = is"},
	}},
	{"a Go run without log Z", "internal/runner WriteEvidence", []edit{
		{"internal/runner.(*execution).writeResult", "x.weigh(ctx, res, sum)", "ctx.Err()"},
	}},
	{"a Go run whose volume is not measured", "internal/runner WriteEvidence", []edit{
		{"internal/runner.(*execution).measureVolume", "x.volume = volume{log, se}", "x.volume.se = log * se"},
	}},
	{"a plan without the warnings of the model", "cmd/r2sgld UndeterminedParameters", []edit{
		{"cmd/r2sgld.foreseen", "Model.Warnings, r.", ""},
	}},
	{"warnings of the model last", "cmd/r2sgld UndeterminedParameters", []edit{
		{"internal/runner.(*execution).identified", "0, x.Model.Warnings...)", "len(sum.Warnings), x.Model.Warnings...)"},
	}},
	{"a run that does not tell of steep walls first", "cmd/r2sgld SteepWallIsToldFirst", []edit{
		{"internal/runner.(*execution).walls", "err == nil && at != nil", "false"},
	}},
	{"links followed", "internal/store ForceRefuses", []edit{{"internal/store.Disk.Stat", "Lstat", "Stat"}}},
	{"folders and links taken for files", "internal/store ForceRefuses", []edit{
		{"internal/store.(*survey).fits", "!e.Type().IsRegular(), dir && !e.IsDir()", "dir"},
	}},
	{"lock opened through a link", "internal/store ForceRefuses", []edit{{"internal/store.openAt", "|noFollow", ""}}},
	{"any file taken for a lock", "internal/store ForceRefuses",
		[]edit{{"internal/store.isLock", "err != io.EOF || !lockText.Match(text[:n])", "err == nil && n < 0"}}},
	{"any number taken for that of a process", "internal/store LocksOfOthers", []edit{{"internal/store.lockText", "{0,6}", "*"}}},
	{"a lock by a hard link", "internal/store LocksOfOthers", []edit{{"internal/store.isLock", "nameCount(info) > 1", "false"}}},
	{"folders within that of a run written through links", "internal/store FolderWithinReplaced", []edit{
		{"internal/store.(*place).may", "err == nil && !info.IsDir()", "info == nil"},
	}},
	{"points not looked at where no step fits", "tune Stepless", []edit{{"tune.(*tuner).stepless", "gone > 0", "gone > n"}}},
	{"priors named where there are none", "tune Stepless", []edit{{"tune.(*tuner).stepless", "t.p.Base != nil", "true"}}},
	{"the tail of few values told as a number", "internal/report Doubts", []edit{
		{"internal/report.Parameter.ess", "if p.ESSTail < p.ESSBulk {", "if !(p.ESSTail >= p.ESSBulk) {"},
	}},
	{"sds that are hardly known not told", "internal/report Doubts", []edit{
		{"internal/report.spreads", "1/math.Sqrt(2*enough)", "2/math.Sqrt(2*enough)"},
	}},
	{"slopes far out left out of what is told of a run", "cmd/r2sgld TailsThatDrawsDoNotShow", []edit{
		{"internal/report.New", "sum.Parameters[j].slope = slope", "_, _ = j, slope"},
	}},
	{"slopes far out that a run found left behind", "cmd/r2sgld TailsThatDrawsDoNotShow", []edit{
		{"internal/runner.(*execution).tuned", "out.Searched, out.Slopes", "out.Searched, nil"},
	}},
	{"slopes far out before what draws show", "internal/report Doubts", []edit{
		{"internal/report.spreads", "return p.tail.Rough()", "return p.tail.Rough() && !p.slope.Heavy()"},
	}},
	{"the steepest of slopes for the worst", "internal/report Doubts", []edit{
		{"internal/report.spreads", "return -p.slope.Exponent", "return p.slope.Exponent"},
	}},
	{"outputs that are drawn tell of chains", "internal/runner TestFurther", []edit{
		{"internal/runner.(*execution).follow", "slices.EqualFunc(column[n:], column[:len(all)-n], alike)", "true"},
	}},
	{"doubts of outputs beside those of chains", "internal/runner TestDoubtsOfOutputs", []edit{
		{"internal/runner.(*execution).doubtful", "!shuffled && !report.Mix(sum.Parameters)", "false"},
	}},
	{"doubts of outputs that are drawn", "internal/runner TestDoubtsOfOutputs", []edit{
		{"internal/runner.(*execution).doubtful", "(shuffled || x.followed.tell[j])", "(shuffled || x.followed.tell[j] || j >= 0)"},
	}},
	{"heavy tails taken for chains that do not mix", "internal/runner TestDoubtsOfOutputs", []edit{
		{"internal/report.Mix", "p.agreement() <= wellMixed", "p.MCSESD == 0 && p.agreement() <= wellMixed"},
	}},
	{"outputs of few values tell of chains", "internal/runner TestFurther", []edit{{"internal/runner.varied", "> len(x)/10", "> 0"}}},
	{"formulas of outputs prolong a run", "internal/runner TestFurther", []edit{
		{"internal/runner.(*execution).further", "own[f.names[j]]", "true"},
	}},
	{"outputs of the first round for all", "internal/runner TestFurther", []edit{
		{"internal/runner.(*execution).follow", "x.followed.iterations == f.iterations", "x.followed.iterations >= 0"},
	}},
	{"studies not told from what is no run", "internal/job ReadStudies", []edit{{"internal/job.Read", "f.Path(TaskFile)", `f.Path("run.json")`}}},
	{"a slow compiler told at once", "internal/stan SlowCompilerIsTold", []edit{
		{"internal/stan.Compile", "time.AfterFunc(quick,", "time.AfterFunc(0*quick,"},
	}},
	{"all filled marks called averages of models", "internal/figure TrainingWords", []edit{
		{"internal/figure.(*ScoreTable).keys", `cmp.Or(q.Filled, "average of models")`, `cmp.Or("average of models")`},
	}},
	{"the limit of time named where iterations ended a run", "internal/report LimitIsNamed", []edit{
		{"internal/report.(*Summary).limit", "s.Iterations >= u.Iterations", "s.Iterations > u.Iterations"},
	}},
	{"what was reached named as what was not", "internal/report LimitIsNamed", []edit{
		{"internal/report.(*Summary).unmet", "!(s.Until.ESS >= u.ESS)", "true"},
	}},
	{"stopped short of its own end", "internal/job Interrupted", []edit{
		{"internal/job.(*Interrupted).Error", "e.Done == e.Of", "false"},
		{"internal/job.(*Interrupted).Error", "e.Done < e.Of", "e.Done <= e.Of"},
	}},
	{"a length that takes method auto away not told", "internal/config NoteOfLength", []edit{
		{"internal/config.Programs.run", "err == nil", "false"},
	}},
	{"changed files read", "internal/store ChangedFiles", []edit{{"internal/store.(*record).intact", "m.CRC32C", "sum(m.Bytes)"}}},
	{"the record of fewer draws", "internal/store ChangedChunks", []edit{{"internal/store.(*record).intact", "m.Bytes < least", "false"}}},
	{"draws not on record", "internal/store ChangedFiles", []edit{{"internal/store.(*Writer).enterDraws",
		"!slices.Contains(r.marks[m.Name], m)", "false && !slices.Contains(r.marks[m.Name], m)"}}},
	{"rows of CSV not compared", "internal/store ChangedFiles", []edit{
		{"internal/store.readStan", "of.name, t", `"", t`},
	}},
	{"damaged draws by their size alone", "internal/store DamagedDraws", []edit{
		{"internal/store.(*ChainWriter).verify", "sums[k]", "sum"},
	}},
	{"checksum of the last flush", "internal/store DamagedDraws", []edit{{"internal/store.(*ChainWriter).writeTrack", "(*sum", "(0"}}},
	{"checksum of one rung", "internal/store DamagedDraws", []edit{
		{"internal/store.(*ChainWriter).writeTrack",
			"*sum = crc32.Update(*sum, castagnoli, data)",
			"if r == 0 { *sum = crc32.Update(*sum, castagnoli, data) }"},
		{"internal/store.(*ChainWriter).sum", "t.segments && err == nil", "1"},
	}},
	{"a break within a command", "internal/text TestWrap$", []edit{{"internal/text.words", "< end", "< 0"}}},
	{"no indent of what goes on below", "internal/text TestWrap$", []edit{
		{"internal/text.Wrap", "min(indent+2, width/2)", "0*indent"},
	}},
	{"a break before ±", "internal/text TestWrap$", []edit{{"internal/text.joins", `"±", "%"`, `"%"`}}},
	{"a break after ±", "internal/text TestWrap$", []edit{
		{"internal/text.words", ` || out[k].text == "±" || strings.HasSuffix(out[k].text, " ±")`, ""},
	}},
	{"widths in bytes", "internal/text TestWrap$", []edit{{"internal/text.Columns", "columns.RuneWidth(r", "len(string(r)"}}},
	{"a status that is not erased", "internal/text TestScreen", []edit{
		{"internal/text.(*Screen).Write",
			`		s.last.erase()
`,
			""},
	}},
	{"a status that is not redrawn", "internal/text TestScreen", []edit{
		{"internal/text.(*Screen).Write",
			`		defer s.last.draw()
`,
			""},
	}},
	{"a status as wide as the screen", "internal/text TestScreen", []edit{{"internal/text.(*status).draw", "n-1", "n"}}},
	{"a load that does not end", "internal/config LoadEnds", []edit{{"internal/config.Programs.run", "ended != nil", "false"}}},
	{"the exact kernel looked for in every run", "internal/report ExactKernelIsLookedFor", []edit{
		{"internal/report.(*Summary).warnings", " // which asks the potential", "; s.exact()"},
	}},
	{"checkpoints of a folder looked for by a pattern", "cmd/r2sgld FarewellOfAnyFolder", []edit{
		{"cmd/r2sgld.leavingRun",
			`os.ReadDir(filepath.Join(newest, "checkpoints"`,
			`filepath.Glob(filepath.Join(newest, "checkpoints", "*"`},
	}},
	{"a whole training beside another not exchanged", "cmd/r2sgld CommandsOnTrainings", []edit{
		{"cmd/r2sgld.ended", "newest == dir { // one beside it has yet to take its place", `dir := newest; dir != "" {`},
	}},
	{"the bias of log Z without its error", "internal/runner TestStepBiasIsCounted", []edit{
		{"internal/runner.stepBias", "math.Hypot(coarser*fine.Error, rough.Error)/(coarser-1)", "fine.Error"},
	}},
	{"the bias of log Z with an error of its own", "internal/runner TestStepBiasIsCounted", []edit{
		{"internal/runner.stepBias",
			"bias, math.Hypot(coarser*fine.Error, rough.Error)/(coarser-1)",
			"math.Hypot(bias, se), fine.Error"},
	}},
	{"columns of a matrix not permuted", "internal/config TestMatrixOf", []edit{
		{"internal/config/region.(*Region).readMatrix", "a[order", "a[j+0*order"},
	}},
	{"projected steps are reflected", "internal/config OtherMethods", []edit{
		{"internal/config/sampler.(*Sampler).Settle", "domain.Project", "domain.Specular"},
	}},
	{"smoothing is the strength", "internal/config OtherMethods", []edit{{"internal/config/sampler.(*Sampler).Settings", "1 / ", ""}}},
	{"the form of a penalty is forgotten", "internal/config OtherMethods", []edit{
		{"internal/config/sampler.(*Sampler).Settings", "p.Form == Distance", "false"},
	}},
	{"trajectory: bounds in the coordinates of the parameters", "internal/config DomainInTheChart", []edit{
		{"internal/config/region.(*Region).InChart", ".Log(", ".Abs("},
	}},
	{"trajectory: mixed constraints as they are", "internal/config DomainInTheChart", []edit{
		{"internal/config/region.(*Region).InChart", "!bent", "!bent || j < 0"},
	}},
	{"trajectory: slopes of walls by the parameters", "internal/config/region SurfacesInTheChart", []edit{
		{"internal/config/region.(*chartedEval).Gradient", "e.chart.Covector(g, e.x)", "_ = g"},
	}},
	{"trajectory: whitening of the parameters", "internal/config TakesHMC", []edit{
		{"internal/config.(*loader).charted", "v / ", "v + 0*"},
	}},
	{"draws: priors that do not count", "cmd/r2sgld TestLogPosteriorOfDraws", []edit{{"internal/store.(*ChainWriter).Keep", "lp -= w.beside(x[0])", "lp -= 0"}}},
	{"trajectory: start of the parameters", "internal/config StartsInTheChart", []edit{
		{"internal/config.(*loader).startsInChart", "coordinates(points[i], x)", "copy(points[i], x)"},
	}},
	{"starts outside: all at the point inside", "internal/config ToInside", []edit{{"internal/config.toInside", "(x[j] + v) / 2", "v"}}},
	{"trajectory: starts outside of the domain", "internal/config InitFromPrior", []edit{
		{"internal/config.(*loader).startFromPrior", "l.region.Domain == nil || l.region.Domain.Contains(x)", "true"},
	}},
	{"trajectory: a kernel that is forgotten", "internal/config ResolvedTrajectories", []edit{
		{"internal/config/sampler.(*Choice).samplerKernel", `word == Langevin && m.Auto()`, "false"},
	}},
	{"library: terms in constraints may go", "internal/config OnLibraries", []edit{
		{"internal/config.(*loader).useConstraints", ", names", ", names[:0]"},
	}},
	{"compare: predictions of another run", "internal/compare Observed", []edit{
		{"internal/compare.(*Run).settle", "foreign ||", "foreign && n < 0 ||"},
	}},
	{"reproduce: every file is written again", "cmd/r2sgld ReproduceGoesOn", []edit{
		{"internal/study.Write", "!bytes.Equal(old, f.Data)", "old != nil"},
	}},
	{"many data: unscaled rest", "internal/compare ManyData", []edit{{"internal/compare.(*Predictive).scaleUp", "+ n/m", "- 900"}}},
	{"simulated states: a force of another row", "internal/study/dynamical TestResimulated", []edit{
		{"internal/study/dynamical.(*resimulating).Eval", "e.library.theta(e.path[t])", "e.library.theta(e.path[0])"},
	}},
	{"simulated states: a stage with another weight", "internal/study/dynamical TestResimulated", []edit{
		{"internal/study/dynamical.(*resimulated).advance", "32*(k3.x+k5.x)+12", "30*(k3.x+k5.x)+16"},
	}},
	{"simulated states: what leaves goes on", "internal/study/dynamical TestResimulated", []edit{
		{"internal/study/dynamical.(*resimulated).simulate", "path[t] = x\n\t\t\t}", "path[t] = next\n\t\t\t}"},
	}},
	{"partners: taken though a wall was met", "internal/study/dynamical TestPartnersWithoutWalls", []edit{
		{"internal/study/dynamical.(*inquiry).runAll", "reflected[i].runs[k].Hits == 0 && ", ""},
	}},
	{"contour: no force of Ψ", "internal/study/multimodal ContourLearns", []edit{
		{"internal/study/multimodal.(*contour).walk", "1+w.slope(w.bin(c.u[0]))", "1"},
	}},
	{"contour: draws weigh alike", "internal/study/multimodal ContourLearns", []edit{
		{"internal/study/multimodal.(*contour).walk", "return weight", "return 1 + 0*weight"},
	}},
	{"contour: the bin of another energy learns", "internal/study/multimodal ContourLearns", []edit{
		{"internal/study/multimodal.(*contour).walk", "w.theta[bin] += by", "w.theta[0] += by"},
	}},
	{"tempering: the other temperature's draws", "internal/study/multimodal WalkersHaveTheLaw", []edit{
		{"internal/study/multimodal.(*tempering).walk", "return 1 - float64(w.hot)", "return float64(w.hot)"},
	}},
	{"tempering: swaps without regard to U", "internal/study/multimodal WalkersHaveTheLaw", []edit{
		{"internal/study/multimodal.(*tempering).walk", "delta*c.u[0]", "0*c.u[0]"},
	}},
	{"tempering: a bonus the wrong way round", "internal/study/multimodal WalkersHaveTheLaw", []edit{
		{"internal/study/multimodal.(*tempering).walk", "float64(other-w.hot)", "float64(w.hot-other)"},
	}},
	{"resampling: without weights", "internal/study/multimodal WalkersHaveTheLaw", []edit{
		{"internal/study/multimodal.resampled", "w / total * n", "1 + 0*w*total*n"},
	}},
	{"mixtures: twice as wide", "internal/study/multimodal TestMixtures", []edit{
		{"internal/study/multimodal.(*mixture).formula", "2*g.sd*g.sd", "g.sd*g.sd"},
	}},
	{"mixtures: ridges of another height", "internal/study/multimodal TestMixtures", []edit{
		{"internal/study/multimodal.mixtures", "4 + math.Ln2", "4"},
	}},
	{"KL: draws outside are no lost mass", "internal/study/multimodal ScoresAre", []edit{
		{"internal/study/multimodal.(*cells).score", "float64(all)+0.5*(k+1)", "in+0.5*k"},
	}},
	{"KL: smoothed over K cells", "internal/study/multimodal ScoresAre", []edit{
		{"internal/study/multimodal.(*cells).score", "(k+1)", "k"},
	}},
	{"KL: the wrong way round", "internal/study/multimodal ScoresAre", []edit{
		{"internal/study/multimodal.(*cells).score", "-= q", "-= p"},
	}},
	{"calibration of bins that count alike", "internal/figure TestTrainingWords", []edit{
		{"internal/figure.(*Calibration).words",
			"w * math.Abs(b.Accuracy-b.Confidence",
			"math.Abs(b.Accuracy-b.Confidence) / float64(len(c.Bins)"},
	}},
	{"reflections upside down", "internal/figure TestReflectionPixels", []edit{
		{"internal/figure.(*Reflections).pixels", "len(q.Layers) - 1 - l", "l"},
	}},
	{"runs that diverged everywhere", "internal/figure TestFailures", []edit{{"internal/figure.(*Sweep).failed", "n >", "n >="}}},
	{"batch above the number of images", "internal/config TestBadTrainings", []edit{
		{"internal/config.(*loader).suitImages", "> n", "> 2*n"},
	}},
	{"log-Sobolev: half the gap is taken for it", "internal/reversible TestLogSobolev", []edit{
		{"internal/reversible.(*Chain).LogSobolev", "min(least, found)", "min(least, found+least)"},
	}},
	{"log-Sobolev: no constant is added", "internal/reversible TestLogSobolev", []edit{
		{"internal/reversible.(*Chain).lift", "shift-low)", "0*shift-low)"},
	}},
	{"disk: no mirror at the wall", "internal/scheme TestDisk", []edit{
		{"internal/scheme.(*Kernel).ring", "rice(2*radius-at, c, sd)", "rice(2*radius+1-at, c, sd)"},
	}},
	{"disk: the law of an interval", "internal/scheme TestDisk", []edit{
		{"internal/scheme.Radial", "value - tau*math.Log(x[0])", "value"},
	}},
	{"log-Sobolev: some law is not judged", "internal/study/mixing TestEntropyVerdict", []edit{
		{"internal/study/mixing.bounded", "f.Convex < 1-gapRoom || ", ""},
	}},
	{"swaps: energies of another law", "internal/study/swapping TestLadderHasItsLaw", []edit{
		{"internal/study/swapping.(*ladder).draw", "l.tau[r]", "l.tau[0*r+i]"},
	}},
	{"swaps: a fixed point of other pairs", "internal/study/swapping TestFixedPoint", []edit{
		{"internal/study/swapping.trading", "(cold * ratio)", "cold"},
	}},
	{"swaps: settled at once", "internal/study/swapping TestVerdicts", []edit{
		{"internal/study/swapping.(*Results).settles", "v / 2", "v * 2"},
	}},
	{"swaps: round trips by sweeps alone", "internal/study/swapping TestVerdicts", []edit{
		{"internal/study/swapping.(*Results).faster", "v != f.Attempts.Verdict(runs)", "false"},
	}},
	{"swaps: four is too many", "internal/study/swapping TestVerdicts", []edit{
		{"internal/study.ThreeToFour", "<= 4", "< 4"},
	}},
	{"reversible as printed", "internal/study/mixing TestReversibleVerdict", []edit{
		{"internal/study/mixing.reversibleLaw", "case f.Printed", "case f.Capped"},
	}},
	{"theory: memory compared the wrong way", "internal/config TestBadTheories", []edit{
		{"internal/config.(*theoryLoader).settleGrid", "need >", "need <"},
	}},
	{"equations of the other sign", "internal/config TestEquation", []edit{{"internal/config/region.(*Region).readEquation", "0-b", "b"}}},
	{"reproduce evidence: bars of one standard error", "internal/study/evidence Settle", []edit{
		{"internal/study/evidence.(*Trial).bar", ", 2*", ", "},
	}},
	{"reproduce evidence: of the integral", "internal/study/evidence EvidenceAtAGlance", []edit{
		{"internal/study/evidence.(*task).run", " - t.logVolume", ""},
	}},
	{"plans read a pipe twice", "cmd/r2sgld FromAPipe",
		[]edit{{"cmd/r2sgld.(*common).plan", "Parse(command, path, content, c.set)", "Load(command, path, c.set)"}}},
	{"output that is lost", "cmd/r2sgld TestOutputIsLost", []edit{{"cmd/r2sgld.run", "err = errors.Join(err, out.err)", "_ = 0"}}},
	{"control characters reach the terminal", "cmd/r2sgld TestControlCharacters", []edit{
		{"internal/text.(*Screen).Write", "s.shown(string(b))", "b"},
	}},
	{"letters of pictures as they come", "internal/figure TestLegible", []edit{
		{"internal/figure.legible.FillString", "text)", "text)[:0]+text"},
	}},
	{"nobody ends the programs of a killed owner", "internal/child TestOwnerEnds", []edit{
		{"internal/child.newGroup",
			"`trap \"\" HUP INT QUIT TERM; read -r _; sleep 1; kill -KILL 0`",
			"`trap \"\" HUP INT QUIT TERM; read -r _; true`"},
	}},
	{"auto: limits that nobody asks", "cmd/r2sgld TestLimits", []edit{{"internal/runner.(*Job).exceeded", "l.allowed > 0", "false"}}},
	{"auto: a capped run is finished", "cmd/r2sgld TestLimits", []edit{
		{"cmd/r2sgld.(*common).runFinished", `sum.Until != nil && sum.Until.Capped != ""`, "false"},
	}},
	{"auto: draws of every iteration, in words", "cmd/r2sgld TestLimits", []edit{
		{"internal/runner.(*execution).put", " * res.Ladders[0].Stride", ""},
	}},
}
