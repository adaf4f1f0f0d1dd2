package slope

import "math"

// Noise estimates the standard deviation of the noise of values at uneven
// times: the root mean square of their divided differences, scaled to what unit
// noise has, of the order from 2 to 6 where it is least. Whatever is smooth over
// a few values has no part in it. It is at least 1e-6 of the values' own spread.
func Noise(times, v []float64) float64 {
	least := math.Inf(1)
	for order := 2; order <= min(6, len(v)-2); order++ {
		sum, n := 0.0, 0
		for from := 0; from+order < len(v); from++ {
			d, length := 0.0, 0.0
			for j := from; j <= from+order; j++ {
				w := 1.0
				for k := from; k <= from+order; k++ {
					if k != j {
						w /= (times[j] - times[k]) / (times[from+order] - times[from])
					}
				}
				d += w * (v[j] - v[from])
				length += w * w
			}
			sum += d * d / length
			n++
		}
		least = math.Min(least, math.Sqrt(sum/float64(n)))
	}
	if math.IsInf(least, 0) {
		least = 1e6 * LeastNoise(v)
	}
	return math.Max(least, LeastNoise(v))
}

// LeastNoise is 1e-6 of the spread of values: noise below that is not told.
func LeastNoise(v []float64) float64 {
	mean, spread := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		spread = math.Hypot(spread, (x-mean)/math.Sqrt(float64(len(v))))
	}
	return math.Max(1e-6*spread, 1e-300)
}
