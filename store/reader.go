package store

import (
	"fmt"
	"path/filepath"
	"slices"
)

// A Reader reads parts of the cold rung of a Zarr store, so that memory need
// not hold the whole.
type Reader struct {
	dir        string
	names      []string
	parameters []column
	energy     *column // nil if that is not known
	chains, n  int
}

// A column is an array with dimensions chain and draw.
type column struct {
	path string
	meta zarrArray
}

// OpenZarr opens a store whose parameters are numbers, as all are that we
// write.
func OpenZarr(dir string) (*Reader, error) {
	r := &Reader{dir: dir}
	if err := r.open(); err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	return r, nil
}

func (r *Reader) open() error {
	if err := checkZarr(r.dir); err != nil {
		return err
	}
	group := filepath.Join(r.dir, "posterior")
	var attrs zarrAttributes
	if err := readDocument(filepath.Join(group, ".zattrs"), &attrs, true); err != nil {
		return err
	}
	arrays, err := groupArrays(group, attrs)
	if err != nil {
		return err
	}
	for _, name := range arrays {
		if name == "chain" || name == "draw" {
			continue
		}
		given, c, err := r.column(filepath.Join(group, name))
		if err != nil {
			return err
		}
		r.names, r.parameters = append(r.names, given), append(r.parameters, c)
	}
	if len(r.names) == 0 {
		return fmt.Errorf("%s holds no array with dimensions chain and draw", group)
	}
	if energy := filepath.Join(r.dir, "sample_stats", "energy"); attrs.Library == library && exists(energy) {
		_, c, err := r.column(energy)
		r.energy = &c
		return err
	}
	return nil
}

// column reads the description of an array, whose shape must be that of all.
func (r *Reader) column(path string) (name string, c column, err error) {
	c.path = path
	name, dims, err := c.meta.describe(path)
	if err != nil {
		return "", c, err
	}
	if !slices.Equal(dims, []string{"chain", "draw"}) {
		return "", c, fmt.Errorf("%s has dimensions %v: one number per draw is what can be read in parts", path, dims)
	}
	shape := c.meta.Shape
	if r.chains == 0 {
		r.chains, r.n = shape[0], shape[1]
	}
	if shape[0] != r.chains || shape[1] != r.n {
		return "", c, fmt.Errorf("%s: shape %v, but others have %v", path, shape, []int{r.chains, r.n})
	}
	return name, c, nil
}

// Names returns the names of the parameters.
func (r *Reader) Names() []string { return r.names }

// Chains returns the number of chains.
func (r *Reader) Chains() int { return r.chains }

// N returns the number of draws per chain.
func (r *Reader) N() int { return r.n }

// Every returns draws m, 2m, 3m, … (counted from 1) of a chain (counted from
// 0), one slice for each of the parameters asked for (counted from 0). Beside
// them memory holds one chunk.
func (r *Reader) Every(m, chain int, parameters ...int) ([][]float64, error) {
	out := make([][]float64, len(parameters))
	for i, j := range parameters {
		if j < 0 || j >= len(r.parameters) {
			return nil, fmt.Errorf("read %s: it has %d parameters, no %d", r.dir, len(r.parameters), j)
		}
		var err error
		if out[i], err = r.every(&r.parameters[j], m, chain); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Energy is Every for the energy U; nil if that is not known.
func (r *Reader) Energy(m, chain int) ([]float64, error) {
	if r.energy == nil {
		return nil, nil
	}
	return r.every(r.energy, m, chain)
}

func (r *Reader) every(c *column, m, chain int) ([]float64, error) {
	if m < 1 || chain < 0 || chain >= r.chains {
		return nil, fmt.Errorf("read %s: every %d-th draw of chain %d of %d", r.dir, m, chain, r.chains)
	}
	values, err := c.every(m, chain, r.n)
	if err != nil {
		return nil, fmt.Errorf("read %s: %s: %w", r.dir, c.path, err)
	}
	return values, nil
}

func (c *column) every(m, chain, n int) ([]float64, error) {
	a := &c.meta
	if n > 0 && !a.anyChunk(c.path) {
		return nil, errNoChunk
	}
	rows, length, width := a.Chunks[0], a.Chunks[1], a.width()
	values := make([]float64, 0, n/m)
	for i := m - 1; i < n; {
		chunk := i / length
		data, err := a.readChunk(filepath.Join(c.path, a.chunkName([]int{chain / rows, chunk})), rows*length*width)
		if err != nil {
			return nil, err
		}
		for ; i < n && i/length == chunk; i += m {
			v := a.fill()
			if data != nil {
				v = a.value(data[(chain%rows*length+i%length)*width:])
			}
			values = append(values, v)
		}
	}
	return values, nil
}
