// Package mutants puts faults into the source, one at a time, and holds that a test
// notices each. Its tables name the function, the text in it and what stands there
// instead; files are not changed, as the compiler reads the fault from an overlay.
package mutants

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// A fault is a change of the source that a test must notice.
type fault struct {
	name  string
	test  string // the folder of its package and a pattern of names, as in "tune Auto|Plan"
	edits []edit
}

// An edit replaces the one place where a text stands in a declaration.
type edit struct {
	in  string // folder and declaration, as in "tune.(*loop).next"; the root's folder is empty
	was string
	is  string
}

// all are the faults of all tables, in a fixed order.
func all() []fault {
	tables := [][]fault{ofSampling, ofDomains, ofModels, ofRows, ofMathematics, ofTheProgram, ofNetworks, ofCrowds, ofFleets, ofCases, ofWatching,
		ofMonotone}
	return slices.Concat(tables...)
}

// root is the folder of the module.
const root = "../.."

// files parses the source of a folder once.
var files = func() func(folder string) (map[string]*source, error) {
	var mu sync.Mutex
	read := map[string]map[string]*source{}
	return func(folder string) (map[string]*source, error) {
		mu.Lock()
		defer mu.Unlock()
		if s, ok := read[folder]; ok {
			return s, nil
		}
		s, err := parse(folder)
		read[folder] = s
		return s, err
	}
}()

// A source is a file and where its declarations stand in it.
type source struct {
	text  []byte
	decls map[string][2]int
}

// parse reads the source of a folder, tests aside, by the names of its files.
func parse(folder string) (map[string]*source, error) {
	names := must(filepath.Glob(filepath.Join(root, folder, "*.go")))
	all := map[string]*source{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s := &source{text, map[string][2]int{}}
		for _, d := range f.Decls {
			s.add(set, d)
		}
		all[name] = s
	}
	return all, nil
}

func (s *source) add(set *token.FileSet, d ast.Decl) {
	place := func(n ast.Node) [2]int {
		return [2]int{set.Position(n.Pos()).Offset, set.Position(n.End()).Offset}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		s.decls[function(d)] = place(d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.decls[spec.Name.Name] = place(spec)
			case *ast.ValueSpec:
				s.decls[spec.Names[0].Name] = place(spec)
			}
		}
	}
}

// function is the name of a function, with the type of its receiver if it has one, as
// in "(*block).move".
func function(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t, star := d.Recv.List[0].Type, false
	if p, ok := t.(*ast.StarExpr); ok {
		t, star = p.X, true
	}
	switch p := t.(type) { // of a type with parameters
	case *ast.IndexExpr:
		t = p.X
	case *ast.IndexListExpr:
		t = p.X
	}
	name := t.(*ast.Ident).Name
	if star {
		name = "(*" + name + ")"
	}
	return name + "." + d.Name.Name
}

// A patch replaces so many bytes of a file.
type patch struct {
	file     string
	at, size int
	is       string
}

// patch finds the place of the edit.
func (e edit) patch() (patch, error) {
	slash := strings.LastIndex(e.in, "/")
	dot := slash + 1 + strings.Index(e.in[slash+1:], ".")
	folder, decl := e.in[:dot], e.in[dot+1:]
	sources, err := files(folder)
	if err != nil {
		return patch{}, err
	}
	var found []patch // a declaration may stand in the files of several systems
	for name, s := range sources {
		at := s.decls[decl]
		text := s.text[at[0]:at[1]]
		if n := bytes.Count(text, []byte(e.was)); n > 1 {
			return patch{}, fmt.Errorf("%s: %q stands there %d times", e.in, e.was, n)
		}
		if k := bytes.Index(text, []byte(e.was)); k >= 0 {
			found = append(found, patch{name, at[0] + k, len(e.was), e.is})
		}
	}
	if len(found) != 1 {
		return patch{}, fmt.Errorf("%s: %q stands in %d declarations", e.in, e.was, len(found))
	}
	return found[0], nil
}

