package stan

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Toolchain is what makes an executable of a Stan program: the Stan compiler, headers and
// libraries that belong together, and a C++ compiler.
type Toolchain struct {
	Stanc     string   // the Stan compiler
	Includes  []string // folders of headers
	Libraries []string // files
	Compiler  []string // of C++, with its arguments
}

// Missing says that no toolchain was found.
var errMissing = errors.New("no Stan compiler is found: install CmdStan and set CMDSTAN to its folder, or run script/setup stan in a clone " +
	"of r2sgld, or pip install httpstan")

// Find looks for a toolchain: in the folder that R2SGLD_STAN, CMDSTAN or BRIDGESTAN names, where
// CmdStanPy and BridgeStan put theirs, where script/setup puts one, and in python3.
func Find() (*Toolchain, error) {
	compiler, err := findCompiler()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"R2SGLD_STAN", "CMDSTAN", "BRIDGESTAN"} {
		root := os.Getenv(name)
		if root == "" {
			continue
		}
		if t := toolchainIn(root); t != nil {
			t.Compiler = compiler
			return t, nil
		}
		return nil, fmt.Errorf("%s=%s holds no Stan: want a built CmdStan or BridgeStan, or the folder of the package httpstan", name, root)
	}
	for root := range usual {
		if t := toolchainIn(root); t != nil {
			t.Compiler = compiler
			return t, nil
		}
	}
	return nil, errMissing
}

// findCompiler is the C++ compiler: CXX, or one on the PATH.
func findCompiler() ([]string, error) {
	if own := strings.Fields(os.Getenv("CXX")); len(own) > 0 {
		return own, nil
	}
	for _, name := range []string{"g++", "clang++", "c++"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}, nil
		}
	}
	return nil, errors.New("no C++ compiler is found, which Stan programs need: install g++, or set CXX")
}

// usual are folders that a toolchain may be in, the newest of a kind first. Python, which takes longest to say
// where it has one, is asked last.
func usual(yield func(root string) bool) {
	if home, err := os.UserHomeDir(); err == nil {
		for _, pattern := range []string{".cmdstan/cmdstan-*", ".bridgestan/bridgestan-*"} {
			found, _ := filepath.Glob(filepath.Join(home, pattern))
			slices.SortFunc(found, func(a, b string) int { return newer(a, b) })
			for _, root := range found {
				if !yield(root) {
					return
				}
			}
		}
	}
	if dir, err := os.UserCacheDir(); err == nil && !yield(filepath.Join(dir, "r2sgld", "httpstan")) {
		return
	}
	const where = "import importlib.util as u; s = u.find_spec('httpstan'); print(s.submodule_search_locations[0] if s else '')"
	if out, err := exec.Command("python3", "-c", where).Output(); err == nil {
		yield(strings.TrimSpace(string(out)))
	}
}

// newer orders folders by the numbers in their names, the largest first.
func newer(a, b string) int {
	numbers := regexp.MustCompile(`\d+`)
	x, y := numbers.FindAllString(filepath.Base(a), -1), numbers.FindAllString(filepath.Base(b), -1)
	return slices.CompareFunc(y, x, func(p, q string) int { return cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)) })
}

// toolchainIn is the toolchain in a folder: of the package httpstan, or of CmdStan and
// BridgeStan; nil if it is not whole.
func toolchainIn(root string) *Toolchain {
	if root == "" {
		return nil
	}
	if stanc := filepath.Join(root, "stanc"); regularFile(stanc) {
		return whole(stanc, root, []string{"include"}, "lib/libsundials_*.a", "lib/libtbb.so*")
	}
	return whole(filepath.Join(root, "bin", "stanc"), root, []string{"stan/src", "stan/lib/stan_math", "stan/lib/stan_math/lib/eigen_*",
		"stan/lib/stan_math/lib/boost_*", "stan/lib/stan_math/lib/sundials_*/include", "stan/lib/stan_math/lib/sundials_*/src/sundials",
		"stan/lib/stan_math/lib/tbb_*/include", "stan/lib/rapidjson_*"}, "stan/lib/stan_math/lib/sundials_*/lib/libsundials_*.a",
		"stan/lib/stan_math/lib/tbb/libtbb.so*")
}

// whole is a toolchain whose headers and libraries are all there, or nil. Patterns are relative
// to the root; of the libraries of TBB, links to one, the one with the shortest name that the
// loader looks for is taken.
func whole(stanc, root string, includes []string, sundials, tbb string) *Toolchain {
	if !regularFile(stanc) {
		return nil
	}
	t := &Toolchain{Stanc: stanc}
	for _, pattern := range includes {
		found, _ := filepath.Glob(filepath.Join(root, pattern))
		if len(found) == 0 {
			return nil
		}
		t.Includes = append(t.Includes, found...)
	}
	for _, pattern := range []string{sundials, tbb} {
		found, _ := filepath.Glob(filepath.Join(root, pattern))
		if len(found) == 0 {
			return nil
		}
		if pattern == tbb {
			found = found[len(found)-1:]
		}
		t.Libraries = append(t.Libraries, found...)
	}
	return t
}

func regularFile(path string) bool {
	s, err := os.Stat(path)
	return err == nil && s.Mode().IsRegular()
}

// translate returns the C++ of a Stan program, its parameters read with their walls.
func (t *Toolchain) translate(ctx context.Context, file string) (string, error) {
	if _, err := os.Stat(file); err != nil {
		return "", fmt.Errorf("the Stan program: %w", err)
	}
	work, err := os.MkdirTemp("", "r2sgld-stan-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	to := filepath.Join(work, "model.cpp")
	// messages and locations name the file alone: the C++ is the same in any folder
	text, err := output(ctx, filepath.Dir(file), []string{t.Stanc, "--O1", "--name", "program_model", "--include-paths", ".", "--o", to,
		filepath.Base(file)})
	if err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return "", fmt.Errorf("the Stan compiler refuses %s:\n%s", file, text)
	}
	b, err := os.ReadFile(to)
	if err != nil {
		return "", fmt.Errorf("the Stan compiler %s: %w", t.Stanc, err)
	}
	const reader = "stan::io::deserializer<"
	if !strings.Contains(string(b), reader) {
		return "", fmt.Errorf("the C++ that the Stan compiler %s makes is of a version that is not known here: take Stan 2.30 or newer", t.Stanc)
	}
	source := regexp.MustCompile(`stancflags = [^"]*`).ReplaceAllString(string(b), "stancflags = ") // which name a temporary folder
	return strings.ReplaceAll(source, reader, "r2sgld::deserializer<"), nil
}

// link are the words that make an executable of a file of C++.
func (t *Toolchain) link(to, from string) []string {
	args := slices.Concat(t.Compiler, []string{"-std=c++17", "-O2", "-DBOOST_DISABLE_ASSERTS", "-D_REENTRANT", "-w"})
	for _, dir := range t.Includes {
		args = append(args, "-isystem", dir)
	}
	args = append(append(args, "-o", to, from), t.Libraries...)
	for _, file := range t.Libraries {
		if strings.Contains(filepath.Base(file), ".so") {
			args = append(args, "-Wl,-rpath,"+filepath.Dir(file))
		}
	}
	return args
}

// key names what is compiled of a source: it is another where the source, how it is served, the
// compiler or its arguments are.
func (t *Toolchain) key(source string) string {
	version, _ := exec.Command(t.Compiler[0], "--version").Output()
	sum := sha256.New()
	for _, part := range append(t.link("", ""), walls, source, serve, string(version)) {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))[:32]
}
