package watch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
)

// serve shows a folder until the test ends.
func serve(t *testing.T, folder *Folder, more func(*Facts)) *Server {
	t.Helper()
	s, err := Serve("127.0.0.1:0", folder, more)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// answer asks for a path, as it is written.
func answer(t *testing.T, s *Server, method, path string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", method, path)
	r, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(b)
}

// Who does not know the token gets nothing, whatever the path; who does gets the page, the
// facts and the figures of the run, by GET alone, and nothing else.
//
// Mutants it kills: a token that begins like ours; a path without one.
func TestServed(t *testing.T) {
	dir := newRun(t, ofARun...)
	put(t, dir, "figures/trace.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	before := foldertest.Files(t, dir)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, f, nil)
	if want := "http://" + s.listener.Addr().String() + "/" + s.token + "/"; s.URL() != want || len(s.token) < 26 {
		t.Errorf("%s, want %s", s.URL(), want)
	}
	at := "/" + s.token
	for _, path := range []string{"/", "//", "/favicon.ico", at[:len(at)-1] + "/", at + "x/", "/x" + at + "/",
		strings.ToLower(at) + "/", "/../run.json",
		"/figures/trace.svg", "/events", "//" + s.token + "/"} {
		for _, method := range []string{"GET", "POST"} {
			if r, text := answer(t, s, method, path); r.StatusCode != http.StatusForbidden || strings.Contains(text, s.token) {
				t.Errorf("%s %s: %s %s", method, path, r.Status, text)
			}
		}
	}
	for path, kind := range map[string]string{"/": "text/html", "/page.css": "text/css", "/page.js": "text/javascript",
		"/icon.svg":   "image/svg+xml",
		"/facts.json": "application/json", "/figures/trace.svg": "image/svg+xml", "/figures/trace.svg?v=7": "image/svg+xml"} {
		r, text := answer(t, s, "GET", at+path)
		if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), kind) || text == "" ||
			!strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "default-src 'none'; ") || r.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %s %v", path, r.Status, r.Header)
		}
		for _, method := range []string{"HEAD", "POST", "PUT", "DELETE", "OPTIONS"} {
			if r, _ := answer(t, s, method, at+path); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET" {
				t.Errorf("%s %s: %s", method, path, r.Status)
			}
		}
	}
	for _, path := range []string{"/run.json", "/page", "/page.html", "/figures/", "/figures/../run.json", "/figures/..%2frun.json",
		"/figures/none.svg",
		"/figures/%2e%2e/log.jsonl", "/..", "//"} {
		if r, text := answer(t, s, "GET", at+path); r.StatusCode != http.StatusNotFound || strings.Contains(text, "ring") {
			t.Errorf("%s: %s %s", path, r.Status, text)
		}
	}
	if r, _ := answer(t, s, "GET", at); r.StatusCode != http.StatusMovedPermanently || r.Header.Get("Location") != at+"/" {
		t.Errorf("%s %v", r.Status, r.Header)
	}
	var q struct{ Name, State string }
	if _, text := answer(t, s, "GET", at+"/facts.json"); json.Unmarshal([]byte(text), &q) != nil || q.Name != "ring" || q.State != "done" {
		t.Error(text)
	}
	after := foldertest.Files(t, dir)
	if len(before) != len(after) {
		t.Errorf("%d files, before %d", len(after), len(before))
	}
}

// The page asks for nothing from elsewhere, and holds no script of its own: the policy would
// forbid it.
func TestPageAlone(t *testing.T) {
	for rest, file := range files {
		text, err := page.ReadFile(file.name)
		if err != nil {
			t.Fatal(err)
		}
		html := strings.ReplaceAll(string(text), "http://www.w3.org/2000/svg", "")
		for _, bad := range []string{"http:", "https:", "//fonts", "onclick=", "innerHTML", "eval(", "<style", " style="} {
			if strings.Contains(html, bad) {
				t.Errorf("%q has %q", rest, bad)
			}
		}
	}
}

// A pageful is one that reads the events.
type pageful struct {
	events *bufio.Reader
	body   io.Closer
}

func open(t *testing.T, s *Server) *pageful {
	t.Helper()
	client := http.Client{Timeout: 30 * time.Second} // after which it hangs
	r, err := client.Get(s.URL() + "events")
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatal(r.Status, r.Header)
	}
	t.Cleanup(func() { _ = r.Body.Close() })
	return &pageful{bufio.NewReader(r.Body), r.Body}
}

// next is the next event: its kind and its data.
func (p *pageful) next(t *testing.T) (kind, data string) {
	t.Helper()
	for {
		line, err := p.events.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		switch name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); {
		case name == "event":
			kind = value
		case name == "data":
			data = value
		case line == "\n" && data != "":
			return kind, data
		}
	}
}

