# The lynx–hare trajectory model by Stan's NUTS and by r2sgld; see script/peers:
#
#   Rscript --vanilla script/peers-lynx.R R2SGLD
#
# R2SGLD is our program. Stan's is the model of its case study (Carpenter 2018)
# with the integrator, tolerances and priors of that; ours is
# examples/lynx-hare-trajectory.yaml. Both say what they cost in CPU seconds, with
# warm-up, on this machine: of Stan sampling alone, without compilation and
# start-up; of ours the whole program with one thread, from start-up to the
# figures. A gradient is one of the posterior: Stan's are its leapfrog steps.
suppressMessages({library(rstan); library(posterior); library(jsonlite)})
if (!dir.exists(system.file("include", package = "BH"))) rstan_options(boost_lib = "/usr/include") # Debian keeps Boost there

args <- commandArgs(trailingOnly = TRUE)
data <- read.csv("data/lynx_hare.csv")
ref <- fromJSON("testdata/reference/lynx_hare_trajectory.json")
code <- "
functions {
  real[] rates(real t, real[] z, real[] p, real[] xr, int[] xi) {
    return {(p[1] - p[2] * z[2]) * z[1], (p[4] * z[1] - p[3]) * z[2]};
  }
}
data { int<lower=2> n; real year[n]; matrix<lower=0>[n, 2] pelts; }
transformed data { real xr[0]; int xi[0]; }
parameters { real<lower=0> p[4]; real<lower=0> start[2]; real<lower=0> sigma[2]; }
transformed parameters {
  real z[n - 1, 2] = integrate_ode_rk45(rates, start, year[1], year[2:n], p, xr, xi, 1e-5, 1e-3, 5e2);
}
model {
  p[{1, 3}] ~ normal(1, 0.5);
  p[{2, 4}] ~ normal(0.05, 0.05);
  sigma ~ lognormal(-1, 1);
  start ~ lognormal(log(10), 1);
  for (k in 1:2) {
    pelts[1, k] ~ lognormal(log(start[k]), sigma[k]);
    pelts[2:n, k] ~ lognormal(log(z[, k]), sigma[k]);
  }
}"
names <- c("p[1]", "p[2]", "p[3]", "p[4]", "start[1]", "start[2]", "sigma[1]", "sigma[2]") # in the order of ref
model <- stan_model(model_code = code)
input <- list(n = nrow(data), year = data$year, pelts = as.matrix(data[, c("hare", "lynx")]))
near <- function(i) list(p = c(0.55, 0.028, 0.80, 0.024), start = c(33, 6), sigma = c(0.3, 0.3))

# cpu is what an expression used, of this process and of those it started.
cpu <- function(expr) sum(system.time(expr)[-3], na.rm = TRUE)

stan <- function(init, seed) {
  used <- cpu(fit <- suppressWarnings(suppressMessages(
    sampling(model, data = input, chains = 4, iter = 2000, warmup = 1000, cores = 1, seed = seed, init = init, refresh = 0,
             save_warmup = TRUE))))
  all <- as.array(fit)
  list(draws = as_draws_array(all[, , names]), lp = apply(all[, , "lp__"], 2, median), cpu = used,
       gradients = sum(sapply(get_sampler_params(fit, inc_warmup = TRUE), function(s) sum(s[, "n_leapfrog__"]))))
}

table <- function() cat(sprintf("  %-36s %8s %10s %9s %10s %14s %6s\n", "", "CPU s", "gradients", "least ESS", "ESS/CPU s",
                                "ESS/1000 grad.", "R-hat"))
row <- function(who, cpu, gradients, ess, rhat)
  cat(sprintf("  %-36s %8.1f %10.0f %9.0f %10.1f %14.2f %6.3f\n", who, cpu, gradients, ess, ess / cpu, 1000 * ess / gradients, rhat))
show <- function(who, run)
  row(who, run$cpu, if (is.null(run$gradients)) NA else run$gradients, min(apply(run$draws, 3, ess_bulk)), max(apply(run$draws, 3, rhat)))

