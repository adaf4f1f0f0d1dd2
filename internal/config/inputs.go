package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/r2sgld/r2sgld/internal/stan"
)

// Inputs are the paths of the files that a run is made of beside its configuration, which has
// every default filled in: its data, a Stan program and what it includes. Those of a program in
// another language are not known.
func Inputs(resolved []byte) ([]string, error) {
	var files []string
	if data := DataFile(resolved); data != "" {
		files = append(files, data)
	}
	program, data := stanFiles(resolved)
	if program == "" {
		return files, nil
	}
	_, included, err := stan.Sources(program)
	if err != nil {
		return nil, err
	}
	files = append(files, program)
	for _, i := range included {
		files = append(files, i.Path)
	}
	if data != "" {
		files = append(files, data)
	}
	return files, nil
}

// DataFile is the path of the data in a configuration with every default filled in; "" without.
func DataFile(resolved []byte) string {
	var of struct {
		Data struct{ File string }
	}
	_ = json.Unmarshal(resolved, &of) // what it is not, has none
	return of.Data.File
}

// Executed are the paths of files of the program that computes the potential of such a configuration: its
// words that are files in its folder. The interpreter and what the program reads by itself are not among them.
func Executed(resolved []byte) (files []string) {
	var of struct{ Potential Command }
	_ = json.Unmarshal(resolved, &of)
	for _, word := range of.Potential.Args {
		if !filepath.IsAbs(word) {
			word = filepath.Join(of.Potential.Directory, word)
		}
		if i, err := os.Stat(word); err == nil && i.Mode().IsRegular() {
			files = append(files, word)
		}
	}
	return files
}

// stanFiles are the paths of the Stan program and of its data in such a configuration; "" where
// there are none.
func stanFiles(resolved []byte) (program, data string) {
	var of struct {
		Potential struct{ Stan, Data string }
	}
	_ = json.Unmarshal(resolved, &of)
	return of.Potential.Stan, of.Potential.Data
}

// Moved is a configuration with every default filled in whose files stand elsewhere: place
// says where.
func Moved(resolved []byte, place func(path string) string) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(resolved, &all); err != nil {
		return nil, err
	}
	for section, keys := range map[string][]string{"data": {"file"}, "potential": {"stan", "data"}} {
		var fields map[string]json.RawMessage
		if json.Unmarshal(all[section], &fields) != nil || fields == nil {
			continue
		}
		for _, k := range keys {
			var path string
			if json.Unmarshal(fields[k], &path) != nil || path == "" {
				continue
			}
			b, err := json.Marshal(place(path))
			if err != nil {
				return nil, err
			}
			fields[k] = b
		}
		b, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		all[section] = b
	}
	return json.Marshal(all)
}

// Named has the Stan program of r, and its data, bear the paths that they have in another
// such configuration.
func (r *Resolved) Named(resolved []byte) {
	if s, ok := r.Potential.(*Stan); ok {
		s.File, s.Data = stanFiles(resolved)
	}
}

// StanWithin reports whether the potential of a configuration with every default filled in is a
// Stan program. The error is of one that includes a file outside a folder.
func StanWithin(resolved []byte, folder string) (bool, error) {
	var all, fields map[string]json.RawMessage
	var file string
	if json.Unmarshal(resolved, &all) != nil || json.Unmarshal(all["potential"], &fields) != nil || json.Unmarshal(fields["stan"], &file) != nil {
		return false, nil
	}
	_, included, err := stan.Sources(file)
	if err != nil {
		return true, err
	}
	for _, i := range included {
		if within, err := filepath.Rel(folder, i.Path); err != nil || !filepath.IsLocal(within) {
			return true, fmt.Errorf("the Stan program includes %s, which the run has not sent", filepath.Base(i.Path))
		}
	}
	return true, nil
}
