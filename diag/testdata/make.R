# Reference numbers for diag from R (posterior, stats). Run in this folder:
#   Rscript make.R > posterior.json
# The draws come from an integer generator that Go, R and Python share exactly:
# Park and Miller's k <- 16807 k mod 2^31-1; e is the sum of twelve k, divided by
# 2^31, less 6: nearly normal, and every operation is exact or rounded once.
suppressMessages({library(posterior); library(jsonlite)})
options(warn = -1)

draw <- function(s) { # one chain; s: list(seed, n, phi, kind, offset)
  k <- s$seed
  e <- function() { t <- 0; for (i in 1:12) { k <<- (16807 * k) %% 2147483647; t <- t + k }; t / 2147483648 - 6 }
  v <- 0; x <- numeric(s$n)
  for (i in seq_len(s$n)) {
    v <- s$phi * v + e()
    x[i] <- switch(s$kind, ar = v, ratio = v / e(), discrete = floor(v), binary = as.numeric(v < 0), constant = 1, alternating = (-1)^i) + s$offset
  }
  x
}

case <- function(name, m, n, seed, phi = 0, kind = "ar", step = 0)
  list(name = name, m = m, n = n, seed = seed, phi = phi, kind = kind, step = step)
cases <- list(
  case("independent", 4, 250, 1), case("ar 0.5", 4, 500, 2, 0.5), case("ar 0.9375", 4, 1000, 3, 0.9375),
  case("ar 0.996 slow", 3, 300, 4, 0.99609375), case("antithetic", 4, 400, 5, -0.5), case("very antithetic", 2, 200, 6, -0.96875),
  case("unequal means", 4, 200, 7, 0.25, step = 0.5), case("heavy tails", 4, 333, 8, 0.5, "ratio"),
  case("discrete", 4, 300, 9, 0.5, "discrete"), case("binary", 4, 300, 10, 0.5, "binary"),
  case("odd length", 3, 251, 11, 0.75), case("one chain", 1, 400, 12, 0.5), case("one odd chain", 1, 101, 13, 0.875),
  case("large mean", 2, 300, 14, 0.5, step = 1e6), case("constant", 4, 100, 15, kind = "constant"),
  case("frozen apart", 4, 100, 16, kind = "constant", step = 1),
  case("slow and long", 2, 1501, 26, 0.99609375), case("slow antithetic", 2, 1200, 27, -0.9921875),
  case("alternating", 2, 100, 25, kind = "alternating"), case("short 4", 2, 4, 17), case("short 5", 2, 5, 18), case("short 7", 2, 7, 19), case("short 10", 2, 10, 20),
  case("short 12", 2, 12, 21, 0.5), case("short 13", 3, 13, 22, 0.5), case("short 3", 2, 3, 23), case("single draws", 4, 1, 24))

numbers <- function(s) {
  x <- sapply(seq_len(s$m), function(c) draw(list(seed = 1000 * s$seed + c, n = s$n, phi = s$phi, kind = s$kind, offset = s$step * (c - 1))))
  x <- matrix(x, nrow = s$n)
  f <- function(v) if (is.na(v)) "NaN" else if (is.infinite(v)) "Inf" else unname(v)
  ps <- c(0.05, 0.25, 0.5, 0.75, 0.95)
  q <- quantile(x, ps, names = FALSE)
  r <- list(mean = mean(x), sd = sd(as.vector(x)), q5 = q[1], q25 = q[2], q50 = q[3], q75 = q[4], q95 = q[5],
    bandwidth = bw.nrd0(as.vector(x)), rhat = rhat(x), ess_bulk = ess_bulk(x), ess_tail = ess_tail(x), ess_mean = ess_mean(x), ess_sd = ess_sd(x),
    ess_q0 = ess_quantile(x, 0), ess_q25 = ess_quantile(x, 0.25), ess_q50 = ess_quantile(x, 0.5), ess_q100 = ess_quantile(x, 1),
    mcse_mean = mcse_mean(x), mcse_sd = mcse_sd(x), mcse_q5 = mcse_quantile(x, 0.05), mcse_q50 = mcse_quantile(x, 0.5), mcse_q95 = mcse_quantile(x, 0.95))
  c(s, list(first = x[1, 1], last = x[s$n, s$m], numbers = lapply(r, f)))
}

ks <- function(n) lapply(c(0.9, 1.2, 1.9, 3) / sqrt(n) * 0.6, function(d) list(d = d, n = n,
  exact = 1 - .Call(stats:::C_pKolmogorov2x, d, n), asymptotic = 1 - .Call(stats:::C_pKS2, sqrt(n) * d, 1e-15)))
x <- draw(list(seed = 77, n = 60, phi = 0, kind = "ar", offset = 0))
y <- draw(list(seed = 78, n = 45, phi = 0, kind = "ar", offset = 0.3))
at <- seq(-2, 2, 0.5); h <- bw.nrd0(x)
tail <- draw(list(seed = 79, n = 500, phi = 0, kind = "ar", offset = 0))
wall <- abs(tail); hw <- bw.nrd0(wall); aw <- seq(0, 2, 0.25)
other <- list(
  ks = c(ks(5), ks(20), ks(100), ks(800)),
  ks_one = unname(ks.test(x, "pnorm")$statistic), ks_one_p = ks.test(x, "pnorm", exact = TRUE)$p.value,
  ks_two = unname(ks.test(x, y)$statistic), ks_two_p = ks.test(x, y, exact = FALSE)$p.value,
  t_interval = as.numeric(t.test(x)$conf.int), t_interval_80 = as.numeric(t.test(x[1:3], conf.level = 0.8)$conf.int),
  kde_at = at, kde = sapply(at, function(p) mean(dnorm(p, x, h))),
  wall_at = aw, wall = sapply(aw, function(p) mean(dnorm(p, wall, hw) + dnorm(p, -wall, hw))),
  mode = optimize(function(p) mean(dnorm(p, x, h)), c(-1.5, 1.5), maximum = TRUE, tol = 1e-9)$maximum,
  w1_equal = mean(abs(sort(x[1:45]) - sort(y))),
  w1_normal = { # piece by piece: the distribution function is a stair
    b <- sort(c(-Inf, x, qnorm(1:59 / 60), Inf)); F <- ecdf(x)
    sum(sapply(seq_along(b)[-1], function(i) if (b[i] > b[i - 1]) integrate(function(v) abs(F(b[i - 1]) - pnorm(v)), b[i - 1], b[i], rel.tol = 1e-12, abs.tol = 0)$value else 0)) })
exact <- rapply(list(provenance = paste(R.version.string, "posterior", packageVersion("posterior"), "by make.R"),
  cases = lapply(cases, numbers), other = other), function(v) sprintf("%.17g", v), classes = "numeric", how = "replace")
cat(gsub('"(-?[0-9.]+(e[-+][0-9]+)?)"', "\\1", toJSON(exact, auto_unbox = TRUE, pretty = TRUE)), "\n")
