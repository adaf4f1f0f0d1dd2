//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary hold a run folder for a test of the lock.
func TestMain(m *testing.M) {
	dir := os.Getenv("R2SGLD_STORE_HOLD")
	if dir == "" {
		os.Exit(m.Run())
	}
	if _, err := Continue(Disk{}, dir, anyRun); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// One process at a time writes in a run folder; who it is is said. Reading goes
// on, and a lock dies with its process. Kills locks that are files alone.
func TestOneWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Create(Disk{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteJSON("run.json", report{1, "held"}); err != nil {
		t.Fatal(err)
	}
	refused := func(who string) {
		t.Helper()
		_, err1 := Continue(Disk{}, dir, anyRun)
		_, err2 := Create(Disk{}, dir, anyRun, true)
		for _, err := range []error{err1, err2} {
			if err == nil || !strings.Contains(err.Error(), dir+" is being written by "+who) {
				t.Errorf("%v, want …%s…", err, who)
			}
		}
		if !exists(f.Path("run.json")) {
			t.Error("refusing has removed something")
		}
		if _, err := Open(dir); err != nil {
			t.Error(err)
		}
	}
	refused("this very process")
	writing := func(want bool) {
		t.Helper()
		if Writing(dir) != want {
			t.Errorf("that somebody writes is said to be %v", !want)
		}
	}
	writing(true)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if exists(f.Path(lockName)) {
		t.Error("the lock is left")
	}
	writing(false)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "R2SGLD_STORE_HOLD="+dir)
	if _, err := child.StdinPipe(); err != nil { // so that it waits
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("%q %v", line, err)
	}
	refused(fmt.Sprintf("another r2sgld (process %d)", child.Process.Pid))
	writing(true)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if !exists(f.Path(lockName)) {
		t.Error("the killed process has removed its lock")
	}
	writing(false)
	f, err = Continue(Disk{}, dir, anyRun)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = Create(Disk{}, dir, anyRun, true); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// A lock that someone left, or that lies there alone, is in nobody's way; where
// it cannot be taken the reason is given.
func TestLockFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, lockName), []byte("1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Create(Disk{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := Continue(&faulty{n: 2, err: syscall.EACCES}, dir, anyRun); !errors.Is(err, os.ErrPermission) ||
		!strings.Contains(err.Error(), "check the permissions") {
		t.Error(err)
	}
}

// A file that a process might have left, but did not, is no lock, nor is one that has
// another name: it stays as it is.
//
// Mutants it kills: any number taken for that of a process; a lock by a hard link.
func TestLocksOfOthers(t *testing.T) {
	for _, text := range []string{"20261125\n", "20261125", "1\n2\n", "0\n", "12", "\n", "linked"} {
		dir := t.TempDir()
		lock, other, says := filepath.Join(dir, lockName), filepath.Join(t.TempDir(), "number"), "is no lock of ours"
		err := os.WriteFile(lock, []byte(text), 0o666)
		if text == "linked" {
			text, says = "12345\n", "has another name"
			err = errors.Join(err, os.Remove(lock), os.WriteFile(other, []byte(text), 0o666), os.Link(other, lock))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Create(Disk{}, dir, anyRun, false); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
		if data, err := os.ReadFile(lock); err != nil || string(data) != text {
			t.Errorf("%q is now %q, %v", text, data, err)
		}
	}
}

// A run that goes on writes nothing in a copy of its folder whose files are links to its
// own.
//
// Mutant it kills: files written in place, whatever other names they have.
func TestLinkedCopyStays(t *testing.T) {
	top := t.TempDir()
	dir, copied := filepath.Join(top, "run"), filepath.Join(top, "copy")
	f, err := Create(quick{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	state := begun(t, f, 5, 0, nil, true)
	for name := range held(t, dir) {
		to := filepath.Join(copied, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.Link(filepath.Join(dir, name), to)); err != nil {
			t.Fatal(err)
		}
	}
	was := held(t, copied)
	if f, err = Continue(quick{}, dir, anyRun); err != nil {
		t.Fatal(err)
	}
	l, err := f.Logger()
	if err != nil {
		t.Fatal(err)
	}
	l.Info("extended")
	begun(t, f, 8, 0, state, true)
	if now := held(t, copied); !maps.Equal(was, now) {
		t.Errorf("changed: %v", changed(was, now))
	}
	if d, err := Read(0, dir); err != nil || d.Kept != 8 {
		t.Errorf("extended: %v, %v", d, err)
	}
	if d, err := Read(0, copied); err != nil || d.Kept != 5 {
		t.Errorf("the copy: %v, %v", d, err)
	}
}
