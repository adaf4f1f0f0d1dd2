package fleet

import (
	"bytes"
	"os"
	"runtime"
	"testing"
)

// TestGiftsLeaveNothing: what is given is read piece by piece, is there once, and has no name while it is
// there, so that a run that is killed leaves none of it.
func TestGiftsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var g gifts
	long := bytes.Repeat([]byte("0123456789"), piece/8)
	for range 2 {
		if one, err := g.of(long); err != nil || one.Number != 0 || one.Size != int64(len(long)) {
			t.Fatal(one, err)
		}
	}
	if one, err := g.of([]byte("other")); err != nil || one.Number != 1 {
		t.Fatal(one, err)
	}
	if left, err := os.ReadDir(dir); runtime.GOOS != "windows" && (err != nil || len(left) > 0) {
		t.Errorf("%v has names, %v", left, err)
	}
	for question, want := range map[string][]byte{
		`{"file":0,"at":0}`: long[:piece], `{"file":0,"at":524288}`: long[piece:], `{"file":1,"at":0}`: []byte("other"),
		`{"file":1,"at":5}`: nil, `{"file":1,"at":-1}`: nil, `{"file":2}`: nil, `{"file":-1}`: nil, `x`: nil,
	} {
		if got := g.read([]byte(question)); !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d", question, len(got), len(want))
		}
	}
	if err := g.close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
