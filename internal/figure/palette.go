package figure

import (
	"image"
	"image/color"
	"slices"
)

// paletted returns the picture with 256 colours: figures have few, and such
// files are a third as large. The shades of each cell of five bits a channel
// become the most frequent of them, and rare cells the nearest frequent one.
func paletted(src *image.RGBA) *image.Paletted {
	runs := runsOf(src)
	var cells [1 << 15]colourCell
	var order []int
	for _, r := range runs {
		k := cellOf(r.colour)
		c := &cells[k]
		if c.count == 0 {
			order = append(order, k)
		}
		c.count += r.pixels
		i := slices.IndexFunc(c.shades, func(s colourRun) bool { return s.colour == r.colour })
		if i < 0 {
			i = len(c.shades)
			c.shades = append(c.shades, colourRun{r.colour, 0})
		}
		c.shades[i].pixels += r.pixels
	}
	shade := func(k int) color.RGBA {
		return slices.MaxFunc(cells[k].shades, func(a, b colourRun) int { return a.pixels - b.pixels }).colour
	}
	slices.SortStableFunc(order, func(a, b int) int { return cells[b].count - cells[a].count })
	var palette color.Palette
	for _, k := range order[:min(256, len(order))] {
		palette = append(palette, shade(k))
	}
	var index [1 << 15]uint8
	for i, k := range order {
		if i < len(palette) {
			index[k] = uint8(i)
		} else {
			index[k] = uint8(palette.Index(shade(k)))
		}
	}
	out := image.NewPaletted(src.Bounds(), palette)
	rest := out.Pix
	for _, r := range runs {
		i := index[cellOf(r.colour)]
		for k := range rest[:r.pixels] {
			rest[k] = i
		}
		rest = rest[r.pixels:]
	}
	return out
}

// A colourRun is a number of pixels of one opaque colour that follow one another, row by row.
type colourRun struct {
	colour color.RGBA
	pixels int
}

// A colourCell is the colours of one cell.
type colourCell struct {
	count  int         // of pixels
	shades []colourRun // every colour once
}

func runsOf(src *image.RGBA) (runs []colourRun) {
	b := src.Bounds()
	runs = make([]colourRun, 0, b.Dx()*b.Dy()/32)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := src.Pix[src.PixOffset(b.Min.X, y):][:4*b.Dx()]
		for ; len(row) > 0; row = row[4:] {
			c := color.RGBA{row[0], row[1], row[2], 255}
			if n := len(runs); n > 0 && runs[n-1].colour == c {
				runs[n-1].pixels++
			} else {
				runs = append(runs, colourRun{c, 1})
			}
		}
	}
	return runs
}
