package stan

import (
	"os"
	"path/filepath"
	"regexp"
)

// include finds what is included, anywhere but in comments and texts, as the Stan compiler does.
var include = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?(?:\*/|$)|#include\s*[<"]?([^<>"\s]+)|"[^"\n]*"`)

// A Source is a file of a program.
type Source struct {
	Path string
	Text []byte
}

// Sources reads a program and the files that it includes, which lie in its folder, in the
// order in which they are met, each once. One that cannot be read is left to the Stan
// compiler to name. The error is that of the program's own file.
func Sources(file string) (program []byte, included []Source, err error) {
	if program, err = os.ReadFile(file); err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	var follow func(text []byte)
	follow = func(text []byte) {
		for _, m := range include.FindAllSubmatch(text, -1) {
			name := string(m[1])
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			path := filepath.Join(filepath.Dir(file), name)
			if b, err := os.ReadFile(path); err == nil {
				included = append(included, Source{path, b})
				follow(b)
			}
		}
	}
	follow(program)
	return program, included, nil
}
