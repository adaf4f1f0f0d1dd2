//go:build !linux

package fleet

import "time"

func sleep(d time.Duration) { time.Sleep(d) }
