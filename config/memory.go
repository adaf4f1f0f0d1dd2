package config

import (
	"bytes"
	"math"
	"os"
	"strconv"
)

// bytesPerState is what a state of a reversible process in so many dimensions takes in
// memory while some of its eigenvalues are looked for: rates to its neighbours, and
// vectors.
func bytesPerState(dim, eigenvalues int) float64 {
	return 16*float64(2*dim+2) + 8*float64(4*eigenvalues+60)
}

// availableMemory is how many bytes can be had without swapping, +Inf if the system does
// not say.
func availableMemory() float64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return math.Inf(1)
	}
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) > 1 && string(fields[0]) == "MemAvailable:" {
			if kib, err := strconv.ParseFloat(string(fields[1]), 64); err == nil {
				return 1024 * kib
			}
		}
	}
	return math.Inf(1)
}
