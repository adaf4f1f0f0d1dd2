package dynamics

import (
	"iter"
	"slices"
	"sort"
)

// Runs are whole numbers that grow, such as lines of a file, kept as stretches of neighbours: as
// long as there are no gaps they take no room. The zero value has none.
type Runs struct {
	n       int
	stretch []stretch
}

// A stretch is of numbers that follow one another.
type stretch struct{ place, number int } // of the first

// RunsOf are these numbers.
func RunsOf(numbers ...int) (r Runs) {
	r.Add(numbers...)
	return r
}

// Add appends numbers.
func (r *Runs) Add(numbers ...int) {
	for _, v := range numbers {
		if k := len(r.stretch) - 1; k < 0 || v-r.stretch[k].number != r.n-r.stretch[k].place {
			r.stretch = append(r.stretch, stretch{r.n, v})
		}
		r.n++
	}
}

// Len is how many there are.
func (r Runs) Len() int { return r.n }

// At is the number at a place, from 0.
func (r Runs) At(place int) int {
	if place < 0 || place >= r.n {
		panic("dynamics: a number beyond the last")
	}
	k := sort.Search(len(r.stretch), func(k int) bool { return r.stretch[k].place > place }) - 1
	return r.stretch[k].number + place - r.stretch[k].place
}

// All are the places with their numbers.
func (r Runs) All() iter.Seq2[int, int] {
	return func(yield func(place, number int) bool) {
		for k, s := range r.stretch {
			end := r.n
			if k+1 < len(r.stretch) {
				end = r.stretch[k+1].place
			}
			for i := s.place; i < end; i++ {
				if !yield(i, s.number+i-s.place) {
					return
				}
			}
		}
	}
}

// Numbers are the numbers one by one.
func (r Runs) Numbers() []int {
	out := make([]int, 0, r.n)
	for _, v := range r.All() {
		out = append(out, v)
	}
	return out
}

// head are the first n, or all if there are fewer.
func (r Runs) head(n int) Runs {
	if n >= r.n {
		return r
	}
	k := sort.Search(len(r.stretch), func(k int) bool { return r.stretch[k].place >= n })
	return Runs{n, slices.Clip(r.stretch[:k])}
}
