package store

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestParcel: what is unpacked is what was packed, but for locks and what is half written.
func TestParcel(t *testing.T) {
	at := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(at, "")
		if err != nil {
			t.Fatal(err)
		}
		from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
		want := rapid.MapOf(rapid.StringMatching(`([a-z.]x/){0,2}[a-c]y{1,3}`), rapid.StringN(0, 50, 200)).Draw(r, "files")
		for name, text := range want {
			path := filepath.Join(from, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		_ = os.MkdirAll(from, 0o777)
		for _, name := range []string{lockName, "summary.json" + temporary} {
			if err := os.WriteFile(filepath.Join(from, name), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var parcel bytes.Buffer
		if err := errors.Join(Pack(&parcel, from), Unpack(&parcel, to, 1<<20)); err != nil {
			t.Fatal(err)
		}
		if got := held(t, to); len(got) != len(want) {
			r.Fatalf("%d files of %d", len(got), len(want))
		}
		for name, text := range want {
			if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != text {
				r.Fatalf("%s differs: %v", name, err)
			}
		}
	})
}

// parcelOf is a parcel with one thing in it.
func parcelOf(t *testing.T, h tar.Header, text string) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	h.Size, h.Mode = int64(len(text)), 0o666
	err := w.WriteHeader(&h)
	if err == nil && text != "" {
		_, err = w.Write([]byte(text))
	}
	if err := errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return &b
}

// TestHostileParcels: nothing is written outside of the folder, and no more than was agreed.
func TestHostileParcels(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"above":    {Typeflag: tar.TypeReg, Name: "../evil"},
		"absolute": {Typeflag: tar.TypeReg, Name: "/tmp/evil"},
		"winding":  {Typeflag: tar.TypeReg, Name: "a/../../evil"},
		"itself":   {Typeflag: tar.TypeReg, Name: "."},
		"link":     {Typeflag: tar.TypeSymlink, Name: "evil", Linkname: "/etc"},
		"hard":     {Typeflag: tar.TypeLink, Name: "evil", Linkname: "/etc/passwd"},
		"large":    {Typeflag: tar.TypeReg, Name: "large"},
	} {
		t.Run(name, func(t *testing.T) {
			text := ""
			if h.Typeflag == tar.TypeReg {
				text = strings.Repeat("x", 9)
			}
			dir := t.TempDir()
			most := int64(tarBlock + 9)
			if name == "large" {
				most--
			}
			if err := Unpack(parcelOf(t, h, text), filepath.Join(dir, "to"), most); err == nil {
				t.Error("is unpacked")
			}
			if files := held(t, dir); len(files) != 0 {
				t.Errorf("writes %v", files)
			}
		})
	}
	fits := parcelOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "fits"}, "123456789")
	if err := Unpack(fits, filepath.Join(t.TempDir(), "to"), tarBlock+9); err != nil {
		t.Error(err)
	}
	folder := parcelOf(t, tar.Header{Typeflag: tar.TypeDir, Name: "folder/"}, "")
	if err := Unpack(folder, filepath.Join(t.TempDir(), "to"), tarBlock-1); !errors.Is(err, errLarge) {
		t.Errorf("a folder that takes more than it may: %v", err)
	}
}

// A changing is a writer that has a run do something while its folder is packed.
type changing struct {
	bytes.Buffer
	once func()
}

func (c *changing) Write(b []byte) (int, error) {
	if c.once != nil {
		c.once()
		c.once = nil
	}
	return c.Buffer.Write(b)
}

// TestParcelOfARun: a run that does something of note while it is packed is packed again; the
// parcel goes on from its checkpoint.
func TestParcelOfARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	k := Kind{Manifest: "run.json", Files: func([]byte) ([]string, error) { return append(RunFiles(), "run.json"), nil }}
	f, err := Create(Disk{}, dir, k, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteFile("run.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	save := func() {
		if _, err := f.WriteCheckpoint(&Checkpoint{Name: "a", Sections: []Section{{"s", []byte("state")}}}); err != nil {
			t.Fatal(err)
		}
	}
	save()
	before := Marks(dir)
	w := &changing{once: save}
	if err := Pack(w, dir); !errors.Is(err, ErrUnsettled) {
		t.Errorf("packed while it changed: %v", err)
	}
	if Marks(dir) <= before {
		t.Error("a checkpoint leaves no mark")
	}
	var parcel bytes.Buffer
	to := filepath.Join(t.TempDir(), "to")
	if err := errors.Join(Pack(&parcel, dir), Unpack(&parcel, to, 1<<20)); err != nil {
		t.Fatal(err)
	}
	g, err := Continue(Disk{}, to, k)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if c, _, warnings, err := g.NewestCheckpoint(); err != nil || warnings != nil || len(c.Sections) != 1 {
		t.Errorf("%v %v", warnings, err)
	}
}
