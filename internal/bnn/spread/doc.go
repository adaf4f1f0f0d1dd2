// Package spread answers where each replica of a network moves: on devices of this machine,
// or on those of others that come and go. No number depends on it.
//
// A replica is what its state, its number and its moves make of it. The engine keeps the last
// state that it has seen of each replica that moves elsewhere, and a journal of all moves
// since. When a place is lost, its replicas are moved again on this machine from those states,
// and go on wherever there is room. What a place is asked for is the same as ever: labels,
// minibatches and moves go there, and losses come back. States travel when a replica changes its
// place, and when a checkpoint asks for them.
//
// A place that comes is put to the proof: it makes one step of a replica, and is taken where loss
// and state agree with those of this machine.
package spread