// A page hears of a run what is new and when it ends; then the server ends too, but pages may
// have fetched the last pictures.
//
// Mutants it kills: facts that are read once; an end without the last facts.
func TestEvents(t *testing.T) {
	dir := newRun(t)
	hold(t, dir)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var answered atomic.Int64
	s := serve(t, f, func(f *Facts) { f.Workers = map[string]int64{"answered": answered.Load()} })
	p := open(t, s)
	told := func(want State, states int64) {
		t.Helper()
		kind, data := p.next(t)
		var m struct {
			Now   int64
			Facts struct {
				State   State
				Workers struct{ Answered int64 }
			}
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil || kind != "" || m.Now == 0 || m.Facts.State != want ||
			m.Facts.Workers.Answered != states {
			t.Fatalf("%v, want %s, %d: %s %s", err, want, states, kind, data)
		}
	}
	told(Beginning, 0)
	grow(t, dir, ofARun[0]+ofARun[1])
	told(WarmingUp, 0)
	answered.Store(7)
	told(WarmingUp, 7)

	grow(t, dir, strings.Join(ofARun[2:], ""))
	over := make(chan struct{})
	go func() {
		s.Close()
		close(over)
	}()
	told(Done, 7)
	if kind, _ := p.next(t); kind != "end" {
		t.Error(kind)
	}
	select {
	case <-over:
		t.Error("the server ends before the page has left")
	default:
	}
	if r, _ := answer(t, s, "GET", "/"+s.token+"/facts.json"); r.StatusCode != http.StatusOK {
		t.Error(r.Status)
	}
	_ = p.body.Close()
	<-over
	s.Close() // again
	if c, err := net.Dial("tcp", s.listener.Addr().String()); err == nil {
		_ = c.Close()
		t.Error("the server goes on")
	}
}

// So many pages are open at once and no more; one that leaves makes room, and pages that never
// read, nor leave, do not hold the end of the server up.
func TestBounded(t *testing.T) {
	dir := newRun(t, ofARun...)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, f, nil)
	var all []*pageful
	for range mostStreams {
		p := open(t, s)
		p.next(t)
		all = append(all, p)
	}
	if r, _ := answer(t, s, "GET", "/"+s.token+"/events"); r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
		t.Error(r.Status)
	}
	if r, _ := answer(t, s, "GET", "/"+s.token+"/facts.json"); r.StatusCode != http.StatusOK {
		t.Error(r.Status)
	}
	_ = all[0].body.Close()
	for range 10000 {
		if len(s.room) < mostStreams {
			break
		}
		time.Sleep(time.Millisecond)
	}
	open(t, s).next(t)

	s.Close()
}

// Connections beyond those that there is room for are turned away; one that ends makes room.
func TestConnectionsAreLimited(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	few := &limited{l, make(chan struct{}, 2)}
	dial := func() net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	accept := func(want net.Conn) net.Conn {
		t.Helper()
		c, err := few.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if got := c.RemoteAddr().String(); got != want.LocalAddr().String() {
			t.Errorf("%s is let in, not %s", got, want.LocalAddr())
		}
		return c
	}
	first := accept(dial())
	defer accept(dial()).Close()
	third := dial()
	late := make(chan net.Conn)
	go func() {
		c, _ := few.Accept()
		late <- c
	}()
	_ = third.SetReadDeadline(time.Now().Add(30 * time.Second)) // after which it hangs
	if _, err := third.Read(make([]byte, 1)); err == nil {
		t.Error("the third is answered")
	}
	_ = first.Close()
	_ = first.Close()
	fourth := dial()
	c := <-late
	defer c.Close()
	if got := c.RemoteAddr().String(); got != fourth.LocalAddr().String() {
		t.Errorf("%s is let in, not %s", got, fourth.LocalAddr())
	}
}

// Addresses: the machine itself without a host; those that are none, or taken, are refused.
func TestAddresses(t *testing.T) {
	f := Coming(filepath.Join(t.TempDir(), "run"))
	s, err := Serve(":0", f, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	taken := s.listener.Addr().String()
	if !strings.HasPrefix(taken, "127.0.0.1:") {
		t.Error(taken)
	}
	for address, want := range map[string]string{"8080": "give :PORT", "": "give :PORT", ":x": "up to 65535", ":70000": "up to 65535",
		":-1": "up to 65535",
		taken: "cannot listen at " + taken, "no.such.host.invalid:0": "cannot listen"} {
		if s, err := Serve(address, f, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", address, err)
			if err == nil {
				s.Close()
			}
		}
	}
	all, err := Serve("0.0.0.0:0", f, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	if name, err := os.Hostname(); err == nil && !strings.HasPrefix(all.URL(), "http://"+name+":") {
		t.Error(all.URL())
	}
}

// What has cases is at work until its log says more, and its cases are told.
func TestCasesAreTold(t *testing.T) {
	for dir, want := range map[string]string{t.TempDir(): "at work", newRun(t, ofARun...): "done"} {
		s := serve(t, Coming(dir), func(f *Facts) { f.Cases = map[string]int{"done": 3} })
		if want == "done" {
			f, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			s = serve(t, f, s.more)
		}
		var q struct {
			State string
			Cases struct{ Done int }
		}
		_, text := answer(t, s, "GET", "/"+s.token+"/facts.json")
		if json.Unmarshal([]byte(text), &q) != nil || q.State != want || q.Cases.Done != 3 {
			t.Errorf("%s, want %s", text, want)
		}
	}
}
