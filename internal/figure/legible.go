package figure

import (
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	visible "github.com/r2sgld/r2sgld/internal/text"
)

// legible is a canvas whose letters can be seen, whoever named what is drawn.
type legible struct{ vg.CanvasSizer }

func (c legible) FillString(f font.Face, at vg.Point, text string) {
	c.CanvasSizer.FillString(f, at, visible.Plain(text))
}

// drawn is all of a canvas.
func drawn(c vg.CanvasSizer) draw.Canvas { return draw.New(legible{c}) }
