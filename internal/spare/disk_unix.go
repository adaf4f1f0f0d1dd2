//go:build unix

package spare

import (
	"math"
	"path/filepath"
	"syscall"
)

// Disk is how many bytes may still be written below a folder, which need not be there yet;
// +Inf if the system does not say.
func Disk(dir string) float64 {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return math.Inf(1)
	}
	for {
		var s syscall.Statfs_t
		if syscall.Statfs(dir, &s) == nil {
			return float64(s.Bavail) * float64(s.Bsize)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return math.Inf(1)
		}
		dir = up
	}
}
