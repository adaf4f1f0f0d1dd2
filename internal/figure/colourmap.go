package figure

import (
	"image"
	"image/color"
	"math"
)

// viridis is every fifteenth of the 256 colours of the sequential map of that
// name, perceptually uniform and ordered for the colour-blind too: S. van der
// Walt and N. Smith (2015), dedicated to the public domain (CC0). Lines between
// these are at most 5 of 255 off its own.
var viridis = [...]color.NRGBA{
	{R: 68, G: 1, B: 84, A: 255}, {R: 72, G: 23, B: 105, A: 255}, {R: 71, G: 42, B: 122, A: 255},
	{R: 67, G: 61, B: 132, A: 255}, {R: 61, G: 78, B: 138, A: 255}, {R: 53, G: 94, B: 141, A: 255},
	{R: 46, G: 109, B: 142, A: 255}, {R: 41, G: 123, B: 142, A: 255}, {R: 35, G: 137, B: 142, A: 255},
	{R: 31, G: 151, B: 139, A: 255}, {R: 33, G: 165, B: 133, A: 255}, {R: 46, G: 179, B: 124, A: 255},
	{R: 70, G: 192, B: 111, A: 255}, {R: 101, G: 203, B: 94, A: 255}, {R: 137, G: 213, B: 72, A: 255},
	{R: 176, G: 221, B: 47, A: 255}, {R: 216, G: 226, B: 25, A: 255}, {R: 253, G: 231, B: 37, A: 255},
}

// shadesOfHeat is how many colours a heat map has.
const shadesOfHeat = 128

// heatColours are shadesOfHeat colours from low to high.
func heatColours() color.Palette {
	return gradient(shadesOfHeat, viridis[:])
}

// gradient returns n colours from the first of stops through all of them.
func gradient(n int, stops []color.NRGBA) color.Palette {
	out := make(color.Palette, n)
	for i := range out {
		t := float64(i) / float64(n-1) * float64(len(stops)-1)
		k := min(int(t), len(stops)-2)
		out[i] = mix(stops[k], stops[k+1], t-float64(k))
	}
	return out
}

// mix returns the colour at t from a to b.
func mix(a, b color.NRGBA, t float64) color.NRGBA {
	m := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + t*(float64(b)-float64(a)))) }
	return color.NRGBA{R: m(a.R, b.R), G: m(a.G, b.G), B: m(a.B, b.B), A: 255}
}

// heat returns the picture of nx × ny values, rows from below, on a scale from 0
// to top; what is above has the last colour.
func heat(v []float64, nx, ny int, top float64) *image.Paletted {
	out := image.NewPaletted(image.Rect(0, 0, nx, ny), heatColours())
	for j := range ny {
		for i := range nx {
			t := math.Min(v[j*nx+i]/top, 1) * (shadesOfHeat - 1)
			out.SetColorIndex(i, ny-1-j, uint8(math.Round(t)))
		}
	}
	return out
}