// source is the changed files of a fault, by name.
func (f fault) source() (map[string][]byte, error) {
	var patches []patch
	for _, e := range f.edits {
		p, err := e.patch()
		if err != nil {
			return nil, err
		}
		patches = append(patches, p)
	}
	// from the end of a file on, so that places stay where they are
	slices.SortFunc(patches, func(a, b patch) int { return cmp.Compare(b.at, a.at) })
	changed := map[string][]byte{}
	for _, p := range patches {
		text, ok := changed[p.file]
		if !ok {
			text = must(os.ReadFile(p.file))
		}
		changed[p.file] = slices.Concat(text[:p.at], []byte(p.is), text[p.at+p.size:])
	}
	return changed, nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestFaultsFit holds that each fault can still be put into the source and compiles there:
// a fault that does not is killed by nothing and tests nothing.
func TestFaultsFit(t *testing.T) {
	pace.Slow(t)
	seen := map[string]bool{}
	check := compiler(t)
	for _, f := range all() {
		changed, err := f.source()
		if err == nil {
			err = check(changed)
		}
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if seen[f.name] {
			t.Errorf("%s is there twice", f.name)
		}
		seen[f.name] = true
	}
}

// compiler checks the types of the packages in which files are changed. What a package
// imports is as it is without the change.
func compiler(t *testing.T) func(changed map[string][]byte) error {
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./...")
	list.Dir = root
	exports := map[string]string{}
	for line := range strings.Lines(string(must(list.Output()))) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	set := token.NewFileSet()
	read := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	kept := map[string]*ast.File{} // as they are
	files := map[string][]string{}
	return func(changed map[string][]byte) error {
		folders := map[string]bool{}
		for name := range changed {
			folders[filepath.Dir(name)] = true
		}
		for folder := range folders {
			if files[folder] == nil {
				files[folder] = must(build.ImportDir(folder, 0)).GoFiles
			}
			var parsed []*ast.File
			for _, name := range files[folder] {
				name = filepath.Join(folder, name)
				f, err := kept[name], error(nil)
				if text, ok := changed[name]; ok {
					f, err = parser.ParseFile(set, name, text, parser.SkipObjectResolution)
				} else if f == nil {
					f, err = parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
					kept[name] = f
				}
				if err != nil {
					return err
				}
				parsed = append(parsed, f)
			}
			checker := types.Config{Importer: read, Sizes: types.SizesFor("gc", runtime.GOARCH)}
			if _, err := checker.Check(folder, set, parsed, nil); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestFaultsAreKilled puts in the faults whose names R2SGLD_MUTANTS, a regular
// expression, matches; R2SGLD_PART, as in 2/6, is every sixth of them. Tests that draw
// their cases draw the same ones every time: what kills a fault once kills it always.
func TestFaultsAreKilled(t *testing.T) {
	match := os.Getenv("R2SGLD_MUTANTS")
	if match == "" {
		t.Skip("R2SGLD_MUTANTS is not set: make mutants tries all")
	}
	wanted := regexp.MustCompile(match)
	part, of := 0, 1
	if share := os.Getenv("R2SGLD_PART"); share != "" {
		if _, err := fmt.Sscanf(share, "%d/%d", &part, &of); err != nil || part < 0 || of <= part {
			t.Fatalf("R2SGLD_PART=%s is not such as 2/6, which counts from 0/6", share)
		}
	}
	listed := 0
	for _, f := range all() {
		if !wanted.MatchString(f.name) {
			continue
		}
		if listed++; listed%of != part {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			t.Log("killed by " + f.killer(t))
		})
	}
	if listed == 0 {
		t.Errorf("no name of a fault matches %q", match)
	}
}

var failure = regexp.MustCompile(`--- FAIL: ([A-Za-z0-9_/.]+)`)

// killer is the test that notices the fault; the test fails where none does.
func (f fault) killer(t *testing.T) string {
	changed, err := f.source()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for k, name := range slices.Sorted(maps.Keys(changed)) {
		full := must(filepath.Abs(name))
		replace[full] = filepath.Join(dir, fmt.Sprintf("%d.go", k))
		if err := os.WriteFile(replace[full], changed[name], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	overlay := must(json.Marshal(map[string]any{"Replace": replace}))
	file, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutant.test")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	folder, tests, _ := strings.Cut(f.test, " ")
	folder = filepath.Join(root, folder)
	compile := exec.CommandContext(t.Context(), "go", "test", "-c", "-ldflags=-s -w", "-overlay", file, "-o", binary, ".")
	compile.Dir = folder
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("does not compile: %s", out)
	}
	run := exec.CommandContext(t.Context(), binary, "-test.v", "-test.run", tests, "-test.failfast", "-test.timeout", "120s")
	run.Dir = folder
	run.Env = append(os.Environ(), "RAPID_SEED="+seed(), "RAPID_SHRINKTIME=0s", "RAPID_NOFAILFILE=1")
	out, err := run.CombinedOutput()
	switch {
	case err == nil && bytes.Contains(out, []byte("make torch builds it")): // says a test that is skipped
		t.Skip("not run: make torch")
	case err == nil:
		t.Fatalf("lives after %s", f.test)
	}
	if m := failure.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	return tests
}

// seed is that of drawn cases: RAPID_SEED tries others than the first.
func seed() string {
	if s := os.Getenv("RAPID_SEED"); s != "" {
		return s
	}
	return "1"
}
