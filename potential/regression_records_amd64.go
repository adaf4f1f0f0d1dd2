package potential

import "golang.org/x/sys/cpu"

// addRecords is addRecordsOneByOne, bit for bit, four products at a time where the
// processor can.
func addRecords(s *products, values []float64, rows []int) {
	if !cpu.X86.HasAVX || len(rows) == 0 {
		addRecordsOneByOne(s, values, rows)
		return
	}
	for _, t := range rows {
		_ = values[t*recordWidth : (t+1)*recordWidth]
	}
	addRecordsAVX(s, &values[0], &rows[0], len(rows))
}

// addRecordsAVX knows no bounds, and n > 0. Below the diagonal it leaves s in
// disorder.
//
//go:noescape
func addRecordsAVX(s *products, values *float64, rows *int, n int)
