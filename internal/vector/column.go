package vector

import (
	"iter"
	"math"
)

// A Column is numbers, one of each row, in the form that they are kept in: [Doubles], [Singles], or what
// [Standardised] makes of these.
type Column interface {
	Len() int
	At(row int) float64
	// Rows are as many as there is room for, from a row on: where they are kept, or in the room.
	Rows(room []float64, from int) []float64
	// Taken are those of n rows, told with their places among these.
	Taken(n int, rows iter.Seq2[int, int]) Column

	alone() alike
}

// All are the numbers of a column in 64 bits, not to be changed.
func All(c Column) []float64 {
	if d, ok := c.(Doubles); ok {
		return d
	}
	out := make([]float64, c.Len())
	for i := range out {
		out[i] = c.At(i)
	}
	return out
}

// Doubles are numbers of 64 bits.
type Doubles []float64

func (c Doubles) Len() int { return len(c) }

func (c Doubles) At(row int) float64 { return c[row] }

func (c Doubles) Rows(room []float64, from int) []float64 { return c[from : from+len(room)] }

func (c Doubles) Taken(n int, rows iter.Seq2[int, int]) Column { return Doubles(taken(c, n, rows)) }

func (c Doubles) alone() alike {
	return &kept[float64]{form: func() *products[float64] { return &kernels.double }, columns: []Column{c}, numbers: [][]float64{c}}
}

// Singles are numbers of 32 bits.
type Singles []float32

func (c Singles) Len() int { return len(c) }

func (c Singles) At(row int) float64 { return widened(c[row]) }

// widened is a number of 64 bits; what is none is one and the same.
func widened(v float32) float64 {
	if v != v {
		return math.NaN()
	}
	return float64(v)
}

func (c Singles) Rows(room []float64, from int) []float64 {
	for i := kernels.single.widen(room, c[from:], nil); i < len(room); i++ {
		room[i] = float64(c[from+i])
	}
	return room
}

func (c Singles) Taken(n int, rows iter.Seq2[int, int]) Column { return Singles(taken(c, n, rows)) }

func (c Singles) alone() alike {
	return &kept[float32]{form: func() *products[float32] { return &kernels.single }, columns: []Column{c}, numbers: [][]float32{c}}
}

// taken are the numbers of n rows.
func taken[T any](of []T, n int, rows iter.Seq2[int, int]) []T {
	out := make([]T, n)
	for i, row := range rows {
		out[i] = of[row]
	}
	return out
}

// Standardised is how far the numbers of a column are from a mean, in standard deviations: what is made of
// Singles is so whenever it is asked for, and takes no room beside them.
func Standardised(c Column, mean, sd float64) Column {
	if of, ok := c.(Singles); ok {
		return standard{of, [3]float64{mean, 1 / sd, sd}}
	}
	out := make(Doubles, c.Len())
	for i := range out {
		out[i] = (c.At(i) - mean) / sd
	}
	return out
}

// standard are numbers of 32 bits and what they are scaled by: a mean, the inverse of a standard deviation and that.
type standard struct {
	Singles
	by [3]float64
}

func (c standard) At(row int) float64 { return (c.Singles.At(row) - c.by[0]) / c.by[2] }

func (c standard) Rows(room []float64, from int) []float64 {
	for i := kernels.standard.widen(room, c.Singles[from:], &c.by[0]); i < len(room); i++ {
		room[i] = (float64(c.Singles[from+i]) - c.by[0]) / c.by[2]
	}
	return room
}

func (c standard) Taken(n int, rows iter.Seq2[int, int]) Column {
	return standard{Singles(taken(c.Singles, n, rows)), c.by}
}

func (c standard) alone() alike {
	return &kept[float32]{form: func() *products[float32] { return &kernels.standard }, columns: []Column{c},
		numbers: [][]float32{c.Singles}, by: c.by[:]}
}
