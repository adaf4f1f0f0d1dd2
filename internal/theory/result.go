package theory

// A Result is what [Measure] found. Numbers that are not known, or were not asked
// for, are NaN and lists nil; they are written as null. Times are in units of the
// diffusion's own time: η times iterations.
type Result struct {
	Gap float64 `json:"gap"` // λ₁, 1/time
	// of the grid: from the changes from a half and a quarter as many cells, a third of the first where the order is 2;
	// NaN where the potential has a barrier or a well that the grid misses
	GapError         float64   `json:"gap_error"`
	PoincareConstant float64   `json:"poincare_constant"` // 1/λ₁
	LogSobolev       float64   `json:"log_sobolev"`       // without swaps, estimated from below by the decay of entropy; only with decay
	Eigenvalues      []float64 `json:"eigenvalues"`       // the smallest that are not zero, rising

	Cells    int     `json:"cells"`    // of the mesh
	States   int     `json:"states"`   // of the process: pairs of cells with two rungs
	Diameter float64 `json:"diameter"` // of Ω
	Convex   bool    `json:"convex"`   // whether Ω certainly is
	// ConvexBound is τπ²/diam², below which λ₁ cannot lie where U is constant and Ω
	// convex; τ is the lowest temperature.
	ConvexBound float64 `json:"convex_bound"`

	// Acceleration is E_S(f)/E(f) − 1 of the slowest mode f without swaps; NaN with
	// one rung.
	Acceleration float64    `json:"acceleration"`
	Swaps        *Swaps     `json:"swaps"` // nil with one rung
	Rungs        []RungTime `json:"rungs"` // each rung by itself, the coldest first

	Decay []Distances `json:"decay"`
	Bound *Bounds     `json:"bound"` // one number for each time of Decay
	W2Is  string      `json:"w2_is"` // "exact", "upper bound", or "" if it was not asked for

	Notes   []string `json:"notes"`        // sentences: what the numbers do not say
	Memory  float64  `json:"memory_bytes"` // at the peak, about
	Seconds float64  `json:"seconds"`

	Modes   []Mode   `json:"-"` // one for each eigenvalue
	Process *Process `json:"-"`

	missing string  // a note of what no point of the grid meets; "" if nothing was found
	missed  float64 // by what part of itself the gap is wrong for it, about
}

// A RungTime is how fast a rung mixes by itself.
type RungTime struct {
	Temperature float64 `json:"temperature"`
	Gap         float64 `json:"gap"`
	Cells       int     `json:"cells"` // that have a mass at this temperature
}

// Swaps says what trading temperatures gains. Infima are over the times of the decay
// and the limit t → ∞, which makes them estimates from above; NaN without decay.
type Swaps struct {
	Intensity float64 `json:"intensity"` // r
	Alone     float64 `json:"gap_without"`
	Gain      float64 `json:"gap_gain"` // λ₁(r)/λ₁(0) − 1
	// Chi2 is the paper's η_S = inf E_S(h)/E(h) − 1 over the densities h of the law at
	// time t to π; W2 is its δ_S, the same of √h.
	Chi2 float64 `json:"acceleration_chi2"`
	W2   float64 `json:"acceleration_w2"`
}

// Distances are those of the law at a time to π.
type Distances struct {
	Time float64 `json:"time"`
	Chi2 float64 `json:"chi2"` // ∫(h − 1)² dπ, h the density of the law to π
	KL   float64 `json:"kl"`   // ∫ h log h dπ
	W2   float64 `json:"w2"`   // Euclidean, of all coordinates of all rungs
	TV   float64 `json:"tv"`   // ½∫|h − 1| dπ
}

// Bounds are what theorems promise for the times of the decay, that of W2 with constants
// that are estimated. The start is the law π within the cell that holds the point.
type Bounds struct {
	Chi2 []float64 `json:"chi2"` // χ²(0)·exp(−2λ₁t)
	KL   []float64 `json:"kl"`   // log(1 + χ²(0)·exp(−2λ₁t))
	// W2 is √(τC·KL(0))·exp(−ρt/2), τ the highest temperature, C the log-Sobolev
	// constant without swaps and ρ the rate at which entropy decays, both estimated, or
	// the largest distance there is where that is less. It bounds W2 itself, not the
	// upper bound that Distances may have in its place.
	W2 []float64 `json:"w2"`
	TV []float64 `json:"tv"` // min(1, ½√(χ²(0)·exp(−2λ₁t)))
}

// A Mode is an eigenfunction as it is drawn.
type Mode struct {
	Value float64 // the eigenvalue, 1/time
	// Rung[k][c] is the mean of the eigenfunction given that rung k is in cell c of
	// the mesh, the function itself with one rung; NaN in cells without mass. Its
	// square has mean 1 under π with one rung, at most 1 with two.
	Rung [][]float64
}
