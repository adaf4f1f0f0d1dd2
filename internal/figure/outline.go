package figure

// A lattice is nx × ny knots over a rectangle.
type lattice struct {
	nx, ny                 int
	xmin, xmax, ymin, ymax float64
}

func (l lattice) knot(i, j int) point {
	return point{
		l.xmin + (l.xmax-l.xmin)*float64(i)/float64(l.nx-1),
		l.ymin + (l.ymax-l.ymin)*float64(j)/float64(l.ny-1),
	}
}

// outline returns the boundary of a region as closed loops that keep the
// region on their left: counter-clockwise around it, clockwise around its
// holes. A ring of knots around the lattice counts as outside, so that each
// loop is closed; its loops run beyond the rectangle there. The wall between
// neighbours is found by bisection. Marching squares, Lorensen and Cline
// (1987); where two corners face each other the middle decides.
func outline(l lattice, inside func(x, y float64) bool) [][]point {
	known := make([]bool, l.nx*l.ny)
	for j := range l.ny {
		for i := range l.nx {
			k := l.knot(i, j)
			known[j*l.nx+i] = inside(k.x, k.y)
		}
	}
	at := func(i, j int) bool {
		return i >= 0 && j >= 0 && i < l.nx && j < l.ny && known[j*l.nx+i]
	}
	cross := func(i, j, k, m int) point { // (i, j) is inside, (k, m) is not
		in, out := l.knot(i, j), l.knot(k, m)
		if k < 0 || m < 0 || k >= l.nx || m >= l.ny {
			return out
		}
		for range 24 {
			mid := point{(in.x + out.x) / 2, (in.y + out.y) / 2}
			if inside(mid.x, mid.y) {
				in = mid
			} else {
				out = mid
			}
		}
		return in
	}
	return trace(l, at, cross, func(i, j int) bool {
		a, b := l.knot(i, j), l.knot(i+1, j+1)
		return inside((a.x+b.x)/2, (a.y+b.y)/2)
	})
}

// contour returns the loops around the region where the values v[j*nx+i] at
// the knots exceed level, with straight lines between knots.
func contour(l lattice, v []float64, level float64) [][]point {
	value := func(i, j int) float64 {
		if i < 0 || j < 0 || i >= l.nx || j >= l.ny {
			return 0
		}
		return v[j*l.nx+i]
	}
	at := func(i, j int) bool { return value(i, j) > level }
	cross := func(i, j, k, m int) point {
		a, b := value(i, j), value(k, m)
		t := (a - level) / (a - b)
		in, out := l.knot(i, j), l.knot(k, m)
		return point{in.x + t*(out.x-in.x), in.y + t*(out.y-in.y)}
	}
	return trace(l, at, cross, func(i, j int) bool {
		return value(i, j)+value(i+1, j)+value(i, j+1)+value(i+1, j+1) > 4*level
	})
}

// An edgeID names the lattice edge from knot (i, j) to the right or upwards.
type edgeID struct {
	i, j int
	up   bool
}

// trace walks along all walls between knots that are in the region and knots
// that are not. cross places the wall between a knot inside and its neighbour
// outside; middle says whether the middle of a cell is inside.
func trace(l lattice, at func(i, j int) bool, cross func(i, j, k, m int) point, middle func(i, j int) bool) [][]point {
	next := map[edgeID]edgeID{}
	var order []edgeID
	join := func(a, b edgeID) {
		next[a] = b
		order = append(order, a)
	}
	for j := -1; j < l.ny; j++ {
		for i := -1; i < l.nx; i++ {
			cellWalls(i, j, at, middle, join)
		}
	}
	var loops [][]point
	for _, start := range order {
		var loop []point
		for e := start; ; {
			to, ok := next[e]
			if !ok {
				break
			}
			delete(next, e)
			loop = append(loop, edgePoint(e, at, cross))
			e = to
		}
		if len(loop) > 2 {
			loops = append(loops, loop)
		}
	}
	return loops
}

// cellWalls joins the edges of cell (i, j) that a wall enters and leaves by,
// with the inside on the left.
func cellWalls(i, j int, at func(i, j int) bool, middle func(i, j int) bool, join func(a, b edgeID)) {
	// Corners counter-clockwise from the lower left; edge k leads from
	// corner k to corner k+1.
	in := [4]bool{at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)}
	edges := [4]edgeID{{i, j, false}, {i + 1, j, true}, {i, j + 1, false}, {i, j, true}}
	saddle := in[0] == in[2] && in[1] == in[3] && in[0] != in[1]
	connected := saddle && middle(i, j)
	for k := range 4 {
		// Going round the cell, the wall enters the cell where the inside
		// ends and leaves where it begins, so that the inside is on its left.
		if !in[k] || in[(k+1)%4] {
			continue
		}
		if connected {
			// The inside runs through the middle: cut off the corner outside.
			join(edges[k], edges[(k+1)%4])
			continue
		}
		for m := k + 3; m > k; m-- {
			if e := m % 4; !in[e] && in[(e+1)%4] {
				join(edges[k], edges[e])
				break
			}
		}
	}
}

func edgePoint(e edgeID, at func(i, j int) bool, cross func(i, j, k, m int) point) point {
	k, m := e.i+1, e.j
	if e.up {
		k, m = e.i, e.j+1
	}
	if at(e.i, e.j) {
		return cross(e.i, e.j, k, m)
	}
	return cross(k, m, e.i, e.j)
}