# ours runs our program and returns its summary, with CPU seconds, its draws, and
# per ladder the median log density of the last half; NULL if it fails.
ours <- function(...) {
  out <- tempfile()
  used <- cpu(status <- system2(args[1], c("identify", "examples/lynx-hare-trajectory.yaml", "--threads", "1", "--quiet", "--out", out, ...),
                                stderr = if (length(list(...))) FALSE else ""))
  if (status != 0) return(NULL)
  s <- fromJSON(file.path(out, "summary.json"))
  s$cpu <- used
  ladders <- lapply(seq_len(s$ladders), function(k) read.csv(file.path(out, sprintf("draws-%d.csv", k)), comment.char = "#"))
  s$draws <- as_draws_array(simplify2array(lapply(ladders, function(d) as.matrix(d[, sub(".", "_", s$parameters$name, fixed = TRUE)]))) |> aperm(c(1, 3, 2)))
  s$lp <- sapply(ladders, function(d) median(tail(d$lp__, nrow(d) / 2)))
  s
}
cat("Lynx and hare as a trajectory; effective draws are bulk ones, the least over the eight parameters\n")
table()
good <- stan(near, 1)
show("Stan, 4 x (1000 + 1000), near the mode", good)
mine <- ours()
if (is.null(mine)) stop("r2sgld identify failed")
show("r2sgld, its defaults", mine)

cat("\nMeans and standard deviations; off: from the reference, in standard errors of the difference\n")
cat(sprintf("  %-12s %22s %28s %28s\n", "", "reference (Stan)", "Stan here", "r2sgld"))
off <- function(mean, mcse, r) (mean - r$mean) / sqrt(mcse^2 + r$mcse_mean^2)
places <- match(c("alpha", "beta", "gamma", "delta", "H.initial", "L.initial", "H.noise", "L.noise"), mine$parameters$name)
for (j in 1:8) {
  r <- ref$parameters[[ref$order[j]]]
  x <- good$draws[, , j]
  p <- mine$parameters[places[j], ]
  cat(sprintf("  %-12s %10.5f ± %9.5f %10.5f ± %9.5f %+5.1f %10.5f ± %9.5f %+5.1f\n", p$name, r$mean, r$sd,
              mean(x), sd(x), off(mean(x), mcse_mean(x), r), p$mean, p$sd, off(p$mean, p$mcse_mean, r)))
}

# Where do chains from anywhere go? A chain that ends elsewhere has log densities
# far below those of the mode. Few iterations: each costs such a chain up to 1023 gradients.
cat("\nStarts, after 300 iterations each\n")
floor <- min(good$lp) - 20
used <- cpu(fit <- suppressWarnings(suppressMessages(
  sampling(model, data = input, chains = 8, iter = 300, warmup = 299, cores = 1, seed = 1, init = "random", refresh = 0, save_warmup = TRUE))))
last <- rstan::extract(fit, "lp__", permuted = FALSE, inc_warmup = TRUE)[300, , 1]
steps <- sapply(get_sampler_params(fit, inc_warmup = TRUE), function(s) sum(s[, "n_leapfrog__"]))
cat(sprintf("  Stan, 8 chains from its default starts, uniform on (-2, 2) of the unconstrained parameters: %d end elsewhere%s; %.0f CPU s, %s gradients\n",
            sum(last < floor), if (any(last < floor)) paste0(" (", paste(sprintf("%.0f", min(good$lp) - last[last < floor]), collapse = ", "), " below)") else "",
            used, format(sum(steps), big.mark = ",")))

# Ours: the hottest rung of each ladder is the prior. Plain SGLD starts at draws of it.
floor <- max(mine$lp) - 20
many <- ours("--set", "sampler.ladders=8")
cat(sprintf("  r2sgld, 8 ladders from the prior: %d end elsewhere; R-hat %.3f; %.0f CPU s\n",
            if (is.null(many)) 8 else sum(many$lp < floor), if (is.null(many)) NA else max(many$parameters$rhat), if (is.null(many)) NA else many$cpu))
set.seed(1)
above <- function(mean, sd) { repeat { x <- rnorm(1, mean, sd); if (x > 0) return(x) } }
plain <- sapply(1:8, function(k) {
  x <- c(above(1, 0.5), above(0.05, 0.05), above(1, 0.5), above(0.05, 0.05), rlnorm(2, log(10), 1), rlnorm(2, -1, 1))
  init <- paste(sprintf("%s: %.6g", c("alpha", "beta", "gamma", "delta", "H.initial", "L.initial", "H.noise", "L.noise"), x), collapse = ", ")
  s <- ours("--set", "sampler.method=r-sgld", "--set", "sampler.ladders=1", "--set", "sampler.iterations=20000", "--set", "sampler.burn_in=10000",
            "--set", shQuote(paste0("sampler.init={", init, "}")))
  if (is.null(s)) NA else s$lp
})
low <- !is.na(plain) & plain < floor
cat(sprintf("  plain SGLD, 8 chains of 20,000 steps from draws of the prior: %d stop with an error, %d end elsewhere%s\n", sum(is.na(plain)), sum(low),
            if (any(low)) paste0(" (", paste(sprintf("%.0f", floor + 20 - plain[low]), collapse = ", "), " below)") else ""))
