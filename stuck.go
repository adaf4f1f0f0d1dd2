package r2sgld

import "github.com/r2sgld/r2sgld/domain"

// A corner is where a step was last given up: walls, and None for no more of them.
type corner [8]int64

func newCorners(rungs int) []corner {
	all := make([]corner, rungs)
	for r := range all {
		all[r].set(nil)
	}
	return all
}

func (c *corner) set(walls []domain.Wall) {
	for i := range c {
		if c[i] = int64(domain.None); i < len(walls) {
			c[i] = int64(walls[i])
		}
	}
}

// names are the texts of the walls of a domain d of coordinates of these names.
func (c corner) names(d domain.Domain, coordinates []string) []string {
	var walls []domain.Wall
	for _, w := range c {
		if w >= 0 && d != nil && w < int64(d.Tracer().Walls()) {
			walls = append(walls, domain.Wall(w))
		}
	}
	if walls == nil {
		return nil
	}
	return domain.WallNames(d, walls, coordinates)
}
