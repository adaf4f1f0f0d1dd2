//go:build unix

package child

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// TestMain lets the test binary be the owner of a program: it starts the script that it
// is given and waits.
func TestMain(m *testing.M) {
	script := os.Getenv("R2SGLD_CHILD_OWNER")
	if script == "" {
		os.Exit(m.Run())
	}
	p, err := Start(exec.Command("sh", "-c", script))
	if err != nil {
		os.Exit(1)
	}
	_, _ = bufio.NewReader(p.Out).ReadString('\n')
	_, _ = os.Stdout.WriteString("ready\n")
	select {}
}

// deaf is a script that hears nothing and starts another one that holds all streams.
const deaf = `trap "" HUP INT TERM; sleep 1000 & echo $! >"%"; echo; sleep 1000`

// script is deaf, with the file of the number of what it starts.
func script(t *testing.T) (text, file string) {
	file = filepath.Join(t.TempDir(), "pid")
	return strings.ReplaceAll(deaf, "%", file), file
}

// ended waits for the end of the process whose number is in the file.
func ended(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		t.Fatalf("process %q, %v", text, err)
	}
	for range 1500 {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		_, state, _ := bytes.Cut(stat, []byte(") "))
		if syscall.Kill(pid, 0) != nil || bytes.HasPrefix(state, []byte("Z")) { // which nobody has waited for
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d goes on", pid)
}

// Stop and Kill end a program and what it started; twice is once. Kills groups without
// a number of their own, and groups that are only killed when they are late.
func TestStop(t *testing.T) {
	for _, end := range []func(*Process){func(p *Process) { p.Stop(time.Millisecond) }, func(p *Process) { p.Kill(); p.Stop(time.Hour) }} {
		text, file := script(t)
		p, err := Start(exec.Command("sh", "-c", text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(p.Out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		end(p)
		ended(t, file)
		p.Stop(0)
		p.Kill()
		if !Killed(p.State()) || !p.Stopped() {
			t.Errorf("it ended by %v", p.State())
		}
	}
	text, file := script(t)
	p, err := Start(exec.Command("sh", "-c", strings.Replace(text, "echo; sleep 1000", "echo last words >&2; exit 3", 1)))
	if err != nil {
		t.Fatal(err)
	}
	p.Stop(time.Hour)
	if ended(t, file); p.State().ExitCode() != 3 || p.Last() != "  last words" {
		t.Errorf("it ended by %v and said %q", p.State(), p.Last())
	}
	if _, err := Start(exec.Command("no-such-program-here")); err == nil {
		t.Error("a program that is none was started")
	}
}

// StopAll ends all programs that go on, and their processor time is this program's then; it waits for
// those that end by themselves.
func TestStopAll(t *testing.T) {
	const busy = `read -r _; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 4`
	spent := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano())
	}
	var all []*Process
	for range 2 {
		p, err := Start(exec.Command("sh", "-c", busy))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	before := spent()
	StopAll(time.Hour)
	for _, p := range all {
		if !p.Stopped() || p.State().ExitCode() != 4 {
			t.Errorf("it ended by %v", p.State())
		}
	}
	if after := spent(); after == before {
		t.Error("no time was spent")
	}
	for p := range alive.Range {
		t.Errorf("%v goes on", p)
	}
}

// A program that has left its group is killed as well, and one that another goroutine stops is waited for.
func TestStopAllWaits(t *testing.T) {
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip("no setsid here")
	}
	p, err := Start(exec.Command(setsid, "sleep", "1000"))
	if err != nil {
		t.Fatal(err)
	}
	go p.Stop(time.Millisecond)
	for !p.Stopped() {
		time.Sleep(time.Millisecond)
	}
	StopAll(time.Hour)
	if s := p.State(); s == nil || !Killed(s) {
		t.Errorf("it ended by %v", s)
	}
}

// However the owner ends, so does the program with what it started. Under nohup the owner
// would be deaf to SIGHUP, unless who starts it listens.
func TestOwnerEnds(t *testing.T) {
	pace.Slow(t)
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	for _, end := range []syscall.Signal{syscall.SIGKILL, syscall.SIGHUP, syscall.SIGTERM} {
		text, file := script(t)
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "R2SGLD_CHILD_OWNER="+text)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if err := c.Process.Signal(end); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		ended(t, file)
	}
}

// Of standard error the end is kept, whatever its length.
func TestTail(t *testing.T) {
	var b strings.Builder
	for i := range 10000 {
		b.WriteString("line " + strconv.Itoa(i) + "\n")
	}
	var short tail
	_, _ = io.Copy(&short, strings.NewReader(b.String()))
	if got := short.last(); got != "  line 9994\n  line 9995\n  line 9996\n  line 9997\n  line 9998\n  line 9999" ||
		cap(short.bytes) > 4*kept {
		t.Errorf("%q in %d bytes", got, cap(short.bytes))
	}
}
