// Package bnn answers which weights explain these pictures: Bayesian neural
// networks by (reflected, replica exchange) stochastic gradient Hamiltonian Monte
// Carlo, their averages, and how well these predict. Networks and gradients belong to
// an [Engine].
package bnn
