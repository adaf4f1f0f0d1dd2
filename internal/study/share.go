package study

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/r2sgld/r2sgld/internal/cases"
)

// Command is that of the program, which makes sense of a [Case].
const Command = "reproduce"

// A Case is what another machine is asked for: a case of a list of a study.
type Case struct {
	Program string   `json:"program"` // as of a [Task]: what a case is, its code says
	Study   string   `json:"study"`
	Scale   Scale    `json:"scale"`
	Seed    uint64   `json:"seed"`
	List    string   `json:"list"`
	Number  int      `json:"number"` // in the list, from 0
	Before  []string `json:"before"` // files of what the lists before it came to, in their order
}

// A Share has other machines do cases of a study as well.
type Share struct {
	desk   *Desk
	study  string
	others func(list string) cases.Others
	before []string // files of the lists that are gathered
	done   atomic.Int64
}

// Share has others do cases of the study of a name as well; it belongs to one run of the study.
func (d *Desk) Share(study string, others func(list string) cases.Others) *Share {
	return &Share{desk: d, study: study, others: others}
}

// Done is how many cases others have done.
func (s *Share) Done() int { return int(s.done.Load()) }

// outcome is the file that a case leaves.
const outcome = "case"

// with has others work on the cases of a list, which take takes. From then on the folder is one to
// go on in: others may have done some before any has come home.
func (s *Share) with(l *list, w *cases.List, take func(i int, text []byte) error) error {
	w.Others = s.others(l.what)
	w.Case = func(i int) (cases.Case, error) {
		text, err := json.Marshal(Case{s.desk.task.Program, s.study, l.Scale, l.Seed, l.what, i, s.before})
		return cases.Case{Title: fmt.Sprintf("%s, case %d of %d", l.what, i+1, l.n), Command: Command, Config: text, Files: s.before}, err
	}
	w.Home = func(i int, dir, _ string) error {
		text, err := os.ReadFile(filepath.Join(dir, outcome))
		if err == nil {
			_, err = l.took(i, text)
		}
		if err == nil {
			err = take(i, text)
		}
		if err == nil {
			s.done.Add(1)
		}
		return err
	}
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	return s.desk.begin()
}

// gathered is what a list came to.
type gathered struct {
	List  string
	Texts [][]byte // sealed
}

// pass keeps what a list came to, for cases of later ones.
func (s *Share) pass(l *list, texts [][]byte) error {
	text, err := seal(&gathered{l.what, texts})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("cases/%s.%.12x.list", s.study, sha256.Sum256([]byte(l.what)))
	if err := s.desk.write(name, text); err != nil {
		return err
	}
	path, err := filepath.Abs(s.desk.Path(name))
	s.before = append(s.before, path)
	return err
}

// markOf reads the checksum of a sealed file, which tells it from others.
func markOf(path string) (mark string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	var b [sha256.Size]byte
	_, err = f.Read(b[:])
	return string(b[:]), errors.Join(err, f.Close())
}
