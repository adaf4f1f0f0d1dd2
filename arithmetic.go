package r2sgld

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"golang.org/x/sys/cpu"
)

// Arithmetic names the floating-point arithmetic of this process, as in
// "amd64 v1 fma avx2 6f0c21aa": the processor and the level that the program is compiled
// for, what the processor has of the features that matter, and a checksum of products
// that may be fused with sums and of elementary functions. Processes with equal checksums
// draw equal bytes; others may differ in the last digit.
func Arithmetic() string { return arithmetic() }

var arithmetic = sync.OnceValue(func() string {
	words := []string{runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GO"+strings.ToUpper(runtime.GOARCH) {
				words = append(words, s.Value)
			}
		}
	}
	for _, f := range []struct {
		name string
		has  bool
	}{{"fma", cpu.X86.HasFMA}, {"avx2", cpu.X86.HasAVX2}, {"avx512f", cpu.X86.HasAVX512F}, {"asimd", cpu.ARM64.HasASIMD}} {
		if f.has {
			words = append(words, f.name)
		}
	}
	return strings.Join(append(words, fmt.Sprintf("%08x", fingerprint())), " ")
})

// fingerprint is a checksum of numbers that depend on the arithmetic.
func fingerprint() uint32 {
	var b []byte
	for i := range 1000 {
		x := float64(i)/50 - 10
		y := math.Sqrt(1 + x*x)
		for _, v := range []float64{fused(x, y, -y), math.Exp(x), math.Log(y), math.Sin(x), math.Cos(x), math.Tanh(x),
			math.Pow(y, x), math.Expm1(x / 8),
			math.Log1p(y), math.Atan2(x, y), math.Erf(x / 4)} {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return crc32.ChecksumIEEE(b)
}

// fused is what a compiler may make one instruction of.
//
//go:noinline
func fused(x, y, z float64) float64 { return x*y + z }
