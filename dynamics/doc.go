// Package dynamics answers which equations made a series. It reads a time series
// and builds the posterior of the parameters of ordinary differential equations,
// given as text or as all coefficients of a library of terms, of which it can also
// find those that belong to the model. What of the data is explained are estimated
// derivatives, integrals against test functions (the weak form), or the data
// themselves by solutions of the equations. It knows nothing of how sampling works.
package dynamics
