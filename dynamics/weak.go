package dynamics

import "errors"

// Weak says how equations are integrated against test functions.
type Weak struct {
	Width int // rows that a test function spans; 0 chooses
}

func (p *Problem) weak(s *Series) error {
	return errors.New("likelihood weak is being built")
}
