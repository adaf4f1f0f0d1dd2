package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"time"
)

// slowModel is the value of asProgram that makes the test binary a potential of two wells whose
// states take as long as the variable slowness says, or a millisecond.
const slowModel, slowness = "slow", "R2SGLD_SLOWNESS"

func slowly() int {
	each, err := time.ParseDuration(os.Getenv(slowness))
	if err != nil {
		each = time.Millisecond
	}
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	_, _ = in.ReadString('\n')
	fmt.Fprintln(out, `{"r2sgld": 2, "dimension": 2, "lanewise": true}`)
	for {
		_ = out.Flush()
		var ask struct {
			States, Kind uint32
			Seed         int64
		}
		if err := binary.Read(in, binary.LittleEndian, &ask); err != nil {
			return 0
		}
		x := make([][2]float64, ask.States)
		if err := binary.Read(in, binary.LittleEndian, x); err == io.ErrUnexpectedEOF {
			return 1
		}
		time.Sleep(time.Duration(ask.States) * each)
		_ = binary.Write(out, binary.LittleEndian, [2]uint32{ask.States, 0})
		for _, v := range x {
			_ = binary.Write(out, binary.LittleEndian, (v[0]*v[0]-1)*(v[0]*v[0]-1)+math.Sin(v[1])*v[1])
		}
		for _, v := range x {
			_ = binary.Write(out, binary.LittleEndian, [2]float64{4 * v[0] * (v[0]*v[0] - 1), math.Cos(v[1])*v[1] + math.Sin(v[1])})
		}
	}
}
