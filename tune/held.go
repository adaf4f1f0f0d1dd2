package tune

import (
	"math"

	"github.com/r2sgld/r2sgld"
)

const (
	mostBytes = 1 << 29 // of the draws that are held in memory
	mostDraws = 1 << 17 // of them, of a ladder
	leastHeld = 1024    // of a ladder, however large they are
	plenty    = 4       // draws for each effective one that is asked for
)

// MostHeld is the number of draws of each ladder that fit into memory, of d coordinates,
// and of so many ladders and rungs.
func MostHeld(d, ladders, rungs int) int {
	each := 8 * (d + 1) * max(1, ladders) * max(1, rungs)
	return max(leastHeld, min(mostDraws, mostBytes/each))
}

// hold is the number of draws of d coordinates that each ladder of a run of method auto
// holds at most, whose first round s is: those of the first two rounds, or four for each
// effective draw that u asks for. Of more every second one is dropped, however long the
// run, so that neither memory nor disk grow with it. Evidence is told by all that fit into
// memory.
func (u Until) hold(s r2sgld.Settings, d int) int {
	most := MostHeld(d, s.Ladders, len(s.Temperature))
	if u.Evidence > 0 {
		return most
	}
	two := (2*s.Iterations - s.BurnIn) / max(1, s.Thin)
	return min(most, max(leastHeld, two, int(math.Ceil(plenty*u.ESS/float64(max(1, s.Ladders))))))
}

// Costs are those of a run.
type Costs struct {
	SecondsPerIteration float64 `json:"seconds_per_iteration"` // of all ladders side by side
	Seconds             float64 `json:"seconds"`
	Draws               int     `json:"draws"` // of the cold rung, kept by all ladders
	Memory              float64 `json:"memory_bytes"`
	Checkpoint          float64 `json:"checkpoint_bytes"`
	Disk                float64 `json:"disk_bytes"` // draws and checkpoints
}

// What a run takes beside its draws, in bytes, about.
const (
	ownMemory = 64e6
	ownDisk   = 2e6 // figures, summary, the log
)

// CostsOf are those of a run of s on states of d coordinates for so many iterations per
// ladder that need no clock. thins says that what goes to disk is what is held, as with
// method auto; other runs keep on disk what they drop in memory.
func CostsOf(s r2sgld.Settings, d, iterations int, thins bool) Costs {
	const number, digits = 8, 20 // bytes, in memory and as text
	rungs, ladders := max(1, len(s.Temperature)), max(1, s.Ladders)
	kept := max(0, (iterations-s.BurnIn)/max(1, s.Thin))
	held := kept
	if s.MaxDraws > 0 {
		held = min(kept, s.MaxDraws)
	}
	if thins {
		kept = held
	}
	state := float64(number * rungs * (d + 1))
	c := Costs{Draws: kept * ladders}
	c.Checkpoint = float64(ladders) * state * float64(held+4)
	c.Memory = ownMemory + 4*c.Checkpoint // the draws, copies on their way to disk, and what is not collected yet
	c.Disk = ownDisk + 2*c.Checkpoint + float64(c.Draws)*(state+number+digits*float64(d+2))
	return c
}
