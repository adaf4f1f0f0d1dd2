package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"slices"

	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	filmWidth  = vg.Length(360) // points, at filmDPI
	filmDPI    = 96             // 480 dots
	filmHeader = vg.Length(22)
	filmFrames = 150
	filmDelay  = 8 // hundredths of a second
	filmRest   = 150
	filmMark   = 7 // frames for which a trade is marked
	filmFades  = 5
)

// WriteGIF writes the trajectory as an animated GIF of 480 dots and at most 150 frames,
// 12 a second, that begins anew at its end. Where the rungs trade replicas, rings
// mark both for half a second; a step that was reflected goes over the wall.
// Frames hold what has changed since the last, in 64 colours.
func (q Trajectory) WriteGIF(w io.Writer) error {
	r, err := q.reel()
	if err != nil {
		return err
	}
	palette := r.palette()
	shades := newShades()
	out := &gif.GIF{Config: image.Config{ColorModel: palette, Width: r.base.Rect.Dx(), Height: r.base.Rect.Dy()}}
	var last *image.Paletted
	for k := range r.frames() {
		full := shades.paletted(r.frame(k), palette)
		frame := full
		if last != nil {
			frame = difference(last, full)
		}
		out.Image, last = append(out.Image, frame), full
		out.Delay, out.Disposal = append(out.Delay, filmDelay), append(out.Disposal, gif.DisposalNone)
	}
	out.Delay[len(out.Delay)-1] = filmRest
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, out); err != nil {
		return fmt.Errorf("draw GIF: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write GIF: %w", err)
	}
	return nil
}

// A reel draws the frames of a film.
type reel struct {
	Trajectory
	per    int // steps a frame
	behind int // steps that can be seen
	panel  *panel
	rect   vg.Rectangle // of the axes
	height vg.Length
	walls  [][2]point
	base   *image.RGBA // what does not move
	swaps  []int       // steps after which the cold rung held another replica, or the hot
}

func (q Trajectory) reel() (*reel, error) {
	c := &check{what: "film"}
	per := (len(q.Cold) + filmFrames - 1) / filmFrames
	r := &reel{Trajectory: q, per: per, behind: max(40, 10*per), panel: &panel{}}
	r.walls, _ = q.backdrop(c, r.panel)
	if c.err != nil {
		return nil, c.err
	}
	for k := range q.Cold {
		if q.Cold[k].Swapped || len(q.Hot) > 0 && q.Hot[k].Swapped {
			r.swaps = append(r.swaps, k)
		}
	}
	r.arrange()
	return r, nil
}

// arrange places the axes and draws what does not move.
func (r *reel) arrange() {
	p := r.panel
	ratio := vg.Length((p.y.max - p.y.min) / (p.x.max - p.x.min))
	if r.Axes[0].Unit != r.Axes[1].Unit {
		ratio = 1
	}
	left := edge + p.leftRoom(filmWidth)
	width := filmWidth - left - edge - 4
	height := width * ratio
	if most := 1.4 * width; height > most {
		height = most
		width = height / ratio
	}
	below := p.belowRoom() + 4
	r.height = filmHeader + height + below
	r.rect = vg.Rectangle{Min: vg.Point{X: left, Y: below}, Max: vg.Point{X: left + width, Y: below + height}}
	c, img := bitmap(filmWidth, r.height, filmDPI)
	r.header(c)
	c.Rectangle = r.rect
	p.draw(c)
	r.base = img
}

func (r *reel) frames() int { return (len(r.Cold) + r.per - 1) / r.per }

// headerLine is the height of the words over the axes.
func (r *reel) headerLine() vg.Length { return r.height - filmHeader + 9 }

// header draws what the colours mean, right of the iteration.
func (r *reel) header(c draw.Canvas) {
	sty := letters(letterSize)
	x, y := r.rect.Max.X, r.headerLine()
	sty.XAlign = draw.XRight
	name := func(i int) string {
		out := [...]string{"cold", "hot"}[i]
		if t := r.Temperature[i]; t > 0 {
			out += ", τ = " + rounded(t, 3)
		}
		return out
	}
	for i := 1; i >= 0; i-- {
		if i == 1 && len(r.Hot) == 0 {
			continue
		}
		c.FillText(sty, vg.Point{X: x, Y: y}, name(i))
		x -= letters(letterSize).Width(name(i)) + 7
		c.SetColor([...]color.Color{coldest, hottest}[i])
		c.Fill(circle(vg.Point{X: x, Y: y + 2.8}, 3.2))
		x -= 13
	}
}

// frame draws frame k: everything up to and with its last step.
func (r *reel) frame(k int) *image.RGBA {
	c, img := bitmap(filmWidth, r.height, filmDPI)
	copy(img.Pix, r.base.Pix)
	end := min((k+1)*r.per, len(r.Cold))
	trades, _ := slices.BinarySearch(r.swaps, end)
	words := "iteration " + text.Count(r.First+end-1)
	if len(r.swaps) > 0 {
		words += ", " + text.Counted(trades, "swap")
	}
	c.FillText(letters(letterSize), vg.Point{X: r.rect.Min.X, Y: r.headerLine()}, words)
	c.Rectangle = r.rect
	pl := &plane{Canvas: c, x: r.panel.x, y: r.panel.y}
	for age := filmFades - 1; age >= 0; age-- {
		r.trail(pl, r.Hot, end, age, hottest)
		r.trail(pl, r.Cold, end, age, coldest)
	}
	r.trades(pl, k, end)
	for i, steps := range [...][]Step{r.Hot, r.Cold} {
		if len(steps) == 0 {
			continue
		}
		pts := []point{at(steps[end-1].X)}
		pl.draw(dots{paper, 4.6, pts}, dots{[...]color.Color{hottest, coldest}[i], 3.6, pts})
	}
	return img
}

