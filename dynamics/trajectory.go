package dynamics

import "errors"

func (p *Problem) trajectory(s *Series) error {
	return errors.New("likelihood trajectory is being built")
}
