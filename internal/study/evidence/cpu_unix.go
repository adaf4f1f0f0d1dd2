//go:build unix

package evidence

import "syscall"

// cpuSeconds is the CPU time of this process so far, of user and system.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	of := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)*1e-6 }
	return of(u.Utime) + of(u.Stime)
}
