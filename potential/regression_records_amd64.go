package potential

import "slices"

// block is the number of records that are summed at a time: they fit into the
// nearest cache.
const block = 256

// addRecords is addRecordsOneByOne, bit for bit, two products at a time.
func addRecords(s *products, values []float64, rows []int) {
	for some := range slices.Chunk(rows, block) {
		for _, t := range some {
			_ = values[t*recordWidth : (t+1)*recordWidth]
		}
		addRecordsSSE2(s, &values[0], &some[0], len(some))
	}
}

// addRecordsSSE2 knows no bounds, and n > 0. Below the diagonal it leaves s in
// disorder.
//
//go:noescape
func addRecordsSSE2(s *products, values *float64, rows *int, n int)
