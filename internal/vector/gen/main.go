// The program gen writes the assembly of package vector: every kernel once, for vectors
// of four lanes (AVX2 with FMA) and of eight (AVX-512 F and DQ).
//
//	go run . -isa avx2 -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg vector
package main

import (
	"flag"

	"github.com/mmcloughlin/avo/build"
)

func main() {
	name := flag.String("isa", "avx2", "avx2 or avx512")
	flag.Parse()
	m := newMachine(*name == "avx512")
	for _, k := range arithmetic {
		m.kernel(k, false)
	}
	for _, k := range functions {
		m.kernel(k, false)
	}
	for _, k := range random {
		m.kernel(k, true)
	}
	m.combine()
	build.Generate()
}
