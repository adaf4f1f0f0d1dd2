package report

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Where no line is redrawn a long work says now and then that it goes on, and nothing once
// it has ended.
func TestWorkInPlainLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		work := StartWork(&out, "slow", "measuring")
		time.Sleep(pulse + time.Second)
		work.Doing("figures")
		time.Sleep(pulse)
		work.Stop()
		time.Sleep(pulse)
		if got := out.String(); got != "slow  measuring, 30s …\nslow  figures, 29s …\n" {
			t.Errorf("%q", got)
		}
		warming := StartWarming(&out, "warm", 1)
		out.Reset()
		warming.Round(2, 8)
		warming.reached[0].Store(2)
		time.Sleep(pulse + time.Second)
		warming.Stop()
		if got := out.String(); got != "warm  warm-up 2, 25 %, 30s …\n" {
			t.Errorf("%q", got)
		}
	})
}
