# Reference numbers for LOO, WAIC and PSIS, from the R package loo. Run in this folder:
#   Rscript make-loo.R > loo.json
# The log densities are those of cases() in psis_test.go: the draws of make.R under
# a normal (even data) or Cauchy (odd data) law without constants.
suppressMessages({library(jsonlite); library(loo)})

draw <- function(seed, n) {
  k <- seed
  sapply(seq_len(n), function(i) {
    t <- 0
    for (j in 1:12) { k <<- (16807 * k) %% 2147483647; t <- t + k }
    t / 2147483648 - 6
  })
}
loglik <- function(seed, n, data) {
  theta <- draw(seed, n); y <- 1.5 * draw(seed + 1, data)
  sapply(seq_len(data), function(i) {
    z <- (y[i] - theta) / (0.5 + ((i - 1) %% 5) * 0.5)
    if (i %% 2 == 1) -z^2 / 2 else -log1p(z^2)
  })
}
cases <- lapply(list(list(seed = 301, n = 4000, data = 12, r_eff = 1), list(seed = 311, n = 500, data = 30, r_eff = 0.3),
    list(seed = 321, n = 137, data = 10, r_eff = 1.7), list(seed = 331, n = 25, data = 5, r_eff = 1)), function(s) {
  l <- loglik(s$seed, s$n, s$data)
  a <- suppressWarnings(loo(l, r_eff = rep(s$r_eff, s$data)))
  w <- suppressWarnings(waic(l))
  c(s, list(loo = a$estimates["elpd_loo", 1], loo_se = a$estimates["elpd_loo", 2], p_loo = a$estimates["p_loo", 1],
    loo_i = a$pointwise[, "elpd_loo"], k = a$diagnostics$pareto_k,
    waic = w$estimates["elpd_waic", 1], waic_se = w$estimates["elpd_waic", 2], p_waic = w$estimates["p_waic", 1],
    waic_i = w$pointwise[, "elpd_waic"]))
})
cat(toJSON(list(provenance = paste(R.version.string, "loo", packageVersion("loo"), "by make-loo.R"), cases = cases),
  auto_unbox = TRUE, pretty = TRUE, digits = NA), "\n")
