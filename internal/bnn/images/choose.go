package images

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/stream"
)

// Select returns the examples of the indices, in their order, and notes where they were. An index outside of
// [0, Len) is a fault of the caller and panics.
func (s *Set) Select(indices []int) *Set {
	t, n := *s, s.Len()
	t.Pixels = rows(s.Pixels, n, indices)
	t.Values = rows(s.Values, n, indices)
	t.Labels = rows(s.Labels, n, indices)
	t.Targets = rows(s.Targets, n, indices)
	if t.Index = rows(s.Index, n, indices); s.Index == nil {
		t.Index = slices.Clone(indices)
	}
	return &t
}

// rows picks from n rows that lie one after the other.
func rows[T any](from []T, n int, indices []int) []T {
	if from == nil {
		return nil
	}
	each := len(from) / max(n, 1)
	to := make([]T, 0, each*len(indices))
	for _, i := range indices {
		to = append(to, from[i*each:(i+1)*each]...)
	}
	return to
}

// Subset returns n examples drawn at random without replacement, in the order of the
// set, with all classes in proportion: class c of n_c examples gives n·n_c/N, rounded
// down, or one more, by largest remainder. Equal seeds draw equal examples.
func (s *Set) Subset(n int, seed uint64) (*Set, error) {
	if n < 1 || n > s.Len() {
		return nil, fmt.Errorf("%s: %d examples were asked for, it has %d: choose 1 … %d", s.Name, n, s.Len(), s.Len())
	}
	members := make([][]int, max(s.Classes, 1))
	for i := range s.Len() {
		c := 0
		if s.Labels != nil {
			c = int(s.Labels[i])
		}
		members[c] = append(members[c], i)
	}
	counts := make([]int, len(members))
	for c, m := range members {
		counts[c] = len(m)
	}
	r := stream.New(seed, 0).Of(0, "subset")
	var chosen []int
	for c, k := range apportion(counts, n) {
		m := members[c]
		for i := range k { // Fisher and Yates, as far as needed
			j := i + r.IntN(len(m)-i)
			m[i], m[j] = m[j], m[i]
		}
		chosen = append(chosen, m[:k]...)
	}
	slices.Sort(chosen)
	return s.Select(chosen), nil
}

// apportion deals n seats in proportion to counts by largest remainder, ties to the
// first. No class gets more than it has, for n ≤ Σ counts.
func apportion(counts []int, n int) []int {
	total := 0
	for _, c := range counts {
		total += c
	}
	seats, order, left := make([]int, len(counts)), make([]int, len(counts)), n
	for c := range counts {
		seats[c], order[c] = n*counts[c]/total, c
		left -= seats[c]
	}
	slices.SortStableFunc(order, func(a, b int) int { return n*counts[b]%total - n*counts[a]%total })
	for _, c := range order[:left] {
		seats[c]++
	}
	return seats
}

// Moments returns mean and standard deviation (n, not n − 1) per channel of
// pixels/255: what [bnn.Engine] subtracts and divides by. The deviation of a channel
// of one value is given as 1. Values are taken as they are: 0 and 1.
func (s *Set) Moments() (mean, sd []float64) {
	mean, sd = make([]float64, s.Channels), make([]float64, s.Channels)
	plane, n := s.Height*s.Width, s.Len()
	for c := range s.Channels {
		sd[c] = 1
		if s.Pixels == nil || n == 0 {
			continue
		}
		var sum, squares uint64 // exact for 2⁴⁸ pixels
		for i := range n {
			start := (i*s.Channels + c) * plane
			for _, p := range s.Pixels[start : start+plane] {
				sum += uint64(p)
				squares += uint64(p) * uint64(p)
			}
		}
		count := float64(n) * float64(plane)
		m := float64(sum) / count
		mean[c] = m / 255
		if v := float64(squares)/count - m*m; v > 0 {
			sd[c] = math.Sqrt(v) / 255
		}
	}
	return mean, sd
}

// Fit returns the set in the shape of another, for what a network says of pictures
// that are not of its kind. Grey becomes equal channels; smaller pictures get zero
// pixels around, one more below and on the right where the difference is odd (28 × 28
// in 32 × 32: two on each side). Labels and names stay.
func (s *Set) Fit(channels, height, width int) (*Set, error) {
	if s.Pixels == nil || (s.Channels != 1 && s.Channels != channels) || s.Height > height || s.Width > width {
		return nil, fmt.Errorf("%s: pictures of %v cannot stand beside %v: grey ones can be given colours and small ones an edge; scale or "+
			"convert the others", s.Name, s.shape(), [3]int{channels, height, width})
	}
	t := s
	if s.Channels != channels {
		t = s.colour(channels)
	}
	return t.pad(height, width), nil
}

// colour repeats the one channel of grey pictures.
func (s *Set) colour(channels int) *Set {
	t := *s
	t.Channels, t.Pixels = channels, make([]byte, 0, len(s.Pixels)*channels)
	plane := s.Height * s.Width
	for start := 0; start < len(s.Pixels); start += plane {
		for range channels {
			t.Pixels = append(t.Pixels, s.Pixels[start:start+plane]...)
		}
	}
	return &t
}

// pad puts zero pixels around every picture.
func (s *Set) pad(height, width int) *Set {
	if s.Height == height && s.Width == width {
		return s
	}
	t, planes := *s, s.Len()*s.Channels
	t.Height, t.Width, t.Pixels = height, width, make([]byte, planes*height*width)
	top, left := (height-s.Height)/2, (width-s.Width)/2
	for p := range planes {
		for y := range s.Height {
			from := (p*s.Height + y) * s.Width
			copy(t.Pixels[(p*height+top+y)*width+left:], s.Pixels[from:from+s.Width])
		}
	}
	return &t
}
