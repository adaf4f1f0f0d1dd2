// Package expression answers what a formula says: its value, its gradient, and
// whether it is linear. One tape serves potentials, constraints and the
// right-hand sides of differential equations.
package expression
