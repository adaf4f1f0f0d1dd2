// Package watch answers how a run fares: it reads the folder that the run leaves and serves a
// page of it. Whether another process makes the run, this one, or nobody any more is the same
// to it; of a run of this process the page has the workers as well.
//
// # Whence the facts
//
// log.jsonl has a line for what happens: that the run begins, a round of the warm-up, the
// sampling that starts, a round of it, a warning, and how far the run is, ever less often. The
// rest is run.json, summary.json once the run is done, and the pictures in figures/. Nothing is
// written, and no lock is taken: a run is the same whether somebody watches or not.
//
// # Who sees it
//
// The server listens on the machine itself unless it is given a host. The first part of every
// path is a token; whoever does not know it gets nothing. It answers GET alone, and so many
// clients at once.
package watch
