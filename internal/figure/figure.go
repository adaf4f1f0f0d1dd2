// Package figure answers what a sample looks like: marginal densities, pair
// plots with the domain drawn in, traces, rank plots, and data against a
// fitted model with its residuals; what a ladder did: who was on which
// rung, how swaps fared, and the paths of its coldest and hottest rung, as a
// film too; how methods compare: maps of densities and curves of errors; and what
// training a net was like: metrics along the epochs, reliability, entropies,
// temperatures and reflections of layers, sweeps, and tables of scores as dots.
//
// Every figure is a function from plain data to a [Figure], which is written as
// SVG and PNG. All share one hand: the Okabe–Ito colours, each with one
// meaning everywhere, sizes in centimetres, sample sizes in the caption,
// intervals as bands. Equal data give equal bytes. The package knows nothing
// of sampling and of statistics only what a picture needs.
package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"

	"git.sr.ht/~sbinet/gg"
	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// dpi is the resolution of PNG pictures, and of those taller than a page.
const (
	dpi     = 180
	dpiTall = 144
	tall    = 25 // cm
)

// An Axis names what is measured along an axis.
type Axis struct {
	Name string // may be long and hold any letters; shortened where it does not fit
	Unit string // "" is none
}

// label returns "name (unit)".
func (a Axis) label() string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + " (" + a.Unit + ")"
}

// A Sample says how much was drawn, for captions. Zero fields are left out.
type Sample struct {
	Draws   int // in all ladders together
	Ladders int
	Shown   int // parameters drawn, of so many; 0 is all of them
	Of      int
}

// String returns "12,000 draws, 8 ladders", and ", 24 of 30 parameters" if these are not all.
func (s Sample) String() string {
	out := ""
	if s.Draws > 0 {
		out = text.Counted(s.Draws, "draw")
	}
	if s.Ladders > 0 {
		if out != "" {
			out += ", "
		}
		out += text.Counted(s.Ladders, "ladder")
	}
	if s.Shown < s.Of {
		out += fmt.Sprintf(", %d of %s", s.Shown, text.Counted(s.Of, "parameter"))
	}
	return out
}

// A Figure is a picture ready to be written. It does not change.
type Figure struct {
	width, height vg.Length
	keys          legend
	caption       []string // lines
	cells         []cell
}

// WriteSVG writes the figure as SVG, without dates and ids. Letters are text
// in Liberation Sans or, where that is missing, a font of the same widths.
func (f *Figure) WriteSVG(w io.Writer) error {
	c := vgsvg.NewWith(vgsvg.UseWH(f.width, f.height))
	page := drawn(c)
	page.SetColor(paper)
	page.Fill(page.Rectangle.Path())
	f.draw(page)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return fmt.Errorf("draw SVG: %w", err)
	}
	// Wherever Liberation Sans is not installed, viewers would take a serif.
	svg := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
	// The library writes PNG and calls it JPEG; pictures fill their rectangles.
	svg = bytes.ReplaceAll(svg, []byte("<image x="), []byte(`<image preserveAspectRatio="none" x=`))
	svg = bytes.ReplaceAll(svg, []byte("data:image/jpg;"), []byte("data:image/png;"))
	if _, err := w.Write(svg); err != nil {
		return fmt.Errorf("write SVG: %w", err)
	}
	return nil
}

// WritePNG writes the figure as PNG of 180 dots an inch, or 144 if it is taller
// than a page.
func (f *Figure) WritePNG(w io.Writer) error {
	resolution := dpi
	if f.height > tall*vg.Centimeter {
		resolution = dpiTall
	}
	page, img := bitmap(f.width, f.height, resolution)
	f.draw(page)
	var enc png.Encoder
	if err := enc.Encode(w, paletted(img)); err != nil {
		return fmt.Errorf("write PNG: %w", err)
	}
	return nil
}

// bitmap returns a white canvas, as is paper, and its picture.
func bitmap(w, h vg.Length, dpi int) (draw.Canvas, *image.RGBA) {
	pixels := func(l vg.Length) int { return int(l/vg.Inch*vg.Length(dpi) + 0.5) }
	img := image.NewRGBA(image.Rect(0, 0, pixels(w), pixels(h)))
	ctx := gg.NewContextForRGBA(img) // the library by itself copies the picture
	ctx.SetLineCapButt()
	ctx.InvertY()
	use := vgimg.UseImageWithContext(img, ctx)
	return drawn(vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi), func(c *vgimg.Canvas) uint32 {
		use(c)
		return 0 // the size is as said, to parts of a pixel
	})), img
}
