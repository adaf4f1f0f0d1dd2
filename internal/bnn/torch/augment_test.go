package torch

import (
	"math"
	"reflect"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/pace"
)

const (
	side  = 8  // of pictures
	shown = 64 // examples in a minibatch
)

// A camera sees what a network is shown: of a linear map with θ = 0 and targets
// e_1 … e_shown the gradient of ½|out − target|², mean over examples, has −x_i/shown
// in row i. Its pictures' pixels are all different, none is 0.
func camera(t *testing.T, replicas int) bnn.Engine {
	t.Helper()
	s := bnn.Setup{
		Network:  bnn.Network{Kind: "mlp", Input: [3]int{1, side, side}, Outputs: shown, Loss: "squared"},
		Replicas: replicas, Precision: "float64",
	}
	e, err := Open(t.Context(), s, here(t))
	must(t, err)
	t.Cleanup(func() { must(t, e.Close()) })
	set := &images.Set{Channels: 1, Height: side, Width: side, Targets: make([]float32, shown*shown)}
	for i := range shown {
		set.Targets[i*shown+i] = 1
		for j := range side * side {
			set.Pixels = append(set.Pixels, byte(1+j))
		}
	}
	must(t, e.Load(0, set, []float64{0}, []float64{1}))
	for r := range replicas {
		state := get[*bnn.State](t)(e.State(r))
		clear(state.Parameters)
		must(t, e.SetState(r, state))
	}
	return e
}

// picture is what replica r saw at all places: pixels by their numbers, 0 … side².
func photographs(t *testing.T, e bnn.Engine, r int, a bnn.Augmentation) [][]int {
	t.Helper()
	b := bnn.Batch{Augment: a}
	for i := range shown {
		b.Indices = append(b.Indices, int32(i))
	}
	_, gradient, err := e.Gradient(r, b)
	must(t, err)
	all := make([][]int, shown)
	for i := range all {
		for j := range side * side {
			all[i] = append(all[i], int(math.Round(-gradient[i*side*side+j]*shown*255)))
		}
	}
	return all
}

// window tells where the window of a padded picture lies, from a pixel of it that is
// not 0.
func window(t *testing.T, seen []int, flipped bool) (top, left int) {
	t.Helper()
	for j, p := range seen {
		if p == 0 {
			continue
		}
		y, x := j/side, j%side
		if flipped {
			x = side - 1 - x
		}
		return (p-1)/side - y, (p-1)%side - x
	}
	t.Fatal("a picture of nothing")
	return 0, 0
}

// want is the picture cut out at an offset.
func cut(top, left int, flipped bool) []int {
	var p []int
	for y := range side {
		for x := range side {
			if flipped {
				x = side - 1 - x
			}
			v := 0
			if r, c := y+top, x+left; r >= 0 && r < side && c >= 0 && c < side {
				v = 1 + r*side + c
			}
			p = append(p, v)
		}
	}
	return p
}

// Windows are uniform, half are flipped; each is an exact cut. Kills: a border one
// short, rows and columns exchanged, flips of none or all, flipped before as well as
// after, one draw for a whole minibatch. |z| < 5.5 of 51 counts fails falsely with
// probability below 2e-6, and seeds are fixed.
func TestWindows(t *testing.T) {
	pace.Slow(t)
	e := camera(t, 2)
	const crop, minibatches = 2, 100
	var counts [2*crop + 1][2*crop + 1]int
	flips := 0
	for seed := range uint64(minibatches) {
		a := bnn.Augmentation{Crop: crop, Flip: true, Seed: seed}
		seen := photographs(t, e, 0, a)
		if seed < 3 && (!reflect.DeepEqual(seen, photographs(t, e, 1, a)) || !reflect.DeepEqual(seen, photographs(t, e, 0, a))) {
			t.Fatal("replicas see different pictures")
		}
		for i, p := range seen {
			flipped := p[3*side+4] != 0 && p[3*side+3] > p[3*side+4]
			top, left := window(t, p, flipped)
			if !reflect.DeepEqual(p, cut(top, left, flipped)) {
				t.Fatalf("minibatch %d, picture %d: %v is no cut", seed, i, p)
			}
			counts[top+crop][left+crop]++
			if flipped {
				flips++
			}
		}
	}
	n := float64(minibatches * shown)
	z := func(count int, p float64) float64 { return (float64(count) - n*p) / math.Sqrt(n*p*(1-p)) }
	if math.Abs(z(flips, 0.5)) > 5.5 {
		t.Errorf("%d of %v flipped", flips, n)
	}
	for top, row := range counts {
		for left, count := range row {
			if math.Abs(z(count, 1.0/25)) > 5.5 {
				t.Errorf("window (%d, %d): %d of %v", top-crop, left-crop, count, n)
			}
		}
	}
	untouched(t, e)
	erasing(t, e)
}

// untouched: the zero value changes nothing.
func untouched(t *testing.T, e bnn.Engine) {
	for _, p := range photographs(t, e, 0, bnn.Augmentation{Seed: 9}) {
		if !reflect.DeepEqual(p, cut(0, 0, false)) {
			t.Fatalf("%v: changed", p)
		}
	}
}

// erasing: the share of pictures is that asked for, what is erased is a rectangle of
// 0.02 … 0.4 of the area, rounded. Kills an erasing of all or none, and rows without
// columns.
func erasing(t *testing.T, e bnn.Engine) {
	const p, minibatches = 0.3, 50
	erased := 0
	for seed := range uint64(minibatches) {
		for _, seen := range photographs(t, e, 0, bnn.Augmentation{Erase: p, Seed: seed}) {
			rows, columns, holes := [side]bool{}, [side]bool{}, 0
			for j, v := range seen {
				if v == 0 {
					rows[j/side], columns[j%side] = true, true
					holes++
				} else if v != 1+j {
					t.Fatalf("pixel %d is %d", j, v)
				}
			}
			if holes == 0 {
				continue
			}
			erased++
			if h, w := span(rows), span(columns); h*w != holes || holes > side*side*4/10+side/2+1 {
				t.Fatalf("%d pixels erased in %d rows, %d columns", holes, h, w)
			}
		}
	}
	n := float64(minibatches * shown)
	if z := (float64(erased) - n*p) / math.Sqrt(n*p*(1-p)); math.Abs(z) > 4.9 {
		t.Errorf("%d of %v erased", erased, n)
	}
}

// span is the length of the one run of true.
func span(b [side]bool) int {
	n, runs := 0, 0
	for i, v := range b {
		if v {
			n++
			if i == 0 || !b[i-1] {
				runs++
			}
		}
	}
	if runs != 1 {
		return -1
	}
	return n
}
