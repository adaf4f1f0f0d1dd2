// Package diag answers one question: can these draws be trusted? It knows
// nothing of how they were made.
//
// Draws come as chains: one slice per independent ladder, all of one length.
// Convergence and precision (RHat, ESSBulk, ESSTail, MCSEMean and their kin)
// follow Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), as the R
// package posterior 1.4 and Stan compute them. The distance to a known law (KS)
// and density estimates (KDE, Mode) are for plain samples.
// How well a model predicts (LOO, WAIC) is read off the log densities of its
// data at the draws.
//
// A function that cannot answer returns NaN and never panics on data: chains
// of unequal length, too few draws, a draw that is NaN or infinite, or draws
// that do not vary (largest minus smallest below 2.2e-16, posterior's rule).
package diag
