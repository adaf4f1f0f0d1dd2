package study

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/gif"
	"image/png"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/store"
)

// Output is what [Write] left in a folder.
type Output struct {
	Files    []string // names in the folder, slash-separated
	Pictures int      // each is several of the files: SVG and PNG, GIF if it moves
	Claims   []Claim  // of all studies; those of one ID are one
	Warnings []string
}

// document is results.json. Seconds aside it depends on what was run alone.
type document struct {
	Schema    int      `json:"schema"`
	Version   string   `json:"version"`
	Go        string   `json:"go"`
	Arch      string   `json:"goarch"`
	Intervals string   `json:"intervals"` // what mean and half95 are
	Figures   []string `json:"figures"`   // files beside it
	Studies   []*Study `json:"studies"`
	Absent    []Absent `json:"not_run"`
}

// pairs says what intervals in results.json are.
const pairs = "mean ± half95 is the 95 % t interval over runs, not clipped to what is possible"

// claimsDocument is claims.json.
type claimsDocument struct {
	Schema    int       `json:"schema"`
	Verdicts  []Meaning `json:"verdicts"`
	Intervals string    `json:"intervals"`
	Rules     []string  `json:"rules"` // of the studies
	Claims    []Claim   `json:"claims"`
	Absent    []Absent  `json:"not_run"` // studies without which claims are judged or missing
}

// rules are those of the studies, each once.
func rules(studies []*Study) []string {
	out := []string{}
	for _, s := range studies {
		if s.Rule != "" && !slices.Contains(out, s.Rule) {
			out = append(out, s.Rule)
		}
	}
	return out
}

// texts are the files of every study.
func texts() []string { return []string{"report.html", "claims.json", "results.json"} }

// folders tells those of reports.
func folders() store.Kind {
	ofCases := []string{"cases/*.case", "cases/*.list"}
	return store.Kind{Manifest: "results.json", Again: true, Anew: ofCases, Files: func(results []byte) ([]string, error) {
		all := append(append(texts(), job.TaskFile, sheet("*")), ofCases...)
		if results == nil {
			return all, nil
		}
		figures, err := earlier(results)
		return append(all, figures...), err
	}}
}

// earlier lists the figures that an earlier results.json speaks of.
func earlier(results []byte) ([]string, error) {
	var d struct {
		Schema  int      `json:"schema"`
		Version string   `json:"version"`
		Figures []string `json:"figures"`
		Studies []any    `json:"studies"`
	}
	if err := json.Unmarshal(results, &d); err != nil || d.Schema == 0 || d.Version == "" || len(d.Studies) == 0 {
		return nil, errors.New("it is of no report of ours")
	}
	return slices.DeleteFunc(d.Figures, func(file string) bool {
		base := strings.TrimPrefix(file, "figures/")
		stem := strings.TrimSuffix(base, filepath.Ext(base))
		return base == file || !validName.MatchString(stem)
	}), nil
}

// Missed are the studies that the report in a folder says were not run; none without a report.
func Missed(folder *store.Folder) ([]Absent, error) {
	var d struct {
		Absent []Absent `json:"not_run"`
	}
	err := folder.ReadJSON("results.json", &d)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return d.Absent, err
}

// Write writes what studies found into a folder: figures, each as SVG and PNG
// and animations as GIF, results.json, claims.json and, last, report.html, which
// needs nothing beside it; all name the studies that are absent. They then take the
// place of an earlier report; a file that would not change is not touched.
// Everything is checked and drawn before the first file is written; each file is there
// whole or not at all. Equal studies give equal bytes. A report that would exceed 5 MB
// does without its largest pictures, which lie beside it, and Output warns of it.
func Write(folder *store.Folder, studies []*Study, absent []Absent) (*Output, error) {
	files, out, err := render(studies, absent)
	if err != nil {
		return nil, fmt.Errorf("report of %d studies: %w", len(studies), err)
	}
	for _, f := range files {
		if old, err := folder.ReadFile(f.Name); err != nil || !bytes.Equal(old, f.Data) {
			if err := folder.WriteFile(f.Name, f.Data); err != nil {
				return nil, err
			}
		}
		out.Files = append(out.Files, f.Name)
	}
	return out, folder.Install()
}

// render makes all files in memory.
func render(studies []*Study, absent []Absent) (job.Sheaf, *Output, error) {
	if len(studies) == 0 {
		return nil, nil, errors.New("there is no study")
	}
	claims, err := merge(studies)
	if err := errors.Join(err, check(studies)); err != nil {
		return nil, nil, err
	}
	pictures, err := draw(studies)
	if err != nil {
		return nil, nil, err
	}
	var files job.Sheaf
	for _, p := range pictures {
		files = append(files, p.files...)
	}
	doc := document{Schema: 1, Version: r2sgld.Version, Go: runtime.Version(), Arch: runtime.GOARCH, Intervals: pairs, Studies: studies,
		Absent: listed(absent)}
	for _, f := range files {
		doc.Figures = append(doc.Figures, f.Name)
	}
	results, err := store.JSON(doc)
	if err != nil {
		return nil, nil, fmt.Errorf("results.json: %w", err)
	}
	table, err := store.JSON(claimsDocument{1, legend(), brackets, rules(studies), claims, listed(absent)})
	if err != nil {
		return nil, nil, fmt.Errorf("claims.json: %w", err)
	}
	page, warnings, err := fit(studies, absent, claims, pictures, most)
	if err != nil {
		return nil, nil, fmt.Errorf("report.html: %w", err)
	}
	files = append(files, job.File{Name: "results.json", Data: results}, job.File{Name: "claims.json", Data: table},
		job.File{Name: "report.html", Data: page})
	return files, &Output{Pictures: len(pictures), Claims: claims, Warnings: warnings}, nil
}

