package pace

import (
	"flag"

	// registers rapid.seed before init below runs
	_ "pgregory.net/rapid"
)

// Property tests begin at one seed, so that a suite that passed passes again. The large
// versions, and -rapid.seed=0, take a new one each time.
func init() {
	if Soaking() {
		return
	}
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
