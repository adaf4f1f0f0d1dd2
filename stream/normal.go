package stream

import (
	"math"
	"math/rand/v2"
	"sync"
)

// A Rand is a random stream: a PCG with all methods of [rand.Rand], its normals
// drawn by a table of 256 layers and 53 bits a number. (Those of rand.Rand have
// 31 bits and take half as long again.)
type Rand struct {
	rand.Rand
	pcg rand.PCG
	zig *ziggurat
	_   [128]byte // streams of ladders on other threads stay off its cache lines
}

// newRand returns a stream seeded with 128 bits.
func newRand(hi, lo uint64) *Rand {
	r := &Rand{zig: table()}
	r.pcg.Seed(hi, lo)
	r.Rand = *rand.New(&r.pcg)
	return r
}

// table is the ziggurat of all streams. Nobody writes to it.
var table = sync.OnceValue(newZiggurat)

// A ziggurat covers the half of the normal curve by layers of equal area
// (Marsaglia and Tsang 2000, in the form of Doornik 2005): layer i ends at
// edge[i], where the curve has the height[i], and the part share[i] of it lies
// wholly under the curve. Layer 0 is the base with the tail.
type ziggurat struct {
	share  [layers]float64
	edge   [layers + 1]float64
	height [layers + 1]float64
}

// The tail starts at 3.654…, where each of 256 layers has this area under
// exp(−x²/2).
const (
	layers    = 256
	tailStart = 3.6541528853610087963519472518
	layerArea = 0.0049286732339746519
)

func newZiggurat() *ziggurat {
	z := new(ziggurat)
	f := math.Exp(-0.5 * tailStart * tailStart)
	z.edge[0], z.edge[1] = layerArea/f, tailStart
	for i := 2; i < layers; i++ {
		z.edge[i] = math.Sqrt(-2 * math.Log(layerArea/z.edge[i-1]+f))
		f = math.Exp(-0.5 * z.edge[i] * z.edge[i])
	}
	for i := range z.share {
		z.share[i] = z.edge[i+1] / z.edge[i]
	}
	for i, x := range z.edge {
		z.height[i] = math.Exp(-0.5 * x * x)
	}
	return z
}

// NormFloat64 returns a standard normal number.
func (r *Rand) NormFloat64() float64 {
	b := r.pcg.Uint64()
	i := b % layers
	u := float64(int64(b)>>11) * 0x1p-52
	if math.Abs(u) < r.zig.share[i] {
		return u * r.zig.edge[i]
	}
	return r.edgeNormal(i, u)
}

// edgeNormal finishes the draw u of layer i, one in 80, at the curve or in the
// tail.
func (r *Rand) edgeNormal(i uint64, u float64) float64 {
	z := r.zig
	for {
		if i == 0 {
			return r.tailNormal(u < 0)
		}
		x := u * z.edge[i]
		if z.height[i]+r.Float64()*(z.height[i+1]-z.height[i]) < math.Exp(-0.5*x*x) {
			return x
		}
		b := r.pcg.Uint64()
		i = b % layers
		u = float64(int64(b)>>11) * 0x1p-52
		if math.Abs(u) < z.share[i] {
			return u * z.edge[i]
		}
	}
}

// tailNormal draws from the tail (Marsaglia 1964).
func (r *Rand) tailNormal(negative bool) float64 {
	for {
		x := r.ExpFloat64() / tailStart
		if y := r.ExpFloat64(); 2*y >= x*x {
			if negative {
				return -tailStart - x
			}
			return tailStart + x
		}
	}
}