// listed is a list that is not nil, which JSON shows as null.
func listed(absent []Absent) []Absent { return append([]Absent{}, absent...) }

// check returns every fault of studies that is seen before anything is drawn,
// claims aside.
func check(studies []*Study) error {
	var faults []error
	names, pictures := map[string]bool{}, map[string]bool{}
	for _, s := range studies {
		fault := func(format string, a ...any) {
			faults = append(faults, fmt.Errorf("study %q: "+format, append([]any{s.Name}, a...)...))
		}
		if s.Name == "" || s.Title == "" || s.Command == "" {
			fault("it needs a name, a title and the command that runs it")
		}
		if names[s.Name] {
			fault("there are two of this name")
		}
		names[s.Name] = true
		for _, sec := range s.Sections {
			for _, t := range sec.Tables {
				for i, row := range t.Rows {
					if len(row) != len(t.Columns) {
						fault("table %q: row %d has %d cells for %d columns", t.Title, i+1, len(row), len(t.Columns))
					}
				}
			}
			for _, p := range sec.Pictures {
				if err := p.check(); err != nil {
					fault("picture %q: %w", p.Name, err)
				}
				if low := strings.ToLower(p.Name); pictures[low] {
					fault("picture %q: there are two of this name", p.Name)
				} else {
					pictures[low] = true
				}
			}
		}
	}
	return errors.Join(faults...)
}

func (p Picture) check() error {
	switch {
	case !validName.MatchString(p.Name):
		return errors.New("a name is made of letters, digits, - and _")
	case p.SVG == nil && p.GIF == nil:
		return errors.New("it has neither figure nor animation")
	case strings.TrimSpace(p.Caption) == "":
		return errors.New("it has no caption")
	}
	return nil
}

// drawing is a picture, drawn.
type drawing struct {
	picture       Picture
	files         job.Sheaf
	still         embedded // SVG or, where that is large, PNG
	moving        embedded
	first         string // data URI of an animation's first frame
	width, height int    // of the still picture, in CSS pixels
}

// embedded is a picture within the page.
type embedded struct {
	file string // where it lies as well
	size int    // bytes that it takes in the page
	uri  string // "" where it is left out
}

// embed returns the data URI of a file.
func embed(f job.File, media string) embedded {
	uri := "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(f.Data)
	return embedded{file: f.Name, size: len(uri), uri: uri}
}

// heavy is the size of an SVG in bytes beyond which the report shows the PNG if
// that is smaller.
const heavy = 200_000

// draw lists every picture, in order.
func draw(studies []*Study) (out []*drawing, err error) {
	for _, s := range studies {
		for _, sec := range s.Sections {
			for _, p := range sec.Pictures {
				d, err := drawOne(p)
				if err != nil {
					return nil, fmt.Errorf("picture %q: %w", p.Name, err)
				}
				out = append(out, d)
			}
		}
	}
	return out, nil
}

func drawOne(p Picture) (*drawing, error) {
	d := &drawing{picture: p}
	if p.SVG != nil {
		for i, data := range [][]byte{p.SVG, p.PNG} {
			d.files.Add(job.FigureFiles(p.Name)[i], data)
		}
		d.still = embed(d.files[0], "image/svg+xml")
		if len(p.SVG) > heavy && len(p.PNG) < len(p.SVG) {
			d.still = embed(d.files[1], "image/png")
		}
		if err := d.measure(p.SVG); err != nil {
			return nil, err
		}
	}
	if p.GIF != nil {
		first, err := gif.Decode(bytes.NewReader(p.GIF))
		if err != nil {
			return nil, fmt.Errorf("the animation is no GIF: %w", err)
		}
		var still bytes.Buffer
		if err := png.Encode(&still, first); err != nil {
			return nil, err
		}
		d.files.Add("figures/"+p.Name+".gif", p.GIF)
		d.moving = embed(d.files[len(d.files)-1], "image/gif")
		d.first = embed(job.File{Data: still.Bytes()}, "image/png").uri
		d.moving.size += len(d.first)
	}
	return d, nil
}

var svgSize = regexp.MustCompile(`<svg width="([0-9.]+)pt" height="([0-9.]+)pt"`)

// measure reads the size of a figure from its SVG, in which it is in points.
func (d *drawing) measure(svg []byte) error {
	m := svgSize.FindSubmatch(svg)
	if m == nil {
		return errors.New("the SVG does not say how large it is")
	}
	for i, px := range []*int{&d.width, &d.height} {
		pt, err := strconv.ParseFloat(string(m[i+1]), 64)
		if err != nil {
			return fmt.Errorf("the size of the SVG: %w", err)
		}
		*px = int(math.Round(pt * 96 / 72))
	}
	return nil
}
