package domain

// ExactWalls reports whether the crossings of the walls of d are found without
// fail and to rounding, so that specular reflection keeps the uniform law
// exactly: not so for [Implicit] sets with a surface that neither is a
// [CurvedSurface] nor has a [Bender], which is probed along a path, nor for kinds
// that this package does not know.
func ExactWalls(d Domain) bool {
	switch d := d.(type) {
	case *Box, *Polytope, *Ball, *Ellipsoid, *Simplex, *Polygon, *Curve:
		return true
	case *Implicit:
		return d.bounded
	case *mapped:
		return ExactWalls(d.d)
	case *Product:
		for _, p := range d.parts {
			if !ExactWalls(p.Domain) {
				return false
			}
		}
		return true
	case *Intersection:
		for _, m := range d.members {
			if !ExactWalls(m) {
				return false
			}
		}
		return true
	}
	return false
}
