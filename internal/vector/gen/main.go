// The program gen writes the assembly of package vector: every kernel once, for vectors
// of four lanes (AVX2 with FMA) and of eight (AVX-512 F and DQ).
//
//	go run . -isa avx2 -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg vector
package main

import (
	"bytes"
	"flag"
	"log"
	"os"
	"regexp"

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
	for _, f := range []form{double, single, standard} {
		m.block(f)
	}
	for _, f := range []form{single, standard} {
		m.rows(f)
	}
	m.softplusSum()
	m.program(append(arithmetic, functions...))
	build.Generate()
	if err := prune(flag.Lookup("out").Value.String()); err != nil {
		log.Fatal(err)
	}
}

// prune takes moves of vectors to where they are out of a file: avo leaves them.
func prune(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	move := regexp.MustCompile(`^\s*VMOVUPD +([YZ]\d+), ([YZ]\d+)\n$`)
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		if m := move.FindSubmatch(line); m == nil || !bytes.Equal(m[1], m[2]) {
			out.Write(line)
		}
	}
	return os.WriteFile(file, out.Bytes(), 0o644)
}
