package dynamical

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

//go:embed data/*.csv.gz
var packed embed.FS

// unpack returns the data of a system as CSV.
func unpack(file string) ([]byte, error) {
	b, err := packed.ReadFile("data/" + file + ".gz")
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return io.ReadAll(r)
}

// lay puts the data of a system into a new folder, from which configurations read
// them, and returns what removes it.
func lay(file string) (dir string, remove func() error, err error) {
	text, err := unpack(file)
	if err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp("", "r2sgld-study-"); err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	if err = os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
		_ = remove()
		return "", nil, err
	}
	return dir, remove, nil
}
