package lane

import "math"

// Multipliers and steps of the keys of Philox4x32.
const (
	PhiloxM0     = 0xd2511f53
	PhiloxM1     = 0xcd9e8d57
	PhiloxW0     = 0x9e3779b9
	PhiloxW1     = 0xbb67ae85
	PhiloxRounds = 10
)

// Philox returns 128 random bits of a key and a counter of 128 bits: Philox4x32-10 of
// Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC11). The
// lower halves are the first words.
func Philox(key, low, high uint64) (a, b uint64) {
	k0, k1 := uint32(key), uint32(key>>32)
	c0, c1, c2, c3 := uint32(low), uint32(low>>32), uint32(high), uint32(high>>32)
	for range PhiloxRounds {
		p0, p1 := uint64(c0)*PhiloxM0, uint64(c2)*PhiloxM1
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += PhiloxW0
		k1 += PhiloxW1
	}
	return uint64(c1)<<32 | uint64(c0), uint64(c3)<<32 | uint64(c2)
}

// QuarterBits is how many bits of an angle lie within its quarter.
const QuarterBits = 50

// Uniform returns one of the 2^52 odd multiples of 2^-53 in (0, 1), from the upper bits.
func Uniform(a uint64) float64 {
	return ((number(a>>12|TwoTo52) - 0x1p52) + 0.5) * 0x1p-52
}

// Normals returns two standard normal numbers by the transform of Box and Muller, the
// distance from a, at most 8.57, the angle from b.
func Normals(a, b uint64) (x, y float64) {
	r := math.Sqrt(-2 * logOf(Uniform(a), 0))
	b >>= 12
	f := number(b&(1<<QuarterBits-1)|TwoTo52) - (1<<52 + 1<<(QuarterBits-1)) + 0.5
	s, c := inQuarter(f*(math.Pi/2/(1<<QuarterBits)), 0)
	s, c = turn(b>>QuarterBits, s, c)
	return float64(r * c), float64(r * s)
}
