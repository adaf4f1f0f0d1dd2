package figure

import (
	"image/color"
	"sync"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of Okabe and Ito, Color Universal Design (2008), and tints of
// them. Each has one meaning in all figures.
var (
	blue       = color.NRGBA{R: 0, G: 114, B: 178, A: 255}
	vermillion = color.NRGBA{R: 213, G: 94, B: 0, A: 255}
	green      = color.NRGBA{R: 0, G: 158, B: 115, A: 255}
	orange     = color.NRGBA{R: 230, G: 159, B: 0, A: 255}
	sky        = color.NRGBA{R: 86, G: 180, B: 233, A: 255}
	purple     = color.NRGBA{R: 204, G: 121, B: 167, A: 255}
	black      = color.NRGBA{A: 255}

	ink       = color.NRGBA{R: 38, G: 38, B: 38, A: 255}    // letters and axes
	gridLine  = color.NRGBA{R: 230, G: 230, B: 230, A: 255} // the light grid
	paper     = color.NRGBA{R: 255, G: 255, B: 255, A: 255}
	outside   = color.NRGBA{R: 222, G: 222, B: 222, A: 255} // not in Ω
	expected  = color.NRGBA{R: 205, G: 205, B: 205, A: 255} // what chance allows
	whole     = color.NRGBA{R: 214, G: 235, B: 248, A: 255} // all of the posterior
	middle    = color.NRGBA{R: 140, G: 194, B: 226, A: 255} // its interval or inner region
	posterior = blue                                        // its mode, its line
	truth     = vermillion                                  // what is known to be true
	observed  = black                                       // data
	exchanged = green                                       // swaps and what they tell
	manySwaps = color.NRGBA{R: 190, G: 227, B: 214, A: 255} // swaps where they are many
	barrier   = color.NRGBA{R: 204, G: 236, B: 227, A: 255} // what they sum to
	followed  = vermillion                                  // one replica among all
	bystander = color.NRGBA{R: 160, G: 160, B: 160, A: 255} // the others, apart from the grid
	coldest   = posterior                                   // the rung that draws from it
	hottest   = orange                                      // the rung that explores
)

const (
	letterSize = 8  // points: names of axes, captions, keys
	numberSize = 7  // points: numbers at ticks
	textWidth  = 17 // cm: a figure that fills a page's width

	ringSize   = vg.Length(1.7) // radius of the circles at a swap
	bounceSize = vg.Length(1.6) // radius of a reflection
)

// lines are the line styles, by meaning.
var (
	lineAxis      = draw.LineStyle{Color: ink, Width: 0.6}
	lineGrid      = draw.LineStyle{Color: gridLine, Width: 0.5}
	lineWall      = draw.LineStyle{Color: ink, Width: 1}
	lineHatch     = draw.LineStyle{Color: ink, Width: 0.4}
	linePosterior = draw.LineStyle{Color: posterior, Width: 1}
	lineMode      = draw.LineStyle{Color: posterior, Width: 1.4}
	lineTruth     = draw.LineStyle{Color: truth, Width: 1.2, Dashes: []vg.Length{4, 2}}
	lineZero      = draw.LineStyle{Color: ink, Width: 0.7}
	lineLimit     = draw.LineStyle{Color: vermillion, Width: 0.9, Dashes: []vg.Length{3, 2}}
	lineExchanged = draw.LineStyle{Color: exchanged, Width: 1.2}
	lineFollowed  = draw.LineStyle{Color: followed, Width: 1.2}
	lineBystander = draw.LineStyle{Color: bystander, Width: 0.7}
	lineColdest   = draw.LineStyle{Color: coldest, Width: 0.7}
	lineHottest   = draw.LineStyle{Color: hottest, Width: 0.7}
	lineMark      = draw.LineStyle{Color: ink, Width: 1.1}
	lineSwap      = draw.LineStyle{Color: exchanged, Width: 0.5, Dashes: []vg.Length{1.5, 1.5}}
	lineManySwaps = draw.LineStyle{Color: manySwaps, Width: 0.4}
	lineManyRings = draw.LineStyle{Color: exchanged, Width: 0.4}
	lineRing      = draw.LineStyle{Color: exchanged, Width: 0.7}
	lineExpected  = draw.LineStyle{Color: ink, Width: 0.5, Dashes: []vg.Length{2, 2}}
)

// ladderColours are told apart by the colour-blind; yellow is too pale for a line.
var ladderColours = [...]color.NRGBA{blue, vermillion, green, orange, sky, purple, black}

// ladderColour returns the colour of ladder i = 0, 1, …; after a round of
// seven the colours come again, darker, and then paler.
func ladderColour(i int) color.NRGBA {
	c := ladderColours[i%len(ladderColours)]
	switch i / len(ladderColours) % 3 {
	case 1:
		if c == black {
			return color.NRGBA{R: 140, G: 140, B: 140, A: 255}
		}
		c.R, c.G, c.B = c.R/2, c.G/2, c.B/2
	case 2:
		c.R, c.G, c.B = c.R/2+127, c.G/2+127, c.B/2+127
	}
	return c
}

// pale mixes a colour with half of paper.
func pale(c color.NRGBA) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8((int(v) + 255) / 2) }
	return color.NRGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: c.A}
}

// fonts are the Liberation fonts, read when the first letter is measured.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// letters returns the style of text of a size in points.
func letters(size vg.Length) draw.TextStyle {
	return draw.TextStyle{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: text.Plain{Fonts: fonts()},
	}
}

// aligned returns that style with text placed about its point.
func aligned(size vg.Length, x draw.XAlignment, y draw.YAlignment) draw.TextStyle {
	sty := letters(size)
	sty.XAlign, sty.YAlign = x, y
	return sty
}

// shorten cuts s in its middle until it is at most room wide.
func shorten(sty draw.TextStyle, s string, room vg.Length) string {
	if sty.Width(s) <= room {
		return s
	}
	r := []rune(s)
	for n := len(r) - 1; n > 2; n-- {
		t := string(r[:(n+1)/2]) + "…" + string(r[len(r)-n/2:])
		if sty.Width(t) <= room {
			return t
		}
	}
	return "…"
}

// cm converts centimetres.
func cm(v float64) vg.Length { return vg.Length(v) * vg.Centimeter }
