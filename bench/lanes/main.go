// Command lanes writes the bits of stream.Lanes to its standard output without end, for
// batteries of tests such as PractRand: script/practrand runs it. Of each uniform number
// it writes the upper 32 of 52 bits, with -low the lower 32, in the order in which a
// sampler draws: iteration, coordinate, replica.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"os"

	"github.com/r2sgld/r2sgld/stream"
)

func main() {
	replicas := flag.Int("replicas", 8, "replicas of the ladder")
	coordinates := flag.Int("coordinates", 4, "coordinates of each")
	seed := flag.Uint64("seed", 1, "seed")
	low := flag.Bool("low", false, "the lower 32 bits")
	flag.Parse()
	set := stream.New(*seed, 0)
	l := set.Lanes(*replicas, stream.Kernel)
	w := bufio.NewWriterSize(os.Stdout, 1<<16)
	b := make([]byte, 4**replicas**coordinates)
	for iteration := 0; ; iteration++ {
		set.Begin(iteration)
		for i, u := range l.Uniforms(*coordinates) {
			k := uint64(u * (1 << 52)) // the half of the odd multiple of 2^-53 falls off
			if !*low {
				k >>= 20
			}
			binary.LittleEndian.PutUint32(b[4*i:], uint32(k))
		}
		if _, err := w.Write(b); err != nil {
			return // the reader has enough
		}
	}
}
