// Package dynamics answers which equations made a series: it reads a time
// series, estimates its derivatives, and builds the potential of the parameters
// of ordinary differential equations given as text, or of all coefficients of a
// library of terms. It knows nothing of how sampling works.
package dynamics
