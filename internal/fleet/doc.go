// Package fleet answers which machine evaluates a state, which does a case of a list, and which lends
// programs on its devices. A run
// that is open to workers keeps its ladders, random streams, walls, swaps and checkpoints to
// itself; workers are pure functions from states to energies and gradients. Messages go over
// NATS, whose broker the run has inside or finds elsewhere. A swap costs no message.
//
// # How workers come and go
//
// A worker asks for offers. It asks to join the run with the fewest workers, which refuses one of
// another version, and is told the configuration, with every default filled in, and the files that it names, which
// it fetches once. It makes the potential of them and evaluates probes: states that the run
// has evaluated itself. One whose answers differ in a bit is not taken. From then on it gets
// blocks of states; it sends a beat every second and is forgotten when they stay away. Run
// and worker may end at any time.
//
// # How states are shared out
//
// A block is parted so that all parts are answered at the same time, by what was measured of
// each worker: the time a message takes, the time a state takes, what it has yet to do. The
// run itself takes a part. Where nothing is gained, nothing is sent. A state whose answer
// does not come in time is given to others as well, and the first answer is taken; a second
// one must have the same bits, or its worker is dismissed. So the draws are those of the run
// on one machine, whoever answers.
//
// Potentials are shared whose evaluators take states one by one ([potential.Lanewise]).
// Minibatches belong to a ladder: they are evaluated where it is.
//
// # How cases are done once
//
// A list of cases stands on a shelf of the broker: a work queue, outcomes by key, and files. A
// worker that no run asks for states takes a case for each slot that is free, beats while it does
// it, and sends its folder with every checkpoint; whoever is given the case next begins there.
// Once it is done, the folder is kept, then its outcome, which must be the first of its key, and
// then the message is acknowledged: whoever is lost in between, nothing is, and a case that is
// given out twice has one outcome. The [Board] takes folders home, does cases itself meanwhile, of a reserve
// that workers are given as they ask for more, and all of them should the broker be gone.
//
// # How devices are lent
//
// A run that needs devices ([Lending]) joins its workers as any does, and is told in their beats what
// they lend. For each device that it reaches, a worker starts a program of its operator, at the end
// of a line: bytes in both directions, each once and in order, of which so many may be under way.
// A message that is lost breaks the line, and a program ends with its line. What many programs are
// sent goes as a file, once for each worker. Fleet knows nothing of what programs say.
package fleet
