package study

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color/palette"
	"image/gif"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/r2sgld/r2sgld/figure"
	"github.com/r2sgld/r2sgld/store"
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

func inFlower(x, y float64) bool {
	return math.Hypot(x, y) <= 2/3.5*(math.Sin(5*math.Atan2(y, x))+3)
}

// walkOf is a picture of a walk that is reflected in the flower.
func walkOf(t testing.TB) *figure.Figure {
	t.Helper()
	q := figure.Trajectory{Axes: [2]figure.Axis{{Name: "x"}, {Name: "y"}}, View: [2][2]float64{{-2.5, 2.5}, {-2.5, 2.5}},
		Inside: inFlower, Temperature: [2]float64{1, 10}}
	for k := range 200 {
		a := float64(k)
		at := [2]float64{0.8*math.Sin(a/9) + 0.1*math.Sin(a*a), 0.8*math.Cos(a/7) + 0.1*math.Cos(3*a*a)}
		if n := len(q.Cold); n > 0 {
			q.Cold = append(q.Cold, figure.Step{From: q.Cold[n-1].X, X: at})
		} else {
			q.Cold = append(q.Cold, figure.Step{X: at})
		}
	}
	q.Hot = q.Cold
	f, err := figure.TrajectoryPlot(q)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tracesOf is a picture that is large if there are many draws.
func tracesOf(t testing.TB, draws int) *figure.Figure {
	t.Helper()
	var l []figure.Ladders
	for _, name := range []string{"x", "y"} {
		chains := make([][]float64, 4)
		for c := range chains {
			for k := range draws {
				chains[c] = append(chains[c], math.Sin(float64(k*(c+3)))+math.Cos(float64(k*k)))
			}
		}
		l = append(l, figure.Ladders{Axis: figure.Axis{Name: name}, Draws: chains})
	}
	f, err := figure.Traces(l)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// animation is a dot that moves to the right.
func animation(t testing.TB) []byte {
	t.Helper()
	var g gif.GIF
	for k := range 24 {
		m := image.NewPaletted(image.Rect(0, 0, 320, 240), palette.WebSafe)
		for i := range m.Pix {
			x, y := i%320, i/320
			m.Pix[i] = 215 // white
			if (x-20-12*k)*(x-20-12*k)+(y-120)*(y-120) < 150 {
				m.Pix[i] = 20
			} else if (x-160)*(x-160)+(y-120)*(y-120) > 110*110 {
				m.Pix[i] = 172
			}
		}
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 6)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inventedStudies are two studies with numbers that were made up.
func inventedStudies(t testing.TB) []*Study {
	t.Helper()
	nan := math.NaN()
	score := Table{Title: "KL divergence to the truth", Caption: "After 40,000 draws, ten runs; draws outside the domain count as lost mass.",
		Columns: []string{"method", "flower", "octagon", "heart", "cross", "star", "draws outside"}}
	for i, m := range []string{"SGLD", "cycSGLD", "reSGLD", "P-SGLD", "P-cycSGLD", "P-reSGLD", "R-SGLD", "R-cycSGLD", "r2SGLD"} {
		row := []string{m}
		for d := range 5 {
			row = append(row, fmt.Sprintf("%.3f ± %.3f", 1.9/float64(i+d+1), 0.08/float64(i+1)))
		}
		score.Rows = append(score.Rows, append(row, []string{"34.1 %", "1.2 %", "0"}[i/3]))
	}
	many := []Number{{"KL of r2SGLD, flower", 0.0312, 0.0291, 0.0334}, {"KL of the next, flower", 0.452, 0.31, 0.61}}
	for _, d := range []string{"octagon", "heart", "cross", "star"} {
		many = append(many, Number{"KL of r2SGLD, " + d, 0.0417, 0.0388, 0.0449})
	}
	multimodal := &Study{
		Name: "multimodal", Title: "The multi-modal target on five domains", Scale: "paper", Seed: 1, Seconds: 47.31,
		Command: "r2sgld reproduce multimodal --scale paper --seed 1",
		Sections: []Section{{
			Title:    "Distance to the truth",
			Text:     "Nine methods draw from the same density on five domains. The truth is known by quadrature to 1e-6, so every distance is to exact masses of cells 0.2 wide.\n\nDraws outside the domain are counted as lost mass unless a column says otherwise.",
			Tables:   []Table{score},
			Pictures: []Picture{{Name: "traces", Caption: "Draws of four ladders of r2SGLD on the flower. All ladders visit the whole range.", Figure: tracesOf(t, 40)}},
		}, {
			Title:    "How a replica moves",
			Pictures: []Picture{{Name: "walk", Caption: "Two replicas on the flower. The cold one stays in a mode until a swap; the hot one is reflected at the wall.", Figure: walkOf(t), GIF: animation(t)}},
		}},
		Claims: []Claim{
			{"multimodal-best", "5.2", "r2SGLD comes closest to the truth among the nine methods.", "KL divergence of the cells' masses after 40,000 draws, ten runs, all five domains.", many, Holds, "On every domain its interval lies below those of all others as long as draws outside count."},
			{"multimodal-cyc", "5.2, figure 4", "R-cycSGLD improves on R-SGLD.", "Difference of log KL at equal mean step size, 200 seeds.", []Number{{"difference of log KL", 0.021, -0.09, 0.13}}, Fails, "At equal diffusion time the interval holds zero; the paper's gain is that of the larger step."},
			{"multimodal-swap", "5.2", "Swaps are accepted in 5 to 20 % of attempts.", "Share of accepted swaps with rule metropolis and with rule threshold.", []Number{{"rate, metropolis", 0.296, 0.2955, 0.2965}, {"rate, threshold", 0.121, 0.12, 0.122}}, Depends, "Only the threshold rule, which is biased, gets there; exact swaps are accepted more often."},
		},
		Settings: []Setting{{"r2sgld on the flower", "name: flower\nvariables: [x, y]\npotential: \"((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5\"   # a long line that must scroll in a box of its own on a phone\nsampler:\n  method: r2sgld\n"}},
		Results:  map[string]any{"kl": []float64{0.0312, nan}},
	}
	diameter := &Study{
		Name: "diameter", Title: "Convergence against the diameter", Scale: "paper", Seed: 1, Seconds: 131.4,
		Command:  "r2sgld reproduce diameter --scale paper --seed 1",
		Sections: []Section{{Title: "Relaxation time", Text: "Octagons of circumradius 1.5 to 3.", Tables: []Table{{Title: "Relaxation time", Columns: []string{"radius", "time"}, Rows: [][]string{{"1.5", "0.91"}, {"2", "1.62"}}}}}},
		Claims: []Claim{
			{"diameter-slope", "5.3", "The time to converge grows with the square of the diameter.", "Slope of log relaxation time against log diameter.", []Number{{"slope, U = 0", 2.004, 1.97, 2.04}}, Holds, "The interval holds 2."},
			{"diameter-cifar", "5.4", "Bounded weights allow larger steps.", "Training of a ResNet20 on CIFAR-100.", nil, Untestable, "The images are not part of this study."},
		},
		Results: map[string]any{"slope": 2.004},
	}
	return []*Study{multimodal, diameter}
}

func filesIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".lock" {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func writeTo(t *testing.T, dir string, force bool, s []*Study) (*Output, error) {
	t.Helper()
	f, err := Create(dir, force)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	return Write(f, s)
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
	got := filesIn(t, dir)
	want := []string{"figures/traces.svg", "figures/traces.png", "figures/walk.svg", "figures/walk.png", "figures/walk.gif",
		"results.json", "claims.json", "report.html"}
	if !slices.Equal(out.Files, want) || len(got) != len(want) {
		t.Fatalf("files %q, in the folder %d, want %q", out.Files, len(got), want)
	}
	var c struct {
		Schema int
		Claims []struct {
			ID, Verdict, Why string
			Numbers          []struct{ Value, Low, High *float64 }
		}
	}
	if err := json.Unmarshal(got["claims.json"], &c); err != nil || len(c.Claims) != 5 || c.Claims[1].Verdict != "does not hold" || *c.Claims[1].Numbers[0].Low != -0.09 {
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
	if err := json.Unmarshal(got["results.json"], &r); err != nil || len(r.Studies) != 2 || r.Studies[0].Results.KL[1] != nil || r.Studies[0].Seconds != 47.31 {
		t.Fatalf("results.json: %v %+v", err, r)
	}
	if n := len(got["report.html"]); n > most {
		t.Errorf("the report has %d bytes", n)
	}
}

func TestReportHoldsEverything(t *testing.T) {
	s := inventedStudies(t)
	s[0].Sections[0].Pictures[0].Figure = tracesOf(t, 2000) // too many for SVG within the page
	page := parse(t, pageOf(t, s))
	for _, study := range s {
		for _, text := range []string{study.Title, study.Command, study.Scale} {
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
	bad := `</p><script>alert(1)</script>"><img src=x onerror=alert(1)>'` + "\x00\x1b[31m\xff&amp;"
	s := inventedStudies(t)
	plain := parse(t, pageOf(t, s))
	s[0].Title, s[0].Command, s[0].Scale = bad, bad, bad
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
	if err := ClaimsTable(&terminal, s[0].Claims, Terminal{}); err != nil || bytes.ContainsAny(terminal.Bytes(), "\x00\x1b") || !utf8.Valid(terminal.Bytes()) {
		t.Errorf("control characters on the terminal: %v", err)
	}
	for _, name := range []string{"", "../x", "a/b", "a b", ".x", "a\x00", strings.Repeat("a", 100)} {
		s = inventedStudies(t)
		s[0].Sections[0].Pictures[0].Name = name
		if _, _, err := render(s); err == nil {
			t.Errorf("picture %q is accepted", name)
		}
	}
}

func pageOf(t *testing.T, s []*Study) []byte {
	t.Helper()
	made, _, err := render(s)
	if err != nil {
		t.Fatal(err)
	}
	return made[len(made)-1].data
}

func TestBadInputWritesNothing(t *testing.T) {
	for name, spoil := range map[string]func(s []*Study){
		"no verdict":     func(s []*Study) { s[0].Claims[0].Verdict = "maybe" },
		"no command":     func(s []*Study) { s[1].Command = "" },
		"one name twice": func(s []*Study) { s[1].Name = s[0].Name },
		"short row":      func(s []*Study) { s[0].Sections[0].Tables[0].Rows[3] = []string{"x"} },
		"no picture":     func(s []*Study) { s[0].Sections[0].Pictures[0].Figure = nil },
		"no caption":     func(s []*Study) { s[0].Sections[0].Pictures[0].Caption = " " },
		"same picture":   func(s []*Study) { s[0].Sections[0].Pictures[0].Name = "WALK" },
		"no GIF":         func(s []*Study) { s[0].Sections[1].Pictures[0].GIF = []byte("GIF89a") },
		"no JSON":        func(s []*Study) { s[0].Results = func() {} },
	} {
		s := inventedStudies(t)
		spoil(s)
		dir := t.TempDir()
		if out, err := writeTo(t, dir, false, s); err == nil {
			t.Errorf("%s: wrote %v", name, out)
		}
		if left := filesIn(t, dir); len(left) > 0 {
			t.Errorf("%s: left %d files", name, len(left))
		}
	}
	if _, err := writeTo(t, t.TempDir(), false, nil); err == nil {
		t.Error("no study is accepted")
	}
}

func TestForceReplacesWhatIsOurs(t *testing.T) {
	dir := t.TempDir()
	s := inventedStudies(t)
	if _, err := writeTo(t, dir, false, s); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "figures", "mine.svg"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := writeTo(t, dir, false, s[1:]); err == nil {
		t.Fatal("a full folder is accepted")
	}
	if n := len(filesIn(t, dir)); n != 9 {
		t.Fatalf("%d files after a refusal", n)
	}
	if _, err := writeTo(t, dir, true, s[1:]); err != nil {
		t.Fatal(err)
	}
	got := filesIn(t, dir)
	if len(got) != 4 || string(got["figures/mine.svg"]) != "mine" {
		t.Errorf("%d files after a replacement, want three of the study and mine.svg", len(got))
	}
}

// An earlier results.json may name anything: only our figures are removed.
func TestForceTrustsNoNames(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "run")
	if _, err := writeTo(t, dir, false, inventedStudies(t)[1:]); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{filepath.Join(top, "mine.svg"), filepath.Join(dir, "mine.svg")} {
		if err := os.WriteFile(f, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	evil := `{"figures": ["../mine.svg", "figures/../mine.svg", "mine.svg", "/etc/x", "figures/", "figures/../../mine.svg"]}`
	if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte(evil), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := writeTo(t, dir, true, inventedStudies(t)[1:]); err != nil {
		t.Fatal(err)
	}
	if n := len(filesIn(t, top)); n != 5 {
		t.Errorf("%d files, want 3 and both of mine", n)
	}
}

// Seconds aside, equal studies give equal bytes.
func TestDeterminism(t *testing.T) {
	a, b := inventedStudies(t), inventedStudies(t)
	first, _, err := render(a)
	if err != nil {
		t.Fatal(err)
	}
	b[0].Seconds = 99.5
	second, _, err := render(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range first {
		other := second[i].data
		if f.name == "results.json" || f.name == "report.html" {
			if bytes.Equal(f.data, other) {
				t.Errorf("%s does not say how long it took", f.name)
			}
			other = bytes.Replace(other, []byte("99.5,"), []byte("47.31,"), 1)
			other = bytes.Replace(other, []byte(">"+duration(99.5)+"<"), []byte(">47 s<"), 1)
		}
		if f.name != second[i].name || !bytes.Equal(f.data, other) {
			t.Errorf("%s differs", f.name)
		}
	}
}

func TestLargePicturesStayBeside(t *testing.T) {
	s := inventedStudies(t)
	pictures, err := draw(s)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := Merge(s)
	if err != nil {
		t.Fatal(err)
	}
	whole, warnings, err := fit(s, claims, pictures, most)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	e := largest(pictures)
	name := e.file
	html, warnings, err := fit(s, claims, pictures, len(whole)-1)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], name) {
		t.Fatal(err, warnings)
	}
	page := parse(t, html)
	if len(page.all("img")) != 2 || !strings.Contains(page.text, name+" lies beside it") {
		t.Errorf("%d images", len(page.all("img")))
	}
	if _, _, err := fit(s, claims, pictures, 1000); err == nil {
		t.Error("a page of 1000 bytes")
	}
}

// A disk that fails at the n-th operation leaves no half file.
func TestNoHalfFile(t *testing.T) {
	s := inventedStudies(t)[1:]
	want := map[string][]byte{}
	made, _, err := render(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range made {
		want[f.name] = f.data
	}
	for n := range 12 {
		dir := t.TempDir()
		f, err := store.Create(&failing{left: n}, dir, false)
		if err == nil {
			_, err = Write(f, s)
			_ = f.Close()
		}
		for name, data := range filesIn(t, dir) {
			if full, ours := want[name]; ours && !bytes.Equal(full, data) {
				t.Errorf("operation %d: half of %s (%v)", n, name, err)
			}
		}
		if err == nil {
			t.Errorf("operation %d: no error", n)
		}
	}
}

// failing is a disk that fails after some operations that write.
type failing struct {
	store.Disk
	left int
}

var errFull = errors.New("disk full")

func (f *failing) spend() error {
	if f.left--; f.left < 0 {
		return errFull
	}
	return nil
}

func (f *failing) Create(name string) (store.File, error) {
	if err := f.spend(); err != nil {
		return nil, err
	}
	file, err := f.Disk.Create(name)
	return &failingFile{file, f}, err
}

func (f *failing) Rename(from, to string) error {
	if err := f.spend(); err != nil {
		return err
	}
	return f.Disk.Rename(from, to)
}

type failingFile struct {
	store.File
	disk *failing
}

func (f *failingFile) Write(p []byte) (int, error) {
	if err := f.disk.spend(); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f *failingFile) Sync() error {
	if err := f.disk.spend(); err != nil {
		return err
	}
	return f.File.Sync()
}
