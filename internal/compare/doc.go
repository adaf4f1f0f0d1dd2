// Package compare answers which of several models the data prefer: by the log
// evidence of each, which weighs how well its prior predicted the data, and by
// leave-one-out cross-validation, which weighs how well its posterior predicts
// one datum from the others. It knows nothing of how a model was sampled.
package compare
