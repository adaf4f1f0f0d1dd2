package bnn

import (
	"fmt"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/bnn/score"
)

// Data are the sets of a training.
type Data struct {
	Train   *images.Set
	Test    *images.Set // nil is none: nothing is evaluated
	Outside *images.Set // out of distribution; nil is none
	Mean    []float64   // per channel, of pixels in [0, 1]; nil is 0
	SD      []float64   // likewise; nil is 1
}

// An Observer is told what happens while Train runs. Every func may be nil.
type Observer struct {
	Resume *Checkpoint // go on from there; nil begins
	// Epoch is called after each epoch. The record must not be changed.
	Epoch func(Epoch) error
	Step  func(Progress) // after each iteration; keep nothing of it
	Keep  func(Draw) error
	// Due is asked after each iteration whether a checkpoint shall be taken.
	Due func() bool
	// Save is given checkpoints: those that are due, the last one when the context is
	// cancelled or the training is done, and the newest from before when it fails.
	Save func(*Checkpoint) error
	// Seconds is a clock that goes on; nil is that of the machine. It only times.
	Seconds func() float64
}

// Progress is where a training is.
type Progress struct {
	Epoch, Iteration int       // from 1; iterations of all epochs
	Iterations       int       // in all
	Loss             []float64 // of this iteration's minibatch, per rung (of ensembles per member)
	Images           int64     // examples times replicas, since Train was called
}

// A Draw is a model that was kept.
type Draw struct {
	Number     int // from 1; goes on after a resume
	Epoch      int
	Iteration  int
	Replica    int
	Parameters []float64
	Buffers    []float64
	Logits     []float32 // of the test set, by examples; nil without one
}

// An Epoch is the record of one epoch.
type Epoch struct {
	Epoch       int       // from 1
	Iteration   int       // iterations so far
	StepSize    []float64 // per rung, in its last iteration, divided by N
	Temperature []float64 // per rung
	Loss        []float64 // per rung (of ensembles per member), mean over the epoch's minibatches of the mean loss
	Reflected   []float64 // per rung, share of the coordinates that met a wall in a step
	Rung        []int     // of each replica, at the end
	Pairs       []exchange.Pair
	RoundTrips  int64
	Level       float64 // 𝒞 of rule indicator, at the end, in units of mean losses
	Single      *Scores // of the cold rung's model on the test set, Reliability aside; nil if it was not evaluated
	Average     *Scores // of the average so far, likewise; nil without one
	Kept        int     // models averaged so far
	Layers      []Layer // of the cold rung; nil if nothing was measured
	Seconds     float64 // that the epoch took, evaluation apart
	Rate        float64 // images times replicas per second, evaluation apart
}

// Scores say how good predictions are. Of regressions NLL is the mean loss, ½ Σ (output −
// target)², and what else belongs to classes is NaN.
type Scores struct {
	score.Scores
	Detection *score.Detection // nil without a set out of distribution
}

// A Layer is what was measured of one tensor of the cold rung's model. Temperatures
// are means over its coordinates at one time.
type Layer struct {
	Name            string
	Size            int
	Kinetic         float64 // (1+μ) mean v²/(2η)
	Configurational float64 // mean θ·∇U
	Injected        float64 // τ(1−μ−β̂)/(1−μ), β̂ with what AsReleased adds
	Minibatch       float64 // ηs²/(2(1−μ)), s² the mean variance of the minibatch gradient
	Share           float64 // of Injected in the sum of both
}

// Predictions are those of a model or an average for whole sets.
type Predictions struct {
	Test    *score.Predictions // nil without a test set, or of regressions
	Outside *score.Predictions // nil without such a set
	Outputs []float64          // for the test set, of loss squared, by examples
}

// An Index says which rung each replica held after some of the sweeps.
type Index struct {
	Sweeps    int     // in all
	Stride    int     // one of so many sweeps is noted: a power of two that grows
	Iteration []int   // at which each was noted
	Rung      [][]int // of each replica, then
}

// A Result is what a training found. The scores to report are those of the last
// epoch.
type Result struct {
	Epochs  []Epoch
	Single  Predictions // of the cold rung's last model
	Average Predictions // of the average; empty if nothing was kept
	Kept    int         // models averaged
	Swaps   exchange.Statistics
	Index   Index
	Seconds float64 // that the epochs took, evaluation apart
	Rate    float64 // images times replicas per second
	Usage   Usage
}

// NotFinite is the error of a loss, or of weights, that are NaN or infinite.
type NotFinite struct {
	Rung, Epoch, Iteration int         // the rung from 0, the others from 1; iteration 0 is before the first move
	StepSize               float64     // of the rung in the settings, before any decay
	Loss                   float64     // finite where only the weights, or their Σθ², are not
	Last                   *Checkpoint // the newest from before: that of the last epoch's end, or a later one; nil in the first epoch
}

func (e *NotFinite) Error() string {
	if e.Iteration == 0 {
		return fmt.Sprintf("rung %d: the loss of the first weights is %g: look at the data and the means and standard deviations that their "+
			"pixels are normalised by", e.Rung+1, e.Loss)
	}
	what := fmt.Sprintf("the loss is %g", e.Loss)
	if e.Loss-e.Loss == 0 {
		what = fmt.Sprintf("the weights are not finite, or Σθ² is not, though the loss is %g", e.Loss)
	}
	return fmt.Sprintf("rung %d, epoch %d, iteration %d: %s. The step size %g (divided by the number of examples) is too large for this "+
		"network: try %g, a bound (methods r-…, r2…), or a smaller weight decay",
		e.Rung+1, e.Epoch, e.Iteration, what, e.StepSize, e.StepSize/4)
}
