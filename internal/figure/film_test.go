package figure

import (
	"bytes"
	"image"
	"image/draw"
	"image/gif"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/r2sgld/r2sgld/internal/pace"
)

func written(t *testing.T, f Trajectory) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.WriteGIF(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFilm reads a film as a viewer does: what has changed, drawn over the last
// frame, must give every frame as it was drawn; the last one is kept as a
// picture.
func TestFilm(t *testing.T) {
	pace.Slow(t)
	film := flowerWalk(t, 200)
	b := written(t, film)
	g, err := gif.DecodeAll(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if g.Config.Width != 480 || len(g.Image) != 100 || g.LoopCount != 0 || len(g.Image[0].Palette) > 64 {
		t.Errorf("%d dots wide, %d frames, %d loops, %d colours", g.Config.Width, len(g.Image), g.LoopCount, len(g.Image[0].Palette))
	}
	r, err := film.reel()
	if err != nil {
		t.Fatal(err)
	}
	palette := r.palette()
	colours := newShades()
	seen := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for k, frame := range g.Image {
		draw.Draw(seen, frame.Rect, frame, frame.Rect.Min, draw.Over)
		if k%33 != 0 && k != len(g.Image)-1 {
			continue
		}
		want := colours.paletted(r.frame(k), palette)
		for i, v := range want.Pix {
			c := want.Palette[v]
			if x, y := i%g.Config.Width, i/g.Config.Width; seen.At(x, y) != c {
				t.Fatalf("frame %d: %v at (%d, %d), want %v", k, seen.At(x, y), x, y, c)
			}
		}
	}
	var last bytes.Buffer
	if err := png.Encode(&last, seen); err != nil {
		t.Fatal(err)
	}
	keepPicture(t, "film.png", last.Bytes())
}

// keepPicture compares a picture with that in testdata, as TestGolden does.
func keepPicture(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *cmpimg.GenerateTestData {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := cmpimg.EqualApprox("png", got, want, 0.01); err != nil || !same {
		t.Errorf("%s differs from testdata (%v); if it is as it should be, run go test -regen", name, err)
	}
}

// The longest film is at most 1.5 MB and 150 frames; one of a single step and
// one rung is a film too.
func TestFilmSizes(t *testing.T) {
	pace.Slow(t)
	b := written(t, flowerWalk(t, MostSteps))
	if len(b) > 1_500_000 {
		t.Errorf("%d bytes", len(b))
	}
	short := flowerWalk(t, 12)
	if !bytes.Equal(written(t, short), written(t, short)) {
		t.Error("equal data gave different bytes")
	}
	short = flowerWalk(t, 1)
	short.Hot, short.Dense, short.Inside, short.View = nil, nil, nil, [2][2]float64{}
	if g, err := gif.DecodeAll(bytes.NewReader(written(t, short))); err != nil || len(g.Image) != 1 {
		t.Errorf("a single step: %v", err)
	}
}

func TestFilmRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		spoil func(*Trajectory)
		want  string
	}{
		"no steps": {func(f *Trajectory) { f.Cold = nil }, "film: no steps"},
		"lengths":  {func(f *Trajectory) { f.Hot = f.Hot[1:] }, "same iterations"},
		"NaN":      {func(f *Trajectory) { f.Cold[1].X[0] = math.NaN() }, "film, step 2"},
		"view":     {func(f *Trajectory) { f.View[0] = [2]float64{1, 1} }, "view of"},
		"density":  {func(f *Trajectory) { f.Dense = func(x, y float64) float64 { return math.NaN() } }, "density NaN"},
	} {
		f := flowerWalk(t, 4)
		c.spoil(&f)
		if err := f.WriteGIF(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}
