package potential

// recordWidth is the number of values of a record.
const recordWidth = 8

// products are the sums of all products of two values of records, of which
// those of value j with value k are at j·recordWidth+k. Below the diagonal they
// are not kept.
type products [recordWidth * recordWidth]float64

// records hold, row by row, all that the columns of a regression need of a row:
// the residuals at the expansion point, then the values of the designs, each
// once, and zeros up to recordWidth. One pass over a record serves every column
// and every state.
type records struct {
	values []float64
	// residual is the place of a column's residual in a record, design those of
	// the columns of its design.
	residual []int
	design   [][]int
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
		for k := range c.Index {
			v := func(t int) float64 { return c.row(t)[1+k] }
			at := len(columns)
			for at < len(vectors) && !same(v, vectors[at], rows) {
				at++
			}
			if at == len(vectors) {
				vectors = append(vectors, v)
			}
			if len(vectors) > recordWidth {
				return nil
			}
			places = append(places, at)
		}
		r.design = append(r.design, places)
	}
	r.values = make([]float64, rows*recordWidth)
	for t := range rows {
		for k, v := range vectors {
			r.values[t*recordWidth+k] = v(t)
		}
	}
	return r
}

func same(a, b func(t int) float64, rows int) bool {
	for t := range rows {
		if a(t) != b(t) {
			return false
		}
	}
	return true
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
			a := r.design[i][j]
			q.slope[pj] += weight * s[e*recordWidth+a]
			for k := range c.Index {
				b := r.design[i][k]
				q.curve[c.place[j*len(c.Index)+k]] += weight * s[min(a, b)*recordWidth+max(a, b)]
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
