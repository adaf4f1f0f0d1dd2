package study

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const spoken = `
{{define "one"}}
section: 3.1
text: Of {{.N}} cases
  all are good.
test: They are
counted: one by one.
{{number "cases" .N}}{{number "mean" (positive .V)}}
why:
{{if holds}}All are.{{else}}Not all are.{{end}}

{{if .Bad}}Bad: {{join .Bad ", "}}.{{end}}
{{end}}
{{define "report"}}
# First
A paragraph
in two lines. {{blank}}

Another one.

## Counts
How many.
| what |  | number
{{range .Bad}}| {{.}} |  | **7
{{end}}
![there] A picture
of it.
![absent] Another.

# Second
{{end}}`

type spokenFacts struct {
	N   int
	V   []float64
	Bad []string
}

// Kills: lines that are lost or joined without a space, numbers without their interval,
// the verdict of another claim, comparisons that are too few and say nothing of it.
func TestProseOfClaims(t *testing.T) {
	p := NewProse(spoken, nil)
	f := spokenFacts{2, []float64{1, 2, 3}, []string{"a", "b"}}
	c := p.Claim("one", Depends, f)
	want := Claim{ID: "one", Section: "3.1", Text: "Of 2 cases all are good.", Test: "They are counted: one by one.", Verdict: Depends,
		Why: "Not all are. Bad: a, b.", Numbers: []Number{Exactly("cases", 2), IntervalOf(f.V).Number("mean").Within(0, math.Inf(1))}}
	if diff := cmp.Diff(want, c, cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })); diff != "" {
		t.Error(diff)
	}
	if err := c.check(); err != nil {
		t.Error(err)
	}
	if c := p.Claim("one", Holds, spokenFacts{N: 2}); c.Why != "All are." {
		t.Errorf("why: %q", c.Why)
	}
	if c := p.Compared("one", nil, 3, spokenFacts{N: 2}); c.Verdict != Untestable ||
		!strings.HasSuffix(c.Why, " The runs are too few to decide it.") {
		t.Errorf("%s: %q", c.Verdict, c.Why)
	}
}

// A part that does not fit its facts is a mistake of the program and goes unheard nowhere.
func TestProseThatDoesNotFit(t *testing.T) {
	p := NewProse(spoken, nil)
	if _, err := p.Sections(struct{}{}, nil); err == nil {
		t.Error("a report without its facts")
	}
	defer func() {
		if recover() == nil {
			t.Error("a claim without its facts")
		}
	}()
	p.Claim("one", Holds, struct{}{})
}

func TestProseOfSections(t *testing.T) {
	p := NewProse(spoken, nil)
	drawn := map[string]Picture{"there": {GIF: []byte("GIF")}, "unused": {}}
	got, err := p.Sections(spokenFacts{Bad: []string{"a|b", "c"}}, drawn)
	if err != nil {
		t.Fatal(err)
	}
	want := []Section{{Title: "First", Text: "A paragraph in two lines. \n\nAnother one.",
		Tables: []Table{{Title: "Counts", Caption: "How many.", Columns: []string{"what", "", "number"},
			Rows: [][]string{{"a|b", "", "7"}, {"c", "", "7"}}, Best: [][2]int{{0, 2}, {1, 2}}}},
		Pictures: []Picture{{Name: "there", Caption: "A picture of it.", GIF: []byte("GIF")}}}, {Title: "Second"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAmong(t *testing.T) {
	for _, x := range []struct {
		some, all int
		want      Verdict
	}{{0, 0, Untestable}, {0, 3, Fails}, {1, 3, Depends}, {3, 3, Holds}} {
		if got := Among(x.some, x.all); got != x.want {
			t.Errorf("%d of %d: %s", x.some, x.all, got)
		}
	}
}

// A part that would not fit in a branch which its facts do not take is not told.
//
// Mutants it kills: branches left out, the facts of a part within another not looked at,
// elements of a loop taken for the list.
func TestProseThatFitsInEveryBranch(t *testing.T) {
	for _, c := range []struct {
		text, want string // "" is that it fits
	}{
		{`{{if .Bad}}{{range $i, $b := .Bad}}{{$i | count}}{{lower $b}}{{end}}{{else}}{{count .N}}{{end}}`, ""},
		{`{{with .One}}{{.Why}} {{(index .Numbers 0).Value | brief 3}}{{end}}`, "where a int is due"},
		{`{{with $c := .One}}{{.Why}}{{$c.ID}}{{(index $c.Numbers 0).Name}}{{end}}{{.Any.What}}`, ""},
		{`{{if .Bad}}{{.Worse}}{{end}}`, "spokenMore has no Worse"},
		{`{{if .Bad}}{{else}}{{.One.Which}}{{end}}`, "Claim has no Which"},
		{`{{range .Bad}}{{.N}}{{end}}`, "string has no N"},
		{`{{range .Bad}}{{$.N}}{{else}}{{.M}}{{end}}`, "spokenMore has no M"},
		{`{{range .One}}{{end}}`, "a loop over a study.Claim"},
		{`{{if .Bad}}{{join .Bad}}{{end}}`, "1 arguments for a func([]string, string) string"},
		{`{{if .Bad}}{{lower .N}}{{end}}`, "a int where a string is due"},
		{`{{if .Bad}}{{template "inner" .Bad}}{{end}}`, "[]string has no N"},
		{`{{if .Bad}}{{template "inner" .}}{{end}}`, ""},
		{`{{if .Bad}}{{template "inner"}}{{end}}`, "struct {} has no N"},
	} {
		p := NewProse(`{{define "one"}}`+c.text+`{{end}}{{define "inner"}}{{.N}}{{end}}`, nil)
		_, err := p.Part("one", spokenMore{One: &Claim{Numbers: make([]Number, 1)}, Any: struct{ What int }{}})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

type spokenMore struct {
	spokenFacts
	One *Claim
	Any any
}
