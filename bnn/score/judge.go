package score

// A Judged is all that is said of the predictions of one model or average.
type Judged struct {
	Scores
	Detection *Detection // nil without outside examples
	Entropy   []float64  // of every test example, in nats
	Outside   []float64  // of every outside example, likewise
}

// Judge scores predictions for a test set against its labels, the temperature fitted as
// [Score] does without held examples, and holds them against those for outside examples;
// nil is none.
func Judge(test, outside *Predictions, labels []int32) (*Judged, error) {
	s, err := Score(test, labels, nil)
	if err != nil {
		return nil, err
	}
	j := &Judged{Scores: *s, Entropy: test.Entropy()}
	if outside == nil {
		return j, nil
	}
	j.Outside = outside.Entropy()
	j.Detection, err = Detect(test, outside)
	return j, err
}
