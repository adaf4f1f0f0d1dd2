package deep

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // the frozen reference
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/score"
	"github.com/r2sgld/r2sgld/kernel"
)

// A yardstick is what Hamiltonian Monte Carlo over all training images says of the
// posterior: probabilities of the test images, by images.
type yardstick struct {
	halves [2][]float64 // of the first and the last half of the chains
	facts  yardFacts
}

// yardFacts say how it was made.
type yardFacts struct {
	Data       string  `json:"data"`
	Network    string  `json:"network"`
	Command    string  `json:"command"` // makes it again
	Parameters int     `json:"parameters"`
	Chains     int     `json:"chains"`
	Iterations int     `json:"iterations"` // of a chain
	BurnIn     int     `json:"burn_in"`    // of them
	Leapfrog   int     `json:"leapfrog"`
	StepSize   float64 `json:"step_size"` // η, the squared length of a leapfrog step over 2
	Gradients  int64   `json:"gradients"` // over all training images, burn-in included
	Acceptance float64 `json:"acceptance"`
	Energy     float64 `json:"energy"` // mean of U
	EnergyESS  float64 `json:"energy_ess"`
	EnergyRHat float64 `json:"energy_rhat"`
	// R̂ between the halves of all chains, of the probability of each class of each
	// test image.
	RHat       float64 `json:"rhat"`        // the largest
	RHatMedian float64 `json:"rhat_median"` // the median
	RHatAbove  float64 `json:"rhat_above"`  // the share above 1.05
}

// predictions are those of all chains together.
func (y *yardstick) predictions() (*score.Predictions, error) {
	mean := make([]float64, len(y.halves[0]))
	for i := range mean {
		mean[i] = (y.halves[0][i] + y.halves[1][i]) / 2
	}
	return score.FromProbabilities(mean, 10)
}

// The frozen reference: posterior.json says how it was made, posterior.bin.gz holds the
// probabilities of both halves as little-endian 16-bit integers, of which 65535 is 1.
var (
	//go:embed testdata/posterior.json
	frozenFacts []byte
	//go:embed testdata/posterior.bin.gz
	frozenHalves []byte
)

// unit is what stands for a probability of 1.
const unit = 65535

// thaw returns a frozen reference.
func thaw(facts, packed []byte) (*yardstick, error) {
	y := new(yardstick)
	if err := json.Unmarshal(facts, &y.facts); err != nil {
		return nil, fmt.Errorf("posterior.json: %w", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("posterior.bin.gz: %w", err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("posterior.bin.gz: %w", err)
	}
	if len(b) != 2*2*posteriorTest*10 {
		return nil, fmt.Errorf("posterior.bin.gz: %d bytes of probabilities instead of %d", len(b), 2*2*posteriorTest*10)
	}
	for h := range y.halves {
		y.halves[h] = make([]float64, posteriorTest*10)
		for i := range y.halves[h] {
			y.halves[h][i] = float64(binary.LittleEndian.Uint16(b)) / unit
			b = b[2:]
		}
		for row := range slices.Chunk(y.halves[h], 10) { // what rounding left over
			sum := 0.0
			for _, p := range row {
				sum += p
			}
			for k := range row {
				row[k] /= sum
			}
		}
	}
	return y, nil
}

// measure runs Hamiltonian Monte Carlo on all training images, chains of so many
// iterations of which a fifth is burn-in, on so many threads.
func measure(ctx context.Context, data bnn.Data, engine opener, seed uint64, iterations, threads int) (y *yardstick, err error) {
	const chains, leapfrog, step = 4, 50, 1.8e-4
	open := func(n int) (bnn.Engine, error) {
		return engine(ctx, bnn.Setup{Network: posteriorNetwork(), Replicas: n, Seed: seed, Precision: "float64"}, "cpu")
	}
	p, err := bnn.NewPotential(open, data, posteriorDecay)
	if err != nil {
		return nil, err
	}
	e, err := open(chains)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	d := p.Dim()
	states, low, high := make([][][]float64, chains), make([]float64, d), make([]float64, d)
	for c := range states { // first weights of as many networks
		s, err := e.State(c)
		if err != nil {
			return nil, err
		}
		states[c] = [][]float64{s.Parameters}
	}
	for j := range low {
		low[j], high[j] = -posteriorBound, posteriorBound
	}
	box, err := domain.NewBox(low, high)
	if err != nil {
		return nil, err
	}
	r, err := r2sgld.Sample(ctx, r2sgld.Problem{Potential: p, Domain: box},
		r2sgld.Settings{Seed: seed, Ladders: chains, Iterations: iterations,
			BurnIn: iterations / 5, States: states, StepSize: []float64{step}, Kernel: kernel.HMC{Leapfrog: leapfrog}, Threads: threads})
	if err != nil {
		return nil, err
	}
	y = &yardstick{facts: yardFacts{Parameters: d, Chains: chains, Iterations: iterations, BurnIn: iterations / 5, Leapfrog: leapfrog,
		StepSize:  step,
		Gradients: r.Gradients(), Acceptance: r.Acceptance()[0], EnergyESS: diag.ESSBulk(r.Energies()), EnergyRHat: diag.RHat(r.Energies())}}
	for _, u := range r.Energies() {
		y.facts.Energy += diag.Mean(u) / chains
	}
	return y, y.predict(r, e, data)
}

// predict averages predictions of all draws.
func (y *yardstick) predict(r *r2sgld.Result, e bnn.Engine, data bnn.Data) error {
	if err := e.Load(0, data.Test, []float64{0}, []float64{1}); err != nil {
		return err
	}
	s, err := e.State(0)
	if err != nil {
		return err
	}
	n := data.Test.Len() * 10
	parts := make([][]diag.Running, 0, 2*len(r.Ladders)) // halves of chains
	for _, l := range r.Ladders {
		draws, d := len(l.Energy[0]), len(s.Parameters)
		var part []diag.Running
		for i := range draws {
			if i == 0 || i == draws/2 {
				part = make([]diag.Running, n)
				parts = append(parts, part)
			}
			copy(s.Parameters, l.X[0][i*d:])
			if err := e.SetState(0, s); err != nil {
				return err
			}
			logits, err := e.Predict(0, 0)
			if err != nil {
				return err
			}
			p, err := score.FromLogits(logits, 10)
			if err != nil {
				return err
			}
			for k, v := range p.Probabilities() {
				part[k].Add(v)
			}
		}
	}
	y.gather(parts, n)
	return nil
}

// gather makes means and R̂ of the probabilities in the parts of all chains.
func (y *yardstick) gather(parts [][]diag.Running, n int) {
	rhat := make([]float64, n)
	of := make([]diag.Running, len(parts))
	for h := range y.halves {
		y.halves[h] = make([]float64, n)
	}
	for k := range n {
		for c, part := range parts {
			of[c] = part[k]
			y.halves[2*c/len(parts)][k] += part[k].Mean() / float64(len(parts)/2)
		}
		rhat[k] = diag.RHatOf(of)
		if rhat[k] > 1.05 {
			y.facts.RHatAbove += 1 / float64(n)
		}
	}
	y.facts.RHat, y.facts.RHatMedian = slices.Max(rhat), diag.Quantile(rhat, 0.5)
}
