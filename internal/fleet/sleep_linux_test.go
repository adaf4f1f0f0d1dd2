//go:build linux

package fleet

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// clocks are timers of the kernel. Go's own, of which there are many at once, are late by up to a
// millisecond, which is what its poller rounds a wait up to.
var clocks = sync.Pool{New: func() any {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		panic(err)
	}
	return os.NewFile(uintptr(fd), "timer")
}}

// sleep is time.Sleep to some microseconds.
func sleep(d time.Duration) {
	clock := clocks.Get().(*os.File)
	defer clocks.Put(clock)
	var count [8]byte
	raw, err := clock.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			if e := unix.TimerfdSettime(int(fd), 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}, nil); e != nil {
				panic(e)
			}
		})
	}
	if err == nil {
		_, err = clock.Read(count[:])
	}
	if err != nil {
		panic(err)
	}
}
