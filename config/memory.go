package config

import (
	"bytes"
	"math"
	"os"
	"strconv"
)

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
