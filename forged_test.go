package r2sgld_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
)

// A saved state that is none, whatever number in it is another, is an error or a run
// that ends: never a panic, and never a run without an end.
//
// Mutants it kills: iterations, strides and lengths of draws that are taken as they are.
func TestForgedStates(t *testing.T) {
	pace.Slow(t)
	for name, change := range map[string]func(*r2sgld.Settings){
		"constant": func(s *r2sgld.Settings) {},
		"momentum": func(s *r2sgld.Settings) { s.Kernel = kernel.Momentum{Mu: 0.9} },
		"reviewed": func(s *r2sgld.Settings) { s.Review = func(*r2sgld.Result) (int, error) { return 0, nil } },
		"certificate": func(s *r2sgld.Settings) {
			s.Certificate = true
		},
	} {
		p, s := small()
		s.Ladders, s.Iterations, s.BurnIn, s.Decay = 1, 40, 4, kernel.Decay{}
		change(&s)
		var state []byte
		s.Checkpoint = &r2sgld.Checkpoint{Save: func(iterations int, states [][]byte) error {
			state = append([]byte(nil), states[0]...)
			return nil
		}}
		sample(t, p, s)
		s.Checkpoint = nil
		for at := 0; at+8 <= len(state); at += 8 {
			for _, v := range []uint64{math.MaxInt64, math.MaxUint64, 1 << 62, 1 << 40, 1, 0x7ff8000000000000, 7} {
				forged := append([]byte(nil), state...)
				binary.LittleEndian.PutUint64(forged[at:], v)
				s.Resume = [][]byte{forged}
				func() {
					defer func() {
						if r := recover(); r != nil {
							t.Fatalf("%s, byte %d, %#x: %v", name, at, v, r)
						}
					}()
					_, _ = r2sgld.Sample(t.Context(), p, s)
				}()
			}
		}
	}
}

// A saved state of a round that is longer than any may be is none.
//
// Mutant it kills: a round that is taken as it is.
func TestForgedRound(t *testing.T) {
	p, s := small()
	s.Ladders, s.Iterations, s.BurnIn, s.Decay, s.Most = 1, 40, 4, kernel.Decay{}, 80
	s.Review = func(*r2sgld.Result) (int, error) { return 0, nil }
	s.Checkpoint = &r2sgld.Checkpoint{Save: func(iterations int, states [][]byte) error {
		s.Resume = [][]byte{append([]byte(nil), states[0]...)}
		return nil
	}}
	sample(t, p, s)
	s.Checkpoint = nil
	for round, want := range map[uint64]bool{80: true, 81: false, 1 << 20: false} {
		binary.LittleEndian.PutUint64(s.Resume[0][8:], round)
		_, err := r2sgld.Sample(t.Context(), p, s)
		if bad := new(r2sgld.BadState); (err == nil) != want || err != nil && (!errors.As(err, &bad) || bad.Ladder != 1) {
			t.Errorf("a round of %d: %v", round, err)
		}
	}
}
