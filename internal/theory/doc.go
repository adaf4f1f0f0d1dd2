// Package theory answers how fast a reflected diffusion, or two that trade
// temperatures, should mix on a domain.
//
// The diffusion is dx = −∇U dt + √(2τ) dW, mirrored at the wall of Ω: the limit of
// reflected SGLD for small steps. Two of them at temperatures τ₁ < τ₂ trade places at
// rate r·min(1, S), S = exp((1/τ₁ − 1/τ₂)(U(x₁) − U(x₂))). Both are discretised by
// finite volumes on the cells of a [mesh.Mesh], as a reversible process whose law is
// exp(−U/τ) on the cells: detailed balance holds to rounding, and eigenvalues are
// right to second order in the side of a cell.
//
// Conventions: E(f) = Σ_k τ_k ∫|∇_k f|² dπ is the Dirichlet form; with swaps E_S(f) =
// E(f) + (r/2)∫ min(1, S)·(f(x₂,x₁) − f(x₁,x₂))² dπ. The gap is λ₁ = inf E(f)/Var(f),
// the Poincaré constant C_P = 1/λ₁, and χ² decays like exp(−2λ₁t). The log-Sobolev
// constant is the least C with Ent(g²) ≤ C·E(g); C ≥ 2/λ₁.
//
// Start with [Measure].
package theory
