# Stan on the truncated Gaussian beside a summary of ours; see script/peers.
suppressMessages({library(rstan); library(posterior); library(jsonlite)})
if (!dir.exists(system.file("include", package = "BH"))) rstan_options(boost_lib = "/usr/include") # Debian keeps Boost there
args <- commandArgs(trailingOnly = TRUE)
ours <- fromJSON(args[1])
ref <- fromJSON(args[2])
code <- "
data { vector[3] mu; matrix[3, 3] Q; vector[3] lo; vector[3] hi; }
parameters { real<lower=lo[1], upper=hi[1]> a; real<lower=lo[2], upper=hi[2]> b; real<lower=lo[3], upper=hi[3]> c; }
transformed parameters { vector[3] x = [a, b, c]'; }
model { target += -0.5 * quad_form(Q, x - mu); }"
model <- stan_model(model_code = code)
fit <- sampling(model, data = list(mu = ref$target$mu, Q = ref$target$Q, lo = ref$domain$lower, hi = ref$domain$upper),
                chains = 4, iter = 20000, warmup = 1000, cores = 1, seed = 1, refresh = 0)
seconds <- sum(get_elapsed_time(fit))
draws <- as_draws_array(fit)
row <- function(who, j, mean, sd, mcse, ess, seconds)
  cat(sprintf("%-8s x%d  mean %8.5f (exact %8.5f, off %+.1f se)  sd %.5f (exact %.5f)  ESS %7.0f  ESS/s %9.0f\n",
              who, j, mean, ref$truth$mean[j], (mean - ref$truth$mean[j]) / mcse, sd, ref$truth$sd[j], ess, ess / seconds))
for (j in 1:3) {
  p <- ours$parameters[j, ]
  row("r2sgld", j, p$mean, p$sd, p$mcse_mean, p$ess_bulk, ours$seconds)
}
for (j in 1:3) {
  x <- draws[, , sprintf("x[%d]", j)]
  row("stan", j, mean(x), sd(x), mcse_mean(x), ess_bulk(x), seconds)
}
cat(sprintf("r2sgld %.2f s, stan %.2f s (sampling and warm-up, compilation apart)\n", ours$seconds, seconds))
