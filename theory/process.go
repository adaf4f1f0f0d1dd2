package theory

// A Process is a reversible process of one or two rungs on the cells of a mesh.
type Process struct {
	Temperature []float64 // of the rungs, rising
	Intensity   float64   // r of swaps
}
