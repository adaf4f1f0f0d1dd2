package study

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/text"
)

// element is a tag of a page with what is in it.
type element struct {
	tag      string
	attr     map[string]string
	text     string // of itself and all below
	children []*element
}

// parse reads a page and fails on tags that do not match.
func parse(t *testing.T, html []byte) *element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(html)) // the page is written so that it is XML as well
	stack := []*element{{}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{tag: x.Name.Local, attr: map[string]string{}}
			for _, a := range x.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			top := stack[len(stack)-1]
			top.children, stack = append(top.children, e), append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			for _, e := range stack {
				e.text += string(x)
			}
		}
	}
	return stack[0]
}

// all returns the elements of these tags, in the order of the page.
func (e *element) all(tags ...string) []*element {
	var out []*element
	for _, c := range e.children {
		if slices.Contains(tags, c.tag) {
			out = append(out, c)
		}
		out = append(out, c.all(tags...)...)
	}
	return out
}

func writeTo(t *testing.T, dir string, force bool, s []*Study) (*Output, error) {
	t.Helper()
	f, err := Open(dir, Task{}, force)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	return Write(f.Folder, s, nil)
}

// With R2SGLD_REPORT=FOLDER the report stays there, for script/browser.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if keep := os.Getenv("R2SGLD_REPORT"); keep != "" {
		dir = keep
	}
	out, err := writeTo(t, dir, true, inventedStudies(t))
	if err != nil || len(out.Warnings) > 0 {
		t.Fatal(err, out)
	}
	got := foldertest.Files(t, dir)
	want := []string{"figures/traces.svg", "figures/traces.png", "figures/walk.svg", "figures/walk.png", "figures/walk.gif",
		"results.json", "claims.json", "report.html"}
	if out.Pictures != 2 || !slices.Equal(out.Files, want) || len(got) != len(want) {
		t.Fatalf("files %q, in the folder %d, want %q", out.Files, len(got), want)
	}
	var c struct {
		Schema   int
		Verdicts []struct{ Verdict, Means string }
		Rules    []string
		Claims   []struct {
			ID, Verdict, Why string
			Numbers          []struct{ Value, Low, High *float64 }
		}
	}
	if err := json.Unmarshal([]byte(got["claims.json"]), &c); err != nil || len(c.Claims) != 5 || len(c.Verdicts) != 4 || len(c.Rules) != 1 ||
		c.Claims[1].Verdict != "does not hold" || *c.Claims[1].Numbers[0].Low != -0.09 {
		t.Fatalf("claims.json: %v %+v", err, c)
	}
	var r struct {
		Version string
		Studies []struct {
			Name    string
			Seconds float64
			Results struct{ KL []*float64 }
		}
	}
	if err := json.Unmarshal([]byte(got["results.json"]), &r); err != nil || len(r.Studies) != 2 || r.Studies[0].Results.KL[1] != nil ||
		r.Studies[0].Seconds != 47.31 {
		t.Fatalf("results.json: %v %+v", err, r)
	}
	if n := len(got["report.html"]); n > most {
		t.Errorf("the report has %d bytes", n)
	}
}

