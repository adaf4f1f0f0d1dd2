// Package vector evaluates elementary functions for many lanes at once. Package lane
// defines their bits: on amd64 with AVX2 and FMA, or AVX-512, kernels of four or eight
// lanes compute the same number as it does, whatever the length, and elsewhere it is
// called lane by lane. GODEBUG=cpu.avx512f=off and GODEBUG=cpu.avx2=off go without the
// one or both.
//
// A [Column] keeps numbers in 64 bits or in 32, and a [Block] multiplies rows of several: what comes of numbers that
// are kept in 32 bits has the bits that it has of the same numbers in 64.
//
// The result may be one of the arguments; other overlaps are not allowed. Arguments are
// at least as long as the result, whose length counts.
package vector

//go:generate sh -c "cd gen && go run . -isa avx2 -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg vector"
//go:generate sh -c "cd gen && go run . -isa avx512 -out ../avx512_amd64.s -stubs ../avx512_amd64.go -pkg vector"
