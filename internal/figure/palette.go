package figure

import (
	"image"
	"image/color"
	"slices"
)

// paletted returns the picture with 256 colours: figures have few, and such
// files are a third as large. The shades of each cell of five bits a channel
// become the most frequent of them, and rare cells the nearest frequent one.
func paletted(src image.Image) *image.Paletted {
	b := src.Bounds()
	pixels := make([]color.RGBA, 0, b.Dx()*b.Dy())
	exact := map[color.RGBA]int{}
	var count [1 << 15]int
	var shade [1 << 15]color.RGBA
	run := 0 // pixels of the same colour up to here
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := src.At(x, y).RGBA()
			c := color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8), 255}
			if n := len(pixels); n > 0 && pixels[n-1] != c {
				exact[pixels[n-1]] += run
				run = 0
			}
			run++
			pixels = append(pixels, c)
		}
	}
	if len(pixels) > 0 {
		exact[pixels[len(pixels)-1]] += run
	}
	var order []int
	for _, c := range pixels {
		k := cellOf(c)
		if count[k]++; count[k] == 1 {
			order = append(order, k)
			shade[k] = c
		}
		if c != shade[k] && exact[c] > exact[shade[k]] {
			shade[k] = c
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return count[b] - count[a] })
	var palette color.Palette
	for _, k := range order[:min(256, len(order))] {
		palette = append(palette, shade[k])
	}
	var index [1 << 15]uint8
	for i, k := range order {
		if i < len(palette) {
			index[k] = uint8(i)
		} else {
			index[k] = uint8(palette.Index(shade[k]))
		}
	}
	out := image.NewPaletted(b, palette)
	for i, c := range pixels {
		out.Pix[i] = index[cellOf(c)]
	}
	return out
}
