package exchange

// Wanted says how many fresh energies of each replica shall be given to Observe
// in iteration k = 1, 2, … before its sweep: 0 mostly, and always if σ̃² is not
// estimated. The first estimate comes before the first sweep.
func (e *Exchange) Wanted(k int) int {
	every := e.set.Estimate.Every
	if every == 0 || len(e.holder) < 2 || e.estimates > 0 && k%every != 0 {
		return 0
	}
	return e.set.Estimate.Batches
}

// Observe takes fresh energies, energies[b][i] that of replica i on minibatch b,
// the same minibatch for all replicas, and updates σ̃² of every pair by the
// sample variance s² of its difference,
//
//	σ̃² ← (1−a) σ̃² + a s²,  a = max(Smoothing, 1/n) in estimate n = 1, 2, …
//
// and the noise of each rung alike. Since the minibatch is shared, σ̃² is not the
// sum of the two rungs' noise. At least two batches are needed; a pair with an
// infinite energy keeps what it has.
func (e *Exchange) Observe(rung []int, energies [][]float64) {
	if len(energies) < 2 {
		return
	}
	e.estimates++
	a := max(e.set.Estimate.Smoothing, 1/float64(e.estimates))
	for i, r := range rung {
		e.holder[r] = i
		smooth(&e.stats.Noise[r], a, energies, i, -1)
	}
	for p := range e.stats.Pairs {
		pair := &e.stats.Pairs[p]
		smooth(&pair.Variance, a, energies, e.holder[pair.Cold], e.holder[pair.Hot])
	}
}

// smooth moves v by a towards the sample variance of the energy of replica i,
// less that of replica j if j ≥ 0.
func smooth(v *float64, a float64, energies [][]float64, i, j int) {
	mean, squares := 0.0, 0.0
	for b, u := range energies {
		x := u[i]
		if j >= 0 {
			x -= u[j]
		}
		d := x - mean
		mean += d / float64(b+1)
		squares += d * (x - mean)
	}
	if s := squares / float64(len(energies)-1); s-s == 0 {
		*v += a * (s - *v)
	}
}
