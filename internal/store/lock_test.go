//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"bufio"
	"errors"
	"fmt"
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
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if exists(f.Path(lockName)) {
		t.Error("the lock is left")
	}
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
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if !exists(f.Path(lockName)) {
		t.Error("the killed process has removed its lock")
	}
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
