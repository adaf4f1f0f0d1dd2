package bnn

// layers measures temperatures and the noise budget of the cold rung's model, tensor by
// tensor. Gradients are those of fresh minibatches, the momentum is the one with which the
// next move begins: after a swap at the end of an epoch, that of its new rung.
func (t *training) layers() ([]Layer, error) {
	replica := t.cold()
	s, err := t.engine.State(replica)
	if err != nil {
		return nil, err
	}
	d := t.layout.Size()
	mean, squares := make([]float64, d), make([]float64, d)
	batches := t.set.Measure.Batches
	for b := range batches {
		_, g, err := t.engine.Gradient(replica, t.batch(newDeck(t.n, t.size, true), measured))
		if err != nil {
			return nil, err
		}
		for i, x := range g {
			e := x - mean[i]
			mean[i] += e / float64(b+1)
			squares[i] += e * (x - mean[i])
		}
	}
	n, eta, mu := float64(t.n), t.at.StepSize[0], t.set.Momentum
	scale, lean := t.rescale(replica)
	injected := t.at.Temperature[0] * max(0, 1-mu-t.set.noiseEstimate(eta)) / (1 - mu)
	layers := make([]Layer, len(t.layout.Parameters))
	for k, p := range t.layout.Parameters {
		l := Layer{Name: p.Name, Size: p.Size, Injected: injected}
		variance, size := 0.0, float64(p.Size)
		for i := p.Offset; i < p.Offset+p.Size; i++ {
			theta := s.Parameters[i]
			v := scale*s.Momenta[i] + lean*(n*s.Gradient[i]+t.set.WeightDecay*theta)
			l.Kinetic += (1 + mu) * v * v / (2 * eta) / size
			l.Configurational += theta * (n*mean[i] + t.set.WeightDecay*theta) / size
			variance += n * n * squares[i] / float64(batches-1) / size
		}
		l.Minibatch = eta * variance / (2 * (1 - mu))
		if sum := l.Injected + l.Minibatch; sum > 0 {
			l.Share = l.Injected / sum
		}
		layers[k] = l
	}
	return layers, nil
}
