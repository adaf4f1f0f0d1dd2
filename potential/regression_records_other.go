//go:build !amd64

package potential

func addRecords(s *products, values []float64, rows []int) { addRecordsOneByOne(s, values, rows) }
