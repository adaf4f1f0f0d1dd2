package figure

import (
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// methodLine returns how a method is drawn in every figure, none in ink. What
// moves the chain gives the hue (one chain orange, cyclical steps green, replica
// exchange blue), what keeps it inside the rest: reflection is a full line,
// a penalty dashed and paler, nothing dotted and darker. Projection and
// its kin are purple. With momentum a hue is deeper; descent without noise is grey,
// and what stands for a posterior without a chain violet. What is known is told by a
// thin line.
func methodLine(method string) (draw.LineStyle, error) {
	if method == "" {
		return draw.LineStyle{Color: ink, Width: 1}, nil
	}
	looks := methodLooks()
	look, ok := looks[method]
	if !ok {
		known := slices.Sorted(maps.Keys(looks))
		return look, fmt.Errorf("figure: method %q has no colour: name one of %s, or none", method, strings.Join(known, ", "))
	}
	return look, nil
}

// A glyph is the shape of a mark in a colour.
type glyph struct {
	color  color.Color
	square bool // on its corner
}

// methodMark returns the mark of a method in the legend and at its measurements: a
// disc where a bound keeps the chain in by reflection or there is none to keep, a
// square on its corner where nothing does.
func methodMark(method string) glyph {
	sty, _ := methodLine(method)
	return glyph{sty.Color, len(sty.Dashes) == 2 && sty.Dashes[0] < 2}
}

// draw draws the mark on c, hollow ones as rings.
func (g glyph) draw(c draw.Canvas, at vg.Point, hollow bool) {
	path := circle(at, markSize)
	if g.square {
		const half = markSize * 1.3
		path = vg.Path{}
		path.Move(vg.Point{X: at.X - half, Y: at.Y})
		path.Line(vg.Point{X: at.X, Y: at.Y + half})
		path.Line(vg.Point{X: at.X + half, Y: at.Y})
		path.Line(vg.Point{X: at.X, Y: at.Y - half})
		path.Close()
	}
	if !hollow {
		c.SetColor(g.color)
		c.Fill(path)
		return
	}
	c.SetColor(paper)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: g.color, Width: 0.9})
	c.Stroke(path)
}

func methodLooks() map[string]draw.LineStyle {
	line := func(r, g, b uint8, width vg.Length, dashes ...vg.Length) draw.LineStyle {
		return draw.LineStyle{Color: color.NRGBA{R: r, G: g, B: b, A: 255}, Width: width, Dashes: dashes}
	}
	full, dashed, dotted, mixed := []vg.Length(nil), []vg.Length{4.5, 1.8}, []vg.Length{1.2, 1.5}, []vg.Length{5, 1.5, 1.2, 1.5}
	return map[string]draw.LineStyle{
		"r-sgld":    line(230, 159, 0, 1.3, full...),
		"r-cycsgld": line(0, 158, 115, 1.3, full...),
		"r2sgld":    line(0, 114, 178, 1.5, full...),

		"p-sgld":    line(240, 190, 90, 1.2, dashed...),
		"p-cycsgld": line(112, 201, 170, 1.2, dashed...),
		"p-resgld":  line(86, 180, 233, 1.2, dashed...),

		"sgld":    line(140, 92, 0, 1.2, dotted...),
		"cycsgld": line(0, 97, 70, 1.2, dotted...),
		"resgld":  line(0, 62, 105, 1.2, dotted...),

		"r-sgdm":     line(130, 130, 130, 1.3, full...),
		"r-sghmc":    line(214, 130, 0, 1.3, full...),
		"r-cycsghmc": line(0, 140, 95, 1.3, full...),
		"r2sghmc":    line(0, 95, 180, 1.5, full...),
		"sgdm":       line(70, 70, 70, 1.2, dotted...),
		"sghmc":      line(120, 70, 0, 1.2, dotted...),
		"cycsghmc":   line(0, 80, 50, 1.2, dotted...),
		"resghmc":    line(0, 45, 100, 1.2, dotted...),
		"ensemble":   line(110, 60, 170, 1.2, mixed...),
		"swag":       line(165, 125, 215, 1.2, dashed...),

		"projected-sgld": line(204, 121, 167, 1.3, full...),
		"myula":          line(224, 172, 203, 1.2, dashed...),
		"mirror-sgld":    line(130, 55, 100, 1.2, mixed...),
		"rejection-sgld": line(140, 140, 140, 1.2, mixed...),
		"r-hmc":          line(0, 0, 0, 1.1, full...),

		"truth": {Color: truth, Width: 1.2, Dashes: []vg.Length{4, 2}},
		"iid":   {Color: ink, Width: 0.8, Dashes: []vg.Length{2, 2}},
	}
}
