package vector

import "github.com/r2sgld/r2sgld/internal/vector/lane"

// Normals writes two standard normal numbers for every key: those of [lane.Normals] of
// the counter (low, high). dst and dst2 differ.
func Normals(dst, dst2 []float64, keys []uint64, low, high uint64) {
	n := len(dst)
	dst2, keys = dst2[:n], keys[:n]
	if kernels.normals != nil && n > 0 {
		kernels.normals(&dst[0], &dst2[0], &keys[0], n, low, high)
		return
	}
	for i, k := range keys {
		dst[i], dst2[i] = lane.Normals(lane.Philox(k, low, high))
	}
}

// Uniforms writes two numbers of [lane.Uniform] for every key, as Normals does.
func Uniforms(dst, dst2 []float64, keys []uint64, low, high uint64) {
	n := len(dst)
	dst2, keys = dst2[:n], keys[:n]
	if kernels.uniforms != nil && n > 0 {
		kernels.uniforms(&dst[0], &dst2[0], &keys[0], n, low, high)
		return
	}
	for i, k := range keys {
		a, b := lane.Philox(k, low, high)
		dst[i], dst2[i] = lane.Uniform(a), lane.Uniform(b)
	}
}
