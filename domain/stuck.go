package domain

import (
	"fmt"
	"slices"
)

// A Stuck reflector says where the last step that it gave up got stuck. Specular
// reflectors of all domains but boxes, whose steps get stuck nowhere, are.
type Stuck interface {
	// LastFallback returns the walls between which the last step given up was
	// mirrored, or behind which it could not be brought, increasing: one wall or those
	// of a corner, by which [WallNames] calls them. It is empty before the first such
	// step, and after one whose end was not finite. The slice is overwritten.
	LastFallback() []Wall
}

// A trail keeps the walls that a path met last, to name those of a step given up.
type trail struct {
	recent [8]Wall
	stuck  []Wall
}

func newTrail(walls int) trail { return trail{stuck: make([]Wall, 0, max(walls, 8))} }

// met notes the wall of a path after so many others.
func (t *trail) met(w Wall, hits int) { t.recent[hits%len(t.recent)] = w }

// blame makes the last of so many walls those of the step given up.
func (t *trail) blame(hits int) {
	t.stuck = t.stuck[:0]
	for _, w := range t.recent[:min(hits, len(t.recent))] {
		t.accuse(w)
	}
}

// accuse adds a wall, in order.
func (t *trail) accuse(w Wall) {
	if at, there := slices.BinarySearch(t.stuck, w); !there {
		t.stuck = slices.Insert(t.stuck, at, w)
	}
}

// LastFallback is that of [Stuck].
func (t *trail) LastFallback() []Wall { return t.stuck }

// WallNames returns the texts by which messages call walls of d: the constraint of a
// half-space or a surface, an edge of a polygon, or the shape; "wall N" where there is
// none. Coordinates are called by their names, x0, x1 … if these are nil. A domain names
// its walls by a method WallName(w Wall) string.
func WallNames(d Domain, walls []Wall, coordinates []string) []string {
	h := halfspacesOf(d)
	names := make([]string, len(walls))
	for i, w := range walls {
		at := slices.Index(h.Walls, w)
		named, ok := d.(interface{ WallName(w Wall) string })
		switch {
		case at >= 0 && h.Names[at] == rowText(h.A[at], h.B[at], nil):
			names[i] = rowText(h.A[at], h.B[at], coordinates)
		case at >= 0:
			names[i] = h.Names[at]
		case ok:
			names[i] = named.WallName(w)
		default:
			names[i] = fmt.Sprintf("wall %d", w)
		}
	}
	return names
}
