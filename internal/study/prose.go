package study

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/text"
)

// Prose is the text of a study, a template with a part for each claim, named by its ID,
// and one part "report".
//
// The part of a claim has a line for each of "section:", "text:", "test:", "why:" and
// "basis:", which may go on in the lines that follow. It may ask for holds, fails, depends
// and untestable, the verdict, and adds numbers: {{number "gap" .Gap}}.
//
// The part "report" has sections, "# title"; in them paragraphs, parted by empty lines,
// then tables and pictures:
//
//	## title of a table
//	its caption
//	| column | another column
//	| cell | **cell that stands out
//	![name-of-the-picture] its caption
//
// A part is told only if all of it fits the type of its facts, what these facts do not ask
// for as well.
type Prose struct {
	t     *template.Template
	funcs map[string]reflect.Type
}

// NewProse parses the text of a study, which may use funcs. It panics if the text is no
// template.
func NewProse(source string, funcs template.FuncMap) *Prose {
	t := template.New("study").Funcs(common()).Funcs(verdictFuncs(&Claim{})).Funcs(funcs)
	return &Prose{template.Must(t.Option("missingkey=error").Parse(source)), types(common(), verdictFuncs(&Claim{}), funcs)}
}

// common are the functions of all studies.
func common() template.FuncMap {
	return template.FuncMap{
		"show": digits, "rule": Rule, "count": count, "join": strings.Join, "brief": text.Number, "lower": strings.ToLower,
		"pm":       func(v any) string { return numberOf("", v).PlusMinus() },
		"positive": func(v any) Number { return numberOf("", v).Within(0, math.Inf(1)) },
		"share":    func(v any) Number { return numberOf("", v).Within(0, 1) },
		"percent":  func(v float64) float64 { return 100 * v },
		"list":     func(v ...string) []string { return v },
		"blank":    func() string { return blank },
		"rows": func(all [][]string) string { // of a table
			var b strings.Builder
			for _, row := range all {
				b.WriteString("| " + strings.Join(row, " | ") + "\n")
			}
			return b.String()
		},
		"final": func(v any) any {
			all := reflect.ValueOf(v)
			return all.Index(all.Len() - 1).Interface()
		},
	}
}

// count prints a whole number with separators.
func count(v any) (string, error) {
	switch n := v.(type) {
	case int:
		return text.Count(n), nil
	case int64:
		return text.Count(n), nil
	}
	return "", fmt.Errorf("%v is no whole number", v)
}

// numberOf is v under a name: a number, what has one (an interval, a power), the values of all
// runs, or a value without an interval.
func numberOf(name string, v any) Number {
	switch n := v.(type) {
	case Number:
		n.Name = name
		return n
	case interface{ Number(name string) Number }:
		return n.Number(name)
	case []float64:
		return IntervalOf(n).Number(name)
	case float64:
		return Exactly(name, n)
	case int:
		return Exactly(name, float64(n))
	}
	panic(fmt.Sprintf("number %q is a %T", name, v))
}

// verdictFuncs are those of the part of a claim.
func verdictFuncs(c *Claim) template.FuncMap {
	is := func(v Verdict) func() bool { return func() bool { return c.Verdict == v } }
	return template.FuncMap{"holds": is(Holds), "fails": is(Fails), "depends": is(Depends), "untestable": is(Untestable),
		"number": func(name string, v any) string {
			c.Numbers = append(c.Numbers, numberOf(name, v))
			return ""
		},
		"numbers": func(all []Number) string {
			c.Numbers = append(c.Numbers, all...)
			return ""
		}}
}

// Claim is the claim of this ID with its verdict, as told by its part of the text. It
// panics if the part does not fit the facts.
func (p *Prose) Claim(id string, v Verdict, facts any) Claim {
	c := Claim{ID: id, Verdict: v}
	t := template.Must(p.t.Clone()).Funcs(verdictFuncs(&c))
	words, err := p.told(t, id, facts)
	if err != nil {
		panic(fmt.Sprintf("claim %s: %v", id, err))
	}
	into := map[string]*string{"section": &c.Section, "text": &c.Text, "test": &c.Test, "why": &c.Why, "basis": &c.Basis}
	var now *string
	for line := range strings.SplitSeq(words, "\n") {
		if key, rest, ok := strings.Cut(line, ":"); ok && into[key] != nil {
			now, line = into[key], rest
		}
		if now != nil {
			*now = joined(*now, line, " ")
		}
	}
	return c
}

// Compared is a claim that comparisons of so many runs each decide.
func (p *Prose) Compared(id string, cs Comparisons, runs int, facts any) Claim {
	return cs.Claim(p.Claim(id, cs.Verdict(runs), facts), runs)
}

