package study

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/store"
)

func TestForceReplacesWhatIsOurs(t *testing.T) {
	dir := t.TempDir()
	s := inventedStudies(t)
	if _, err := writeTo(t, dir, false, s); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "figures", "mine.svg"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := writeTo(t, dir, false, s[1:]); err == nil {
		t.Fatal("a full folder is accepted")
	}
	if n := len(foldertest.Files(t, dir)); n != 9 {
		t.Fatalf("%d files after a refusal", n)
	}
	if _, err := writeTo(t, dir, true, s[1:]); err != nil {
		t.Fatal(err)
	}
	got := foldertest.Files(t, dir)
	if len(got) != 4 || got["figures/mine.svg"] != "mine" {
		t.Errorf("%d files after a replacement, want three of the study and mine.svg", len(got))
	}
}

// An earlier results.json that was changed may name anything: nothing is removed.
func TestForceTrustsNoNames(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "run")
	if _, err := writeTo(t, dir, false, inventedStudies(t)[1:]); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{filepath.Join(top, "mine.svg"), filepath.Join(dir, "mine.svg")} {
		if err := os.WriteFile(f, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	evil := `{"schema": 1, "version": "1", "studies": [1], "figures": ["../mine.svg", "figures/../mine.svg", "mine.svg", "/etc/x", "figures/", "figures/../../mine.svg"]}`
	if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte(evil), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := writeTo(t, dir, true, inventedStudies(t)[1:]); err == nil ||
		!strings.Contains(err.Error(), "results.json in it was changed since the run wrote it") {
		t.Error(err)
	}
	if n := len(foldertest.Files(t, top)); n != 5 {
		t.Errorf("%d files, want 3 and both of mine", n)
	}
}

func TestLargePicturesStayBeside(t *testing.T) {
	s := inventedStudies(t)
	pictures, err := draw(s)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := merge(s)
	if err != nil {
		t.Fatal(err)
	}
	whole, warnings, err := fit(s, nil, claims, pictures, most)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	e := largest(pictures)
	name := e.file
	html, warnings, err := fit(s, nil, claims, pictures, len(whole)-1)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], name) {
		t.Fatal(err, warnings)
	}
	page := parse(t, html)
	if len(page.all("img")) != 2 || !strings.Contains(page.text, name+" lies beside it") {
		t.Errorf("%d images", len(page.all("img")))
	}
	if _, _, err := fit(s, nil, claims, pictures, 1000); err == nil {
		t.Error("a page of 1000 bytes")
	}
}

// A disk that fails at the n-th operation leaves no half file.
func TestNoHalfFile(t *testing.T) {
	s := inventedStudies(t)[1:]
	want := map[string][]byte{}
	made, _, err := render(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range made {
		want[f.Name] = f.Data
	}
	for n := range 12 {
		dir := t.TempDir()
		f, err := store.Draft(&failing{left: n}, dir, folders(), false)
		if err == nil {
			_, err = Write(f, s, nil)
			_ = f.Close()
		}
		for name, data := range foldertest.Files(t, dir) {
			if full, ours := want[name]; ours && string(full) != data {
				t.Errorf("operation %d: half of %s (%v)", n, name, err)
			}
		}
		if err == nil {
			t.Errorf("operation %d: no error", n)
		}
	}
}

// failing is a disk that fails after some operations that write.
type failing struct {
	store.Disk
	left int
}

var errFull = errors.New("disk full")

func (f *failing) spend() error {
	if f.left--; f.left < 0 {
		return errFull
	}
	return nil
}

func (f *failing) Create(name string) (store.File, error) {
	if err := f.spend(); err != nil {
		return nil, err
	}
	file, err := f.Disk.Create(name)
	return &failingFile{file, f}, err
}

func (f *failing) Rename(from, to string) error {
	if err := f.spend(); err != nil {
		return err
	}
	return f.Disk.Rename(from, to)
}

type failingFile struct {
	store.File
	disk *failing
}

func (f *failingFile) Write(p []byte) (int, error) {
	if err := f.disk.spend(); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f *failingFile) Sync() error {
	if err := f.disk.spend(); err != nil {
		return err
	}
	return f.File.Sync()
}