// trail draws the part of a trail of an age, 0 the youngest.
func (r *reel) trail(pl *plane, steps []Step, end, age int, c color.NRGBA) {
	if len(steps) == 0 {
		return
	}
	from, to := max(end-r.behind*(age+1)/filmFades, 0), end-r.behind*age/filmFades
	if to <= from {
		return
	}
	t := float64(age) / filmFades
	sty := draw.LineStyle{Color: mix(c, whole, t*0.95), Width: vg.Length(1.5 - 0.7*t)}
	path, _ := follow(steps[from:to], r.walls)
	pl.draw(lines{sty, path})
}

// trades marks the last two swaps, unless they are long past: rings around both
// replicas, and at first the line between them.
func (r *reel) trades(pl *plane, k, end int) {
	last, _ := slices.BinarySearch(r.swaps, end)
	for i := max(last-2, 0); i < last; i++ {
		s := r.swaps[i]
		age := k - s/r.per
		if age >= filmMark {
			continue
		}
		pts := []point{at(r.Cold[s].X)}
		if len(r.Hot) > 0 {
			pts = append(pts, at(r.Hot[s].X))
		}
		c := mix(exchanged, whole, 0.8*float64(age)/filmMark)
		if age < 3 && i == last-1 {
			pl.draw(line{draw.LineStyle{Color: c, Width: 1.2, Dashes: []vg.Length{3, 2}}, pts})
		}
		pl.draw(rings{draw.LineStyle{Color: c, Width: 1.6}, 6 + vg.Length(age), pts})
	}
}

// palette returns up to 64 colours: none, those that mean something, and the most
// frequent others in every tenth frame.
func (r *reel) palette() color.Palette {
	out := color.Palette{color.RGBA{}}
	add := func(c color.NRGBA) { out = append(out, color.RGBA{c.R, c.G, c.B, 255}) }
	for _, c := range [...]color.NRGBA{paper, ink, outside, whole, middle, exchanged, gridLine} {
		add(c)
	}
	for age := range filmFades {
		add(mix(coldest, whole, float64(age)/filmFades*0.95))
		add(mix(hottest, whole, float64(age)/filmFades*0.95))
	}
	var seen [1 << 15]int
	for k := 0; k < r.frames(); k += 10 {
		img := r.frame(k)
		for i := 0; i < len(img.Pix); i += 4 {
			seen[cellOf(color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255})]++
		}
	}
	for len(out) < 64 {
		best := -1
		for cell, n := range seen {
			if n > 0 && (best < 0 || n > seen[best]) {
				best = cell
			}
		}
		if best < 0 {
			break
		}
		seen[best] = 0
		if c := middleOf(best); apart(out, c) {
			add(c)
		}
	}
	return out
}

// cellOf returns the cell of five bits a channel that a colour is in.
func cellOf(c color.RGBA) int { return int(c.R>>3)<<10 | int(c.G>>3)<<5 | int(c.B>>3) }

// middleOf returns the colour in the middle of a cell.
func middleOf(cell int) color.NRGBA {
	return color.NRGBA{R: uint8(cell>>10<<3 | 4), G: uint8(cell>>5&31<<3 | 4), B: uint8(cell&31<<3 | 4), A: 255}
}

// apart reports whether c differs from all colours by more than can hardly be
// seen.
func apart(p color.Palette, c color.NRGBA) bool {
	for _, o := range p[1:] {
		o := o.(color.RGBA)
		if max(absolute(o.R, c.R), absolute(o.G, c.G), absolute(o.B, c.B)) < 14 {
			return false
		}
	}
	return true
}

func absolute(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

// shades remember the nearest colour of each cell; −1 is not known yet.
type shades [1 << 15]int16

func newShades() *shades {
	var s shades
	for i := range s {
		s[i] = -1
	}
	return &s
}

// paletted returns the picture in the colours of p less the first.
func (s *shades) paletted(img *image.RGBA, p color.Palette) *image.Paletted {
	out := image.NewPaletted(img.Rect, p)
	for i := range out.Pix {
		pix := img.Pix[4*i:]
		cell := cellOf(color.RGBA{pix[0], pix[1], pix[2], pix[3]})
		if s[cell] < 0 {
			s[cell] = int16(1 + p[1:].Index(middleOf(cell)))
		}
		out.Pix[i] = uint8(s[cell])
	}
	return out
}

// difference returns what of next is not in last, in the least rectangle; the
// first colour leaves a pixel as it is.
func difference(last, next *image.Paletted) *image.Paletted {
	w := next.Rect.Dx()
	rect := image.Rectangle{}
	for i, v := range next.Pix {
		if v != last.Pix[i] {
			x, y := i%w, i/w
			rect = rect.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	if rect.Empty() {
		rect = image.Rect(0, 0, 1, 1)
	}
	out := image.NewPaletted(rect, next.Palette)
	for y := rect.Min.Y; y < rect.Max.Y; y++ {
		for x := rect.Min.X; x < rect.Max.X; x++ {
			if i := y*w + x; next.Pix[i] != last.Pix[i] {
				out.SetColorIndex(x, y, next.Pix[i])
			}
		}
	}
	return out
}
