package config

import (
	"os"
	"runtime/debug"
	"sync"
)

// thrifty are the tables beside which there is little garbage: how many, and the percentage without any.
var thrifty struct {
	sync.Mutex
	tables, percent int
}

// thrift has less garbage beside a table of so many bytes than there would be, unless GOGC says how much,
// until what it returns is called.
func thrift(size int64) (lavish func()) {
	const garbage, least = 16 << 20, 10 // bytes; percent
	percent := max(least, int(100*garbage/max(1, size)))
	if percent >= 100 || os.Getenv("GOGC") != "" {
		return func() {}
	}
	thrifty.Lock()
	defer thrifty.Unlock()
	was := debug.SetGCPercent(percent)
	if thrifty.tables++; thrifty.tables == 1 {
		thrifty.percent = was
	} else if was < percent {
		debug.SetGCPercent(was)
	}
	return func() {
		thrifty.Lock()
		defer thrifty.Unlock()
		if thrifty.tables--; thrifty.tables == 0 {
			debug.SetGCPercent(thrifty.percent)
		}
	}
}