func TestReportHoldsEverything(t *testing.T) {
	s := inventedStudies(t)
	s[0].Sections[0].Pictures[0] = s[0].Sections[0].Pictures[0].with(t, tracesOf(t, 2000)) // too many for SVG within the page
	page := parse(t, pageOf(t, s))
	for _, study := range s {
		for _, text := range []string{study.Title, study.Command, string(study.Scale)} {
			if !strings.Contains(page.text, text) {
				t.Errorf("the page lacks %q", text)
			}
		}
		for _, c := range study.Claims {
			for _, text := range append([]string{c.Text, c.Section, c.Test, c.Why, string(c.Verdict)}, numbersOf(c)...) {
				if !strings.Contains(page.text, text) {
					t.Errorf("claim %s: the page lacks %q", c.ID, text)
				}
			}
		}
	}
	for _, text := range append(rules(s), brackets, legend()[0].Text, s[0].Effort, s[0].Hint, s[0].Claims[0].Basis) {
		if text == "" || strings.Count(page.text, text) != 1 {
			t.Errorf("the page has %q %d times", text, strings.Count(page.text, text))
		}
	}
	if b := page.all("table")[1].all("b"); len(b) != 2 || b[1].text != s[0].Sections[0].Tables[0].Rows[8][1] {
		t.Errorf("%d cells stand out", len(b)-1)
	}
	images := page.all("img")
	if len(images) != 3 { // two figures and an animation
		t.Fatalf("%d images", len(images))
	}
	for i, kind := range []string{"data:image/png;base64,", "data:image/svg+xml;base64,", "data:image/gif;base64,"} {
		if !strings.HasPrefix(images[i].attr["src"], kind) || !strings.HasPrefix(images[i].attr["alt"], "Figure ") {
			t.Errorf("image %d: %.60q, alt %q", i, images[i].attr["src"], images[i].attr["alt"])
		}
	}
	if f := page.all("figure"); len(f) != 2 || len(page.all("figcaption")) != 2 {
		t.Errorf("%d figures, %d captions", len(f), len(page.all("figcaption")))
	}
	outline(t, page)
	alone(t, page)
}

func numbersOf(c Claim) []string {
	var out []string
	for _, n := range c.Numbers {
		out = append(out, n.Name, n.String())
	}
	return out
}

// outline checks that headings go down one level at a time and links lead on.
func outline(t *testing.T, page *element) {
	t.Helper()
	level := 0
	for _, h := range page.all("h1", "h2", "h3", "h4") {
		n := int(h.tag[1] - '0')
		if n > level+1 || (n == 1) != (level == 0) {
			t.Errorf("%s %q after level %d", h.tag, h.text, level)
		}
		level = n
	}
	ids := map[string]bool{}
	everything := []string{"section", "h2", "h3", "tr", "figure", "table"}
	for _, e := range page.all(everything...) {
		id := e.attr["id"]
		if id != "" && ids[id] {
			t.Errorf("two elements %q", id)
		}
		ids[id] = true
	}
	for _, a := range page.all("a") {
		if h := a.attr["href"]; !ids[strings.TrimPrefix(h, "#")] {
			t.Errorf("link to %q", h)
		}
	}
	if page.all("html")[0].attr["lang"] != "en" || len(page.all("caption")) != 1+2 {
		t.Error("language or captions are missing")
	}
}

// alone checks that the page asks for nothing and runs nothing.
func alone(t *testing.T, page *element) {
	t.Helper()
	if n := len(page.all("script", "link", "iframe", "object", "embed", "base", "form")); n > 0 {
		t.Errorf("%d elements that load or run something", n)
	}
	for _, e := range page.all("img", "source", "a") {
		for _, name := range []string{"src", "srcset", "href"} {
			if v := e.attr[name]; v != "" && !strings.HasPrefix(v, "data:image/") && !strings.HasPrefix(v, "#") {
				t.Errorf("%s=%.60q", name, v)
			}
		}
	}
	if css := page.all("style")[0].text; strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error("the style loads something")
	}
}

// Kills the mutants text/template, and no check of names.
func TestHostileTextStaysText(t *testing.T) {
	pace.Slow(t)
	bad := `</p><script>alert(1)</script>"><img src=x onerror=alert(1)>'` + "\x00\x1b[31m\xff&amp;"
	s := inventedStudies(t)
	plain := parse(t, pageOf(t, s))
	s[0].Title, s[0].Command, s[0].Scale = bad, bad, Scale(bad)
	sec := &s[0].Sections[0]
	sec.Title, sec.Text = bad, bad
	sec.Tables[0].Title, sec.Tables[0].Caption, sec.Tables[0].Columns[0], sec.Tables[0].Rows[0][0] = bad, bad, bad, bad
	sec.Pictures[0].Caption = bad
	c := &s[0].Claims[0]
	c.Section, c.Text, c.Test, c.Why, c.Numbers[0].Name = bad, bad, bad, bad, bad
	s[0].Settings[0] = Setting{bad, bad}
	html := pageOf(t, s)
	page := parse(t, html)
	if got, want := len(page.all("img", "p", "script")), len(plain.all("img", "p", "script")); got > want {
		t.Errorf("%d elements, want at most %d", got, want)
	}
	alone(t, page)
	if n := strings.Count(page.text, "<script>alert(1)</script>"); n < 16 {
		t.Errorf("the text is there %d times", n)
	}
	if bytes.ContainsAny(html, "\x00\x1b") || !utf8.Valid(html) {
		t.Error("control characters in the page")
	}
	var terminal bytes.Buffer
	if err := ClaimsTable(&terminal, s[0].Claims, text.Style{}); err != nil || bytes.ContainsAny(terminal.Bytes(), "\x00\x1b") ||
		!utf8.Valid(terminal.Bytes()) {
		t.Errorf("control characters on the terminal: %v", err)
	}
	for _, name := range []string{"", "../x", "a/b", "a b", ".x", "a\x00", strings.Repeat("a", 100)} {
		s = inventedStudies(t)[:1]
		s[0].Sections[0].Pictures[0].Name = name
		if check(s) == nil {
			t.Errorf("picture %q is accepted", name)
		}
	}
}

