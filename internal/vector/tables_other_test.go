//go:build !amd64

package vector

// tables is the plain path alone.
func tables() map[string]*table { return map[string]*table{"plain": {}} }
