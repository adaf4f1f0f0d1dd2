package potential

// recordWidth is the number of values of a record.
const recordWidth = 8

// products are the sums of all products of two values of records, of which
// those of value j with value k are at j·recordWidth+k. Below the diagonal they
// are not kept.
type products [recordWidth * recordWidth]float64

// records hold, row by row, all that the columns of a regression need of a row:
// the residuals at the expansion point, then the values of the designs, each
// once whatever its sign, and zeros up to recordWidth. One pass over a record serves every column
// and every state.
type records struct {
	values []float64
	// residual is the place of a column's residual in a record, design those of
	// the columns of its design, and sign their signs there.
	residual []int
	design   [][]int
	sign     [][]float64
}

// newRecords packs the columns; nil if they do not fit into a record.
func newRecords(columns []column, rows int) *records {
	r := &records{}
	vectors := make([]func(t int) float64, 0, recordWidth+1)
	for i := range columns {
		c := &columns[i]
		r.residual = append(r.residual, len(vectors))
		vectors = append(vectors, func(t int) float64 { return c.row(t)[0] })
	}
	for i := range columns {
		c := &columns[i]
		var places []int
		var signs []float64
		for k := range c.Index {
			v := func(t int) float64 { return c.row(t)[1+k] }
			at, sign := len(columns), 1.0
			for ; at < len(vectors); at++ {
				if s, ok := same(v, vectors[at], rows); ok {
					sign = s
					break
				}
			}
			if at == len(vectors) {
				vectors = append(vectors, v)
			}
			if len(vectors) > recordWidth {
				return nil
			}
			places, signs = append(places, at), append(signs, sign)
		}
		r.design, r.sign = append(r.design, places), append(r.sign, signs)
	}
	r.values = make([]float64, rows*recordWidth)
	for t := range rows {
		for k, v := range vectors {
			r.values[t*recordWidth+k] = v(t)
		}
	}
	return r
}

// same reports whether a is b or −b, and which.
func same(a, b func(t int) float64, rows int) (sign float64, ok bool) {
	equal, opposite := true, true
	for t := 0; t < rows && (equal || opposite); t++ {
		equal, opposite = equal && a(t) == b(t), opposite && a(t) == -b(t)
	}
	if equal {
		return 1, true
	}
	return -1, opposite
}

// accumulate sums value, slope and curve of q over rows, times scale.
func (r *records) accumulate(q *quadratic, s *products, columns []column, rows []int, scale float64) {
	*s = products{}
	addRecords(s, r.values, rows)
	q.value = 0
	clear(q.slope)
	clear(q.curve)
	for i := range columns {
		c := &columns[i]
		weight, e := scale*c.Weight, r.residual[i]
		q.value += weight / 2 * s[e*recordWidth+e]
		for j, pj := range c.Index {
			a, signed := r.design[i][j], weight*r.sign[i][j]
			q.slope[pj] += signed * s[e*recordWidth+a]
			for k := range c.Index {
				b := r.design[i][k]
				q.curve[c.place[j*len(c.Index)+k]] += signed * r.sign[i][k] * s[min(a, b)*recordWidth+max(a, b)]
			}
		}
	}
}

// addRecordsOneByOne adds the products of the given rows to s, in their order.
func addRecordsOneByOne(s *products, values []float64, rows []int) {
	for _, t := range rows {
		row := (*[recordWidth]float64)(values[t*recordWidth:])
		for j, a := range row {
			sums := s[j*recordWidth : (j+1)*recordWidth]
			for k := j; k < recordWidth; k++ {
				sums[k] += float64(a * row[k]) // rounded, whatever the machine: no fused multiply-add
			}
		}
	}
}
