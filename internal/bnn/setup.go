package bnn

// A Setup says which replicas an engine makes.
type Setup struct {
	Network  Network
	Replicas int
	Seed     uint64 // of first weights and of noise: streams are keyed by (seed, number of the replica)
	// Numbers are those of the replicas, where an engine holds some of more; nil is 0, 1, ….
	Numbers []int
	// Reflect lists the roles of the tensors that walls hold back; nil is all.
	Reflect []Role
	// Precision is float32, float64, tf32 or bfloat16 (products in half precision,
	// parameters in float32). "" is float32.
	Precision string
}

// Number is that of the replica at place r of an engine.
func (s *Setup) Number(r int) int {
	if s.Numbers == nil {
		return r
	}
	return s.Numbers[r]
}

// Precisions returns what Precision may be, "" aside.
func Precisions() []string { return []string{"float32", "float64", "tf32", "bfloat16"} }

// Kinds returns the names of the networks, the smallest first.
func Kinds() []string {
	return []string{"mlp", "lenet", "resnet8", "resnet20", "resnet32", "resnet44", "resnet56", "resnet110", "bottleneck56"}
}
