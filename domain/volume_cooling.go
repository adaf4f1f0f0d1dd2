package domain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A cooling draws from exp(−βr²/2) on a linear domain, r the distance from the
// origin inside: reflected Metropolis-adjusted Langevin steps.
type cooling struct {
	reflector   Reflector
	beta, h     float64 // h: variance of a step
	at, to, v   []float64
	square      float64 // r² at at
	moved, made int
}

// The stages of a volume: each has so many draws in batches, some more to settle, a
// draw being some moves, and weights of which the variance over the squared mean is
// about spreadOut.
const (
	stageBatches = 16
	stageDraws   = 320
	stageSettle  = 3
	drawMoves    = 4
	spreadOut    = 0.3
	mostStages   = 10_000
)

// cooled returns the log volume of a linear domain that holds the unit ball: the mass
// of a normal law so narrow that it lies in that ball, and the ratios of the masses of
// wider and wider ones, the last of them flat (Lovász & Vempala 2006; Cousins & Vempala
// 2016).
func cooled(ctx context.Context, d Domain, rng *rand.Rand) (log, se float64, err error) {
	n := d.Dim()
	c := &cooling{at: make([]float64, n), to: make([]float64, n), v: make([]float64, n)}
	if c.reflector, err = NewReflector(d, Specular, 0); err != nil {
		return 0, 0, fmt.Errorf("volume: %w", err)
	}
	c.beta = math.Pow(math.Sqrt(float64(n))+7, 2) // P(r > 1) < e^(−7²/2)
	c.h = 1 / c.beta
	log = float64(n) / 2 * math.Log(2*math.Pi/c.beta)
	squares := make([]float64, stageBatches*stageDraws)
	for range mostStages {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		c.stage(squares, rng)
		drop := c.drop(squares)
		l, s := ratio(squares, drop)
		log, se = log+l, math.Hypot(se, s)
		if c.beta -= drop; c.beta <= 0 {
			return log, se, nil
		}
	}
	return 0, 0, fmt.Errorf("volume: the walls of this domain are not reached in %d stages: bound it more tightly", mostStages)
}

// stage draws r² at the β in force, steps being fitted while it settles.
func (c *cooling) stage(squares []float64, rng *rand.Rand) {
	for range stageSettle * stageBatches {
		c.moved, c.made = 0, 0
		for range stageDraws / stageBatches * drawMoves {
			c.move(rng)
		}
		c.h *= math.Exp(2 * (float64(c.moved)/float64(c.made) - 0.6))
		c.h = math.Min(c.h, 4/c.beta)
	}
	for k := range squares {
		for range drawMoves {
			c.move(rng)
		}
		squares[k] = c.square
	}
}

// move makes a step: half a kick, a reflected drift, half a kick.
func (c *cooling) move(rng *rand.Rand) {
	sd, kick := math.Sqrt(c.h), c.h*c.beta/2
	before, after, square := 0.0, 0.0, 0.0
	for j, x := range c.at {
		v := sd * rng.NormFloat64()
		before += v * v
		v -= kick * x
		c.v[j], c.to[j] = v, x+v
	}
	c.reflector.Reflect(c.at, c.to, c.v)
	for j, y := range c.to {
		v := c.v[j] - kick*y
		after += v * v
		square += y * y
	}
	c.made++
	if -rng.ExpFloat64() < (before-after)/(2*c.h)+c.beta*(c.square-square)/2 {
		c.moved++
		c.square = square
		copy(c.at, c.to)
	}
}

// drop is how far β may fall for the weights exp(Δβ r²/2) to stay alike; all of β if
// it may fall to nothing.
func (c *cooling) drop(squares []float64) float64 {
	top := slices.Max(squares)
	uneven := func(drop float64) float64 {
		sum, sum2 := 0.0, 0.0
		for _, s := range squares {
			w := math.Exp(drop * (s - top) / 2)
			sum, sum2 = sum+w, sum2+w*w
		}
		return sum2*float64(len(squares))/(sum*sum) - 1
	}
	if uneven(c.beta) <= spreadOut {
		return c.beta
	}
	lo, hi := 0.0, c.beta
	for range 30 {
		if mid := (lo + hi) / 2; uneven(mid) <= spreadOut {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// ratio is the log of the mean of exp(drop·r²/2) and its standard error by batches.
func ratio(squares []float64, drop float64) (log, se float64) {
	top := slices.Max(squares)
	sum, squared := 0.0, 0.0
	for b := range stageBatches {
		mean := 0.0
		for _, s := range squares[b*stageDraws : (b+1)*stageDraws] {
			mean += math.Exp(drop*(s-top)/2) / stageDraws
		}
		sum, squared = sum+mean, squared+mean*mean
	}
	mean := sum / stageBatches
	v := math.Max(squared/stageBatches-mean*mean, 0) / (stageBatches - 1)
	return drop*top/2 + math.Log(mean), math.Sqrt(v) / mean
}
