# Do rstan and posterior open a run folder and find what we found?
#
# usage: Rscript interop.R RUN
#
# Prints a line per check and exits 1 if one fails. Tolerance 1e-6 relative
# for statistics (means: relative to the sd). Compared are posterior's rhat,
# ess_bulk, ess_tail and mcse_mean and quantiles of type 7, which are the
# definitions we use. rstan's own n_eff and Rhat in print(fit) are older ones
# (no rank normalisation) and are not compared.

args <- commandArgs(trailingOnly = TRUE)
if (length(args) != 1) stop("usage: Rscript interop.R RUN")
run <- args[1]
suppressPackageStartupMessages({
  library(rstan)
  library(posterior)
})
tolerance <- 1e-6
failures <- 0
check <- function(what, ok, detail = "") {
  if (!isTRUE(ok)) failures <<- failures + 1
  cat(if (isTRUE(ok)) "ok  " else "FAIL", " R       ", what, "  ", detail, "\n", sep = "")
}

cat(run, ": rstan ", as.character(packageVersion("rstan")), ", posterior ",
    as.character(packageVersion("posterior")), "\n", sep = "")
summary <- jsonlite::fromJSON(file.path(run, "summary.json"), simplifyVector = FALSE)
files <- Sys.glob(file.path(run, "draws-*.csv"))
files <- files[order(as.integer(gsub("^draws-|[.]csv$", "", basename(files))))]

problems <- character()
fit <- withCallingHandlers(
  tryCatch(rstan::read_stan_csv(files), error = function(e) {
    problems <<- c(problems, conditionMessage(e))
    NULL
  }),
  warning = function(w) {
    problems <<- c(problems, conditionMessage(w))
    invokeRestart("muffleWarning")
  }
)
check("rstan::read_stan_csv without error or warning", length(problems) == 0, paste(problems, collapse = "; "))
if (is.null(fit)) quit(status = 1)

draws <- posterior::as_draws_array(fit)
variables <- setdiff(posterior::variables(draws), "lp__")
check("posterior::as_draws_array", posterior::nchains(draws) == length(files),
      paste(dim(draws), collapse = " x "))
check("as many parameters as in summary.json", length(variables) == length(summary$parameters),
      paste(variables, collapse = ", "))

statistics <- function(x) {
  q <- quantile(x, c(0.05, 0.25, 0.5, 0.75, 0.95), names = FALSE, type = 7)
  list(mean = mean(x), sd = sd(as.vector(x)), q5 = q[1], q25 = q[2], q50 = q[3], q75 = q[4], q95 = q[5],
       mcse_mean = posterior::mcse_mean(x), ess_bulk = posterior::ess_bulk(x),
       ess_tail = posterior::ess_tail(x), rhat = posterior::rhat(x))
}
for (j in seq_len(min(length(variables), length(summary$parameters)))) {
  ours <- summary$parameters[[j]]
  theirs <- statistics(posterior::extract_variable_matrix(draws, variables[j]))
  for (key in names(theirs)) {
    value <- theirs[[key]]
    what <- paste(ours$name, key)
    if (is.null(ours[[key]])) { # not known to us: then they should not know it either
      check(what, !is.finite(value), sprintf("ours null, posterior %.12g", value))
      next
    }
    scale <- abs(value)
    if (key == "mean" || startsWith(key, "q")) scale <- max(scale, theirs$sd)
    error <- abs(ours[[key]] - value) / if (scale > 0) scale else 1
    check(what, error <= tolerance,
          sprintf("ours %.12g, posterior %.12g, relative difference %.1e", ours[[key]], value, error))
  }
}
if (failures > 0) {
  cat("R:", failures, "checks failed\n")
  quit(status = 1)
}
cat("R: all checks passed\n")
