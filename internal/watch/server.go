package watch

import (
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed page
var page embed.FS

// files are those of the page, by the rest of their path.
var files = map[string]struct{ name, kind string }{
	"":         {"page/page.html", "text/html; charset=utf-8"},
	"page.css": {"page/page.css", "text/css; charset=utf-8"},
	"page.js":  {"page/page.js", "text/javascript; charset=utf-8"},
	"icon.svg": {"page/icon.svg", "image/svg+xml"},
}

// What a server allows itself, and its clients.
const (
	mostConnections = 128
	mostStreams     = 32
	tick            = time.Second            // between two looks at the run
	fresh           = 500 * time.Millisecond // facts are not read again
	alive           = 15 * time.Second       // between two signs of life
	patience        = 10 * time.Second       // for a client to take, or send, something
	farewell        = time.Second            // for pages to fetch the last pictures
)

// A Server shows a run to who has its URL.
type Server struct {
	folder   *Folder
	more     func(*Facts)
	token    string
	host     string
	listener net.Listener
	http     *http.Server
	room     chan struct{} // for streams
	over     chan struct{} // closed when the run is
	close    func()

	mu   sync.Mutex
	last []byte // facts, as JSON
	at   time.Time
}

// Serve serves the page of a run at an address such as :8080 or 10.0.0.5:8080; without a host
// it is reached from this machine alone. more completes what the folder tells; nil is nothing.
func Serve(address string, folder *Folder, more func(*Facts)) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q: %w: give :PORT, or HOST:PORT for others to reach it", address, err)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return nil, fmt.Errorf("the address %q: a port is a number up to 65535", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("cannot listen at %s: %w: give another address, or :0 for any free port", address, err)
	}
	s := &Server{folder: folder, more: more, token: rand.Text(), host: host, listener: l, room: make(chan struct{}, mostStreams),
		over: make(chan struct{})}
	s.http = &http.Server{Handler: s, ReadTimeout: patience, WriteTimeout: patience, IdleTimeout: 2 * alive, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = s.http.Serve(&limited{l, make(chan struct{}, mostConnections)}) }()
	s.close = sync.OnceFunc(s.end)
	return s, nil
}

// URL is that of the page. Where the server listens on all of the machine's addresses it has
// the machine's name.
func (s *Server) URL() string {
	host := s.host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return fmt.Sprintf("http://%s/%s/", net.JoinHostPort(host, port), s.token)
}

// Close ends the server, once pages that are open have seen the end of the run or a second has
// passed.
func (s *Server) Close() { s.close() }

func (s *Server) end() {
	close(s.over)
	late := time.After(farewell)
	for range mostStreams { // until none is left, and none can come
		select {
		case s.room <- struct{}{}:
			continue
		case <-late:
		}
		break
	}
	_ = s.http.Close()
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	token, rest, slash := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	file, ok := files[rest]
	figure, isFigure := strings.CutPrefix(rest, figures+"/")
	switch {
	case subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1:
		http.Error(w, "This is no page, or not yours: take the whole URL that r2sgld has printed.", http.StatusForbidden)
	case r.Method != http.MethodGet:
		h.Set("Allow", http.MethodGet)
		http.Error(w, "There is nothing here but to look at.", http.StatusMethodNotAllowed)
	case !slash:
		http.Redirect(w, r, "/"+token+"/", http.StatusMovedPermanently)
	case ok:
		text, _ := page.ReadFile(file.name) // which is in the program
		h.Set("Content-Type", file.kind)
		_, _ = w.Write(text)
	case rest == "facts.json":
		h.Set("Content-Type", "application/json")
		_, _ = w.Write(s.facts(false))
	case rest == "events":
		s.stream(w, r)
	case isFigure:
		s.figure(w, figure)
	default:
		http.NotFound(w, r)
	}
}

// figure answers with a picture of the run, in which nothing may run.
func (s *Server) figure(w http.ResponseWriter, name string) {
	svg, err := s.folder.Figure(name)
	if err != nil {
		http.Error(w, "The run has no such figure.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	_, _ = w.Write(svg)
}

// facts are those of now, or of a moment ago unless they must be of now.
func (s *Server) facts(now bool) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && !now && time.Since(s.at) < fresh {
		return s.last
	}
	f := s.folder.Facts()
	if s.more != nil {
		s.more(&f)
	}
	if f.Cases != nil && f.State == Beginning {
		f.State = Working
	}
	text, err := json.Marshal(f)
	if err != nil { // what is said of workers or cases is no JSON
		f.Workers, f.Cases = nil, nil
		text, _ = json.Marshal(f)
	}
	s.last, s.at = text, time.Now()
	return text
}

// stream tells a page the facts whenever they are others, and the end.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case s.room <- struct{}{}:
		defer func() { <-s.room }()
	default:
		w.Header().Set("Retry-After", "30")
		http.Error(w, "Too many pages are open.", http.StatusServiceUnavailable)
		return
	}
	to := &events{w: w, c: http.NewResponseController(w)}
	if to.c.SetReadDeadline(time.Time{}) != nil {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	t := time.NewTicker(tick)
	defer t.Stop()
	for over := false; ; {
		err := to.facts(s.facts(over))
		if over {
			if errors.Join(err, to.send("event: end\ndata: {}\n\n")) == nil {
				<-r.Context().Done() // a page leaves when it has all its pictures
			}
			return
		}
		if err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.over:
			over = true
		case <-t.C:
		}
	}
}

// events go to a page.
type events struct {
	w    io.Writer
	c    *http.ResponseController
	last string
	at   time.Time
}

// facts sends facts that are others than before, with the time of this machine; now and then a
// sign of life.
func (e *events) facts(f []byte) error {
	switch {
	case string(f) != e.last:
		e.last = string(f)
		return e.send(fmt.Sprintf("data: {\"now\": %d, \"facts\": %s}\n\n", time.Now().UnixMilli(), f))
	case time.Since(e.at) >= alive:
		return e.send(": alive\n\n")
	}
	return nil
}

func (e *events) send(text string) error {
	if err := e.c.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := io.WriteString(e.w, text); err != nil {
		return err
	}
	e.at = time.Now()
	return e.c.Flush()
}

// limited listens for so many connections at once; others are turned away.
type limited struct {
	net.Listener
	room chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.room <- struct{}{}:
			return &counted{Conn: c, leave: sync.OnceFunc(func() { <-l.room })}, nil
		default:
			_ = c.Close()
		}
	}
}

// counted is a connection that makes room when it ends.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
