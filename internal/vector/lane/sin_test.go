package lane

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// pi to 300 bits.
const pi90 = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }

// exactSinCos sums Taylor's series of the reduced argument.
func exactSinCos(x float64) (s, c *big.Float) {
	pi, _, _ := big.ParseFloat(pi90, 10, 300, big.ToNearestEven)
	k := math.Round(x / (2 * math.Pi))
	y := new(big.Float).Mul(pi, bigFloat(2*k))
	y.Sub(bigFloat(x), y)
	s, c = bigFloat(0), bigFloat(0)
	term := bigFloat(1)
	for n := range 60 {
		to := c
		if n%2 == 1 {
			to = s
		}
		if n%4 < 2 {
			to.Add(to, term)
		} else {
			to.Sub(to, term)
		}
		term.Quo(new(big.Float).Mul(term, y), bigFloat(float64(n+1)))
	}
	return s, c
}

// ulps returns the error of got in units in the last place.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	d, _ := new(big.Float).Sub(bigFloat(got), want).Float64()
	return math.Abs(d) / (math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w))
}

// A unit in the last place kills a missing part of the reduction (next to multiples of
// π/2 it is worth thousands) and any wrong digit of a coefficient.
func TestSinCosToTheLastPlace(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for i := range 6000 {
		x := (rng.Float64() - 0.5) * math.Pow(2, 21*rng.Float64())
		if i%3 == 0 { // next to a multiple of π/2
			x = math.Pi / 2 * math.Round(x*2/math.Pi)
		}
		if i%7 == 0 {
			x *= math.Pow(2, -60*rng.Float64())
		}
		s, c := SinCos(x)
		ws, wc := exactSinCos(x)
		worst = max(worst, ulps(s, ws), ulps(c, wc))
		if worst >= 0.9 {
			t.Fatalf("SinCos(%v) = %v, %v is off by %.2f units", x, s, c, worst)
		}
	}
	t.Logf("worst error %.3f units in the last place", worst)
}

func TestSinCosEverywhere(t *testing.T) {
	for _, x := range []float64{SinRange, -SinRange, 1e9, -1e18, 1e300, math.MaxFloat64} {
		s, c := SinCos(x)
		if ws, wc := math.Sincos(x); s != ws || c != wc {
			t.Errorf("SinCos(%v) = %v, %v, want %v, %v", x, s, c, ws, wc)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if s, c := SinCos(x); s == s || c == c {
			t.Errorf("SinCos(%v) = %v, %v", x, s, c)
		}
	}
}
