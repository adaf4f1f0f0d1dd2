package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Kind tells the folders that one sort of run writes, and by what names. Of a folder
// only what is on record is ever replaced; a name of the run that something else bears is
// an error.
//
// A name is slash-separated. In it, * stands for anything without a slash that does not
// begin with a dot, # for a number that begins with none of 0, ## … for one of at least so
// many digits, and @ for the name of a chunk.
type Kind struct {
	Manifest string // without this file a folder is none of the kind
	// Files are the names of what may be in a folder with this manifest, itself
	// among them; it must not be nil. Its error says why the manifest is of another
	// kind. The manifest is nil for a folder without.
	Files func(manifest []byte) ([]string, error)
	// Needs are the names of what a new run may write; nil is what Files tells.
	Needs []string
	// Anew are the names of files that a run can do without: one that was changed since is removed when
	// the run goes on, which makes it anew.
	Anew []string
	// Again says that nobody resumes such a run: its command, given again, goes on with it.
	Again bool
}

// RunFiles are what the package itself writes into the folder of a run that has
// draws.
func RunFiles() []string {
	names := append(TrainingFiles(), "draws-#.csv", "draws.zarr/.zgroup", "draws.zarr/.zattrs", "draws.zarr/.zmetadata")
	for _, group := range append([]string{"posterior", "sample_stats", "tempered", "tempered_stats"}, groups...) {
		g := "draws.zarr/" + group
		names = append(names, g+"/.zgroup", g+"/.zattrs", g+"/*/.zarray", g+"/*/.zattrs", g+"/*/@")
	}
	return names
}

// TrainingFiles are those of a run without draws.
func TrainingFiles() []string { return []string{"log.jsonl", "checkpoints/######"} }

// A contents is what was found in a folder of a kind, by slash-separated names.
type contents struct {
	needs   []string // what a run writes there
	own     []string // files of the run
	half    []string // what it left half written
	folders []string // in which they lie, the deepest first
	foreign []string // all else, but not what lies in a folder that is foreign itself
}

// A survey goes through a folder.
type survey struct {
	f           *Folder
	files, dirs *regexp.Regexp // what a run needs
	spared      string         // begins names that a run finds others for
	all         bool           // whatever folder there is may be the run's
	found       contents
}

// survey lists what is in the folder of a run of this kind. It is an error if there is
// anything that a run needs the name of, unless it is on record, or the name begins with
// spared, or if what is on record is of another kind.
func (f *Folder) survey(k Kind, spared string) (*contents, error) {
	if err := f.readRecord(); err != nil {
		return nil, err
	}
	if f.record.alien {
		return nil, errors.New(recordName + " in it is not of a run, but yours: choose another folder")
	}
	data, err := readBounded(f.files, f.Path(k.Manifest), mostDocument)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, advice(err)
	}
	there := err == nil
	names, err := k.Files(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: choose another folder", k.Manifest, err)
	}
	if there && !f.record.found {
		return nil, errNoRecord
	}
	needs := names
	if k.Needs != nil {
		needs = k.Needs
	}
	found, err := (&survey{f: f, files: anyOf(needs), dirs: anyOf(above(needs)), spared: spared, found: contents{needs: needs}}).make()
	if err != nil || there {
		return found, err
	}
	of := anyOf(names)
	for _, name := range found.own {
		if !strings.Contains(name, "/") && !of.MatchString(name) {
			return nil, fmt.Errorf("%s in it is of another command, whose folder this one does not replace: choose another folder", name)
		}
	}
	return found, nil
}

// onRecord is survey where no name is needed.
func (f *Folder) onRecord(all bool) (*contents, error) {
	if err := f.readRecord(); err != nil {
		return nil, err
	}
	return f.ours(all)
}

// ours is onRecord once the record is read.
func (f *Folder) ours(all bool) (*contents, error) {
	return (&survey{f: f, files: anyOf(nil), dirs: anyOf(nil), all: all}).make()
}

func (s *survey) make() (*contents, error) {
	if err := s.walk(""); err != nil {
		return nil, err
	}
	slices.Reverse(s.found.folders)
	return &s.found, nil
}

func (s *survey) walk(dir string) error {
	entries, err := s.f.files.ReadDir(s.f.Path(dir))
	if err != nil {
		return advice(err)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if dir == "" && (name == recordName || isPrivate(name) && !s.all) {
			continue
		}
		own := false
		switch ofDraws := strings.HasPrefix(name, "draws.zarr/"); {
		case e.Type().IsRegular() && strings.HasSuffix(name, temporary):
			s.found.half = append(s.found.half, name)
			continue
		case e.IsDir():
			if own = s.f.record.above[name]; own {
				s.found.folders = append(s.found.folders, name)
			}
			if own || ofDraws || s.all || s.dirs.MatchString(name) {
				if err := s.walk(name); err != nil {
					return err
				}
				continue
			}
		case e.Type().IsRegular():
			if own, err = s.f.owns(name); err != nil {
				return advice(err)
			}
		}
		switch {
		case own:
			s.found.own = append(s.found.own, name)
		case s.spared == "" || !strings.HasPrefix(name, s.spared):
			if err := s.fits(name, e); err != nil {
				return err
			}
			fallthrough
		default:
			s.found.foreign = append(s.found.foreign, name)
		}
	}
	return nil
}

// fits says what is wrong with something that is not on record.
func (s *survey) fits(name string, e fs.DirEntry) error {
	switch file, dir := s.files.MatchString(name), s.dirs.MatchString(name); {
	case file && !e.Type().IsRegular(), dir && !e.IsDir():
		return fmt.Errorf("%s in it is a %s, which no run makes: remove it, or choose another folder", name, typeName(e))
	case file && s.f.record.marks[name] != nil:
		return fmt.Errorf("%s in it was changed since the run wrote it, and a run needs the name: put it back from a copy, move it, or choose "+
			"another folder", name)
	case strings.HasPrefix(name, "draws.zarr/"):
		return fmt.Errorf("%s in it is of no run of ours, and would not fit other draws: move it, or choose another folder", name)
	case file:
		return fmt.Errorf("%s in it is not what a run of ours wrote, and a run needs the name: move it, or choose another folder", name)
	}
	return nil
}

// typeName says what an entry of a folder is.
func typeName(e fs.DirEntry) string {
	switch t := e.Type(); {
	case t&fs.ModeSymlink != 0:
		return "symbolic link"
	case t.IsDir():
		return "folder"
	case t.IsRegular():
		return "file"
	}
	return "special file"
}

// above are the folders that the names lie in.
func above(names []string) []string {
	var dirs []string
	for _, n := range names {
		for d := path.Dir(n); d != "."; d = path.Dir(d) {
			dirs = append(dirs, d)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

var wild = regexp.MustCompile(`#+|\\\*|@`)

// anyOf matches what any of the names stands for.
func anyOf(names []string) *regexp.Regexp {
	var all []string
	for _, n := range names {
		all = append(all, wild.ReplaceAllStringFunc(regexp.QuoteMeta(n), func(w string) string {
			switch {
			case w == "#":
				return `[1-9][0-9]*`
			case w[0] == '#':
				return fmt.Sprintf(`[0-9]{%d,}`, len(w))
			case w == "@":
				return `[0-9]+(\.[0-9]+)*`
			}
			return `[^/.][^/]*`
		}))
	}
	return regexp.MustCompile(`^(` + strings.Join(all, "|") + `)$`)
}
