package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Kind tells the folders that one sort of run writes, and which files in them
// are its own: those alone are ever replaced.
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
}

// RunFiles are what the package itself writes into the folder of a run that has
// draws.
func RunFiles() []string {
	names := append(TrainingFiles(), "draws-#.csv", "draws.zarr/.zgroup", "draws.zarr/.zattrs", "draws.zarr/.zmetadata")
	for _, group := range []string{"posterior", "sample_stats", "tempered", "tempered_stats", "observed_data"} {
		g := "draws.zarr/" + group
		names = append(names, g+"/.zgroup", g+"/.zattrs", g+"/*/.zarray", g+"/*/.zattrs", g+"/*/@")
	}
	return names
}

// TrainingFiles are those of a run without draws.
func TrainingFiles() []string { return []string{"log.jsonl", "checkpoints/######"} }

// A contents is what was found in a folder of a kind, by slash-separated names.
type contents struct {
	known   bool     // the manifest is there
	own     []string // files of the run, the manifest first
	folders []string // in which they lie, the deepest first
	foreign []string // all else, but not what lies in a folder that is foreign itself
}

// A survey goes through a folder.
type survey struct {
	f           *Folder
	files, dirs *regexp.Regexp
	arrays      map[string]bool // folders of the arrays of its draws; nil where that is not known
	found       contents
}

// replaceable says why files of these names may not be replaced.
func (c *contents) replaceable(k Kind) error {
	for _, name := range c.own {
		if !c.known && !strings.HasSuffix(name, temporary) {
			return fmt.Errorf("it holds %s, but not %s: no run of ours, so that nothing in it is replaced. Choose another folder", name, k.Manifest)
		}
	}
	return nil
}

// survey lists what is in the folder of a run of this kind. It is an error if there
// is anything but files and folders by the names of such a run: no run wrote it.
func (f *Folder) survey(k Kind) (*contents, error) {
	data, err := readBounded(f.files, f.Path(k.Manifest), mostDocument)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, advice(err)
	}
	s := &survey{f: f}
	s.found.known = err == nil
	names, err := k.Files(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: choose another folder", k.Manifest, err)
	}
	s.files, s.dirs = anyOf(names), anyOf(above(names))
	if s.arrays, err = f.arrays(); err != nil {
		return nil, err
	}
	if err := s.walk(""); err != nil {
		return nil, err
	}
	if i := slices.Index(s.found.own, k.Manifest); i > 0 {
		s.found.own = append([]string{k.Manifest}, slices.Delete(s.found.own, i, i+1)...)
	}
	slices.Reverse(s.found.folders)
	return &s.found, nil
}

// arrays lists the arrays of the draws, which are known once these are whole.
func (f *Folder) arrays() (map[string]bool, error) {
	var all struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	data, err := readBounded(f.files, f.Path("draws.zarr/.zmetadata"), mostDocument)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, advice(err)
	case json.Unmarshal(data, &all) != nil || all.Metadata == nil:
		return nil, nil
	}
	arrays := map[string]bool{}
	for name := range all.Metadata {
		if dir, ok := strings.CutSuffix(name, "/.zarray"); ok {
			arrays["draws.zarr/"+dir] = true
		}
	}
	return arrays, nil
}

// stray says whether a name of a folder is that of an array which the run has not.
func (s *survey) stray(name string) bool {
	return s.arrays != nil && strings.HasPrefix(name, "draws.zarr/") && strings.Count(name, "/") == 2 && !s.arrays[name]
}

func (s *survey) walk(dir string) error {
	entries, err := s.f.files.ReadDir(s.f.Path(dir))
	if err != nil {
		return advice(err)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case dir == "" && isPrivate(name):
		case strings.HasSuffix(name, temporary) && e.Type().IsRegular():
			s.found.own = append(s.found.own, name)
		case s.files.MatchString(name) && !e.Type().IsRegular(), s.dirs.MatchString(name) && !e.IsDir():
			return fmt.Errorf("%s in it is a %s, which no run makes: remove it, or choose another folder", name, typeName(e))
		case s.files.MatchString(name):
			s.found.own = append(s.found.own, name)
		case s.dirs.MatchString(name) && !s.stray(name):
			s.found.folders = append(s.found.folders, name)
			if err := s.walk(name); err != nil {
				return err
			}
		case strings.HasPrefix(name, "draws.zarr/"):
			return fmt.Errorf("%s in it is of no run of ours, and would not fit other draws: move it, or choose another folder", name)
		default:
			s.found.foreign = append(s.found.foreign, name)
		}
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