// Part is another part of the text.
func (p *Prose) Part(name string, facts any) (string, error) {
	words, err := p.told(p.t, name, facts)
	if err != nil {
		return "", err
	}
	out := ""
	for paragraph := range strings.SplitSeq(words, "\n\n") {
		out = joined(out, paragraph, "\n\n")
	}
	return out, nil
}

// told is a part, told by t.
func (p *Prose) told(t *template.Template, name string, facts any) (string, error) {
	if err := p.fits(name, facts); err != nil {
		return "", err
	}
	var b strings.Builder
	err := t.ExecuteTemplate(&b, name, facts)
	return b.String(), err
}

// blank stands for a space that stays at the end of a text.
const blank = "\x1f"

// joined adds words to what is told, with single spaces between them.
func joined(told, words, between string) string {
	words = strings.Join(strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }), " ")
	words = strings.ReplaceAll(words, " "+blank, " ")
	if told == "" || words == "" {
		return told + words
	}
	return told + between + words
}

// Sections is the report. Pictures that are not there are left out.
func (p *Prose) Sections(facts any, pictures map[string]Picture) ([]Section, error) {
	words, err := p.told(p.t, "report", facts)
	if err != nil {
		return nil, err
	}
	r := reader{pictures: pictures}
	for line := range strings.SplitSeq(words, "\n") {
		r.line(line)
	}
	r.endPicture()
	return r.sections, nil
}

// A reader makes sections of lines.
type reader struct {
	pictures map[string]Picture
	sections []Section
	into     *string // what lines without a mark belong to
	parted   bool    // an empty line came since
	name     string  // of the picture that is read; "" if none is
	caption  string
}

// line reads a line.
func (r *reader) line(line string) {
	var s *Section
	if n := len(r.sections); n > 0 {
		s = &r.sections[n-1]
	}
	mark, rest, _ := strings.Cut(line, " ")
	switch {
	case strings.TrimSpace(line) == "":
		r.parted = true
	case mark == "#":
		r.endPicture()
		r.sections = append(r.sections, Section{Title: rest})
		r.into, r.parted = &r.sections[len(r.sections)-1].Text, false
	case mark == "##":
		r.endPicture()
		s.Tables = append(s.Tables, Table{Title: rest})
		r.into, r.parted = &s.Tables[len(s.Tables)-1].Caption, false
	case mark == "|":
		s.Tables[len(s.Tables)-1].add(strings.Split(rest, " | "))
	case strings.HasPrefix(mark, "![") && strings.HasSuffix(mark, "]"):
		r.endPicture()
		r.name, r.caption = mark[2:len(mark)-1], rest
		r.into, r.parted = &r.caption, false
	default:
		between := " "
		if s != nil && r.into == &s.Text && r.parted {
			between = "\n\n"
		}
		*r.into, r.parted = joined(*r.into, line, between), false
	}
}

// endPicture adds the picture that was read.
func (r *reader) endPicture() {
	if p, ok := r.pictures[r.name]; ok && r.name != "" {
		p.Name, p.Caption = r.name, r.caption
		s := &r.sections[len(r.sections)-1]
		s.Pictures = append(s.Pictures, p)
	}
	r.name, r.caption = "", ""
}

// add adds the names of the columns or, if there are some, a row.
func (t *Table) add(cells []string) {
	if t.Columns == nil {
		t.Columns = cells
		return
	}
	for i, c := range cells {
		if c, ok := strings.CutPrefix(c, "**"); ok {
			cells[i] = c
			t.Best = append(t.Best, [2]int{len(t.Rows), i})
		}
	}
	t.Rows = append(t.Rows, cells)
}

// Drawn draws figures, which a report has by name, several at once. A nil figure is none.
func Drawn(figures map[string]func() (*figure.Figure, error)) (map[string]Picture, error) {
	out, names := map[string]Picture{}, slices.Sorted(maps.Keys(figures))
	drawn := make([]Picture, len(names))
	err := Options{}.Each(context.Background(), "", len(names), func(_ context.Context, i int) (err error) {
		drawn[i], err = Draw(names[i], figures[names[i]])
		return err
	})
	for _, p := range drawn {
		if p.SVG != nil {
			out[p.Name] = p
		}
	}
	return out, err
}

// Draw draws a figure of a name. Of a nil figure the picture has neither SVG nor PNG.
func Draw(name string, figure func() (*figure.Figure, error)) (p Picture, err error) {
	p.Name = name
	f, err := figure()
	if f != nil && err == nil {
		p.SVG, p.PNG, err = job.Draw(f)
	}
	if err != nil {
		return Picture{}, fmt.Errorf("picture %s: %w", name, err)
	}
	return p, nil
}
