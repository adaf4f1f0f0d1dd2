//go:build !amd64

package vector

// kernels are none.
var kernels = new(table)
