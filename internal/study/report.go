package study

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/r2sgld/r2sgld"
)

//go:embed report.html
var reportText string

// most is the size of a report in bytes.
const most = 5_000_000

// shown is the number of numbers of a claim that the table shows at once.
const shown = 4

// page is what the template of the report sees.
type page struct {
	Studies           []studyView
	Absent            []Absent
	Claims            []Claim
	Tally             string
	Legend            []Meaning
	Brackets          string
	Rules             []string
	Warning           string // "" unless the runs are those of scale smoke
	Version, Go, Arch string
}

// studyView is a study with its sections' pictures drawn and numbered.
type studyView struct {
	*Study
	ID       string
	Sections []sectionView
}

type sectionView struct {
	Section
	ID       string
	Pictures []pictureView
}

type pictureView struct {
	Number        int
	Caption       string
	Width, Height int // of Still
	Still, Moving inline
	First         template.Srcset // of Moving, for readers who want nothing to move
}

// inline is a picture in the page; without URI it is only named.
type inline struct {
	File string
	URI  template.URL
}

// fit returns the report. While it exceeds limit bytes, its largest picture is
// left out, with a warning.
func fit(studies []*Study, absent []Absent, claims []Claim, pictures []*drawing, limit int) ([]byte, []string, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"paragraphs": paragraphs, "numeric": numeric, "kind": kind, "best": best, "class": class, "mark": mark,
		"brief": sentence, "duration": duration, "place": whereabouts,
		"key":  func(n []Number) []Number { return n[:min(len(n), shown)] },
		"more": func(n []Number) []Number { return n[min(len(n), shown):] },
	}).Parse(reportText)
	if err != nil {
		return nil, nil, err
	}
	var warnings []string
	for {
		var b bytes.Buffer
		if err := t.Execute(&b, view(studies, absent, claims, pictures)); err != nil {
			return nil, nil, err
		}
		html := printable(b.Bytes())
		if len(html) <= limit {
			return html, warnings, nil
		}
		e := largest(pictures)
		if e == nil {
			return nil, nil, fmt.Errorf("%.1f MB without its pictures, more than %.1f MB: shorten its tables", float64(len(html))/1e6,
				float64(limit)/1e6)
		}
		warnings = append(warnings, fmt.Sprintf("report.html does without %s (%.1f MB), which lies beside it: it would exceed %.1f MB",
			e.file, float64(e.size)/1e6, float64(limit)/1e6))
		e.uri, e.size = "", 0
	}
}

// largest returns the largest picture that is embedded, nil if none is.
func largest(pictures []*drawing) *embedded {
	var most *embedded
	for _, d := range pictures {
		for _, e := range []*embedded{&d.still, &d.moving} {
			if e.size > 0 && (most == nil || e.size > most.size) {
				most = e
			}
		}
	}
	return most
}

func view(studies []*Study, absent []Absent, claims []Claim, pictures []*drawing) page {
	p := page{Absent: absent, Claims: claims, Tally: tally(claims), Legend: legend(), Brackets: brackets, Rules: rules(studies),
		Version: r2sgld.Version, Go: runtime.Version(), Arch: runtime.GOARCH}
	for _, s := range studies {
		if s.Scale == Smoke {
			p.Warning = cmp.Or(p.Warning, warning)
			if s.Effort != "" {
				p.Warning += fmt.Sprintf(" %s: %s.", s.Name, s.Effort)
			}
		}
	}
	n := 0
	for i, s := range studies {
		v := studyView{Study: s, ID: fmt.Sprint("study-", i+1)}
		for k, sec := range s.Sections {
			w := sectionView{Section: sec, ID: fmt.Sprint(v.ID, "-", k+1)}
			for range sec.Pictures {
				d := pictures[n]
				n++
				w.Pictures = append(w.Pictures, pictureView{
					Number: n, Caption: d.picture.Caption, Width: d.width, Height: d.height,
					Still:  inline{d.still.file, template.URL(d.still.uri)},
					Moving: inline{d.moving.file, template.URL(d.moving.uri)}, First: template.Srcset(d.first),
				})
			}
			v.Sections = append(v.Sections, w)
		}
		p.Studies = append(p.Studies, v)
	}
	return p
}

// printable takes control characters from a page, which HTML does not allow,
// and what is no text.
func printable(html []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, bytes.ToValidUTF8(html, []byte("\uFFFD")))
}

// paragraphs parts text at empty lines.
func paragraphs(text string) []string {
	var out []string
	for p := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// numeric tells of each column whether it holds numbers alone.
func numeric(t Table) []bool {
	out := make([]bool, len(t.Columns))
	for c := range out {
		numbers := 0
		for _, row := range t.Rows {
			cell := strings.TrimLeft(row[c], " +-−–<>≤≥~≈±.(")
			switch {
			case cell == "": // nothing, or a dash
			case cell[0] >= '0' && cell[0] <= '9' || strings.HasPrefix(cell, "∞"):
				numbers++
			default:
				numbers = -len(t.Rows)
			}
		}
		out[c] = numbers > 0
	}
	return out
}

// best reports whether a cell stands out.
func best(t Table, row, column int) bool { return slices.Contains(t.Best, [2]int{row, column}) }

// kind says how a cell is set: numbers to the right, long text in several lines.
func kind(cell string, number bool) string {
	switch {
	case number:
		return "number"
	case utf8.RuneCountInString(cell) > 32:
		return "long"
	}
	return "short"
}

// class and mark are how a verdict looks; its words stand beside them.
func class(v Verdict) string {
	return map[Verdict]string{Holds: "holds", Fails: "fails", Depends: "depends", Untestable: "untestable"}[v]
}

func mark(v Verdict) string {
	return map[Verdict]string{Holds: "✓", Fails: "✗", Depends: "±", Untestable: "○"}[v]
}

// whereabouts says where in the paper: "Section 5.2" or "Abstract".
func whereabouts(section string) string {
	if section[0] >= '0' && section[0] <= '9' {
		return "Section " + section
	}
	r, n := utf8.DecodeRuneInString(section)
	return string(unicode.ToUpper(r)) + section[n:]
}

// sentence is the first sentence of a caption.
func sentence(text string) string {
	if i := strings.IndexAny(text, "\n"); i >= 0 {
		text = text[:i]
	}
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	return text
}

// duration prints "41 s" or "2 min 5 s".
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
