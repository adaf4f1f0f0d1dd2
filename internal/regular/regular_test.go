//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Pipes, devices, folders and files that are too large are errors at once, without the
// name where that is told by others.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte("1234"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		pipe: "it is no regular file: ", dir: "it is no regular file: ", "/dev/null": "it is no regular file: ",
		file: "it has more than the 3 bytes ", dir + "/none": "no such file",
	} {
		_, err := Read(name, 3)
		var p *fs.PathError
		if !errors.As(err, &p) || p.Path != name || !strings.HasPrefix(Why(err).Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if data, err := Read(file, 4); string(data) != "1234" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}