func pageOf(t *testing.T, s []*Study) []byte {
	t.Helper()
	made, _, err := render(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made[len(made)-1].Data
}

func TestBadInputWritesNothing(t *testing.T) {
	pace.Slow(t)
	for name, spoil := range map[string]func(s []*Study){
		"no verdict":     func(s []*Study) { s[0].Claims[0].Verdict = "maybe" },
		"no command":     func(s []*Study) { s[1].Command = "" },
		"one name twice": func(s []*Study) { s[1].Name = s[0].Name },
		"short row":      func(s []*Study) { s[0].Sections[0].Tables[0].Rows[3] = []string{"x"} },
		"no picture":     func(s []*Study) { s[0].Sections[0].Pictures[0].SVG = nil },
		"no caption":     func(s []*Study) { s[0].Sections[0].Pictures[0].Caption = " " },
		"same picture":   func(s []*Study) { s[0].Sections[0].Pictures[0].Name = "WALK" },
		"no GIF":         func(s []*Study) { s[0].Sections[1].Pictures[0].GIF = []byte("GIF89a") },
		"no JSON":        func(s []*Study) { s[0].Sections, s[0].Results = nil, func() {} },
	} {
		s := inventedStudies(t)
		spoil(s)
		dir := t.TempDir()
		if out, err := writeTo(t, dir, false, s); err == nil {
			t.Errorf("%s: wrote %v", name, out)
		}
		if left := foldertest.Files(t, dir); len(left) > 0 {
			t.Errorf("%s: left %d files", name, len(left))
		}
	}
	if _, err := writeTo(t, t.TempDir(), false, nil); err == nil {
		t.Error("no study is accepted")
	}
}

// Seconds aside, equal studies give equal bytes.
func TestDeterminism(t *testing.T) {
	a, b := inventedStudies(t), inventedStudies(t)
	first, _, err := render(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	b[0].Seconds = 99.5
	second, _, err := render(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range first {
		other := second[i].Data
		if f.Name == "results.json" || f.Name == "report.html" {
			if bytes.Equal(f.Data, other) {
				t.Errorf("%s does not say how long it took", f.Name)
			}
			other = bytes.Replace(other, []byte("99.5,"), []byte("47.31,"), 1)
			other = bytes.Replace(other, []byte(">"+duration(99.5)+"<"), []byte(">47 s<"), 1)
		}
		if f.Name != second[i].Name || !bytes.Equal(f.Data, other) {
			t.Errorf("%s differs", f.Name)
		}
	}
}

// Progress tells how far it is, now and then, and not that all is done.
func TestCounter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		done := Options{Progress: &b}.Counter("cases", 2000)
		for range 2000 {
			time.Sleep(10 * time.Millisecond)
			done()
		}
		if want := "cases: 300 of 2,000\ncases: 600 of 2,000\ncases: 900 of 2,000\ncases: 1,200 of 2,000\ncases: 1,500 of 2,000\ncases: 1,800 " +
			"of 2,000\n"; b.String() != want {
			t.Errorf("%q", b.String())
		}
	})
}
