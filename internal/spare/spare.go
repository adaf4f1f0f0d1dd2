// Package spare answers what a machine has to spare.
package spare

import (
	"bytes"
	"math"
	"os"
	"strconv"
)

// Memory is how many bytes can be had without swapping, +Inf if the system does
// not say.
func Memory() float64 {
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
