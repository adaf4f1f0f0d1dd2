# tmvtnorm, volesti, hdtg and TruncatedNormal on the problem of a folder written
# by script/peers-exact.py: peers-exact.R FOLDER. Each prints a line of JSON with
# its CPU seconds and the file of its draws, (draw, coordinate, chain) with the
# draw first, as doubles. One that is not installed is skipped with a message.
suppressMessages(library(jsonlite))
folder <- commandArgs(trailingOnly = TRUE)[1]
p <- fromJSON(file.path(folder, "problem.json"))
a <- unname(as.matrix(read.csv(file.path(folder, "a.csv"), header = FALSE)))
storage.mode(a) <- "double"
d <- ncol(a)
normal <- !is.null(p$mean)
if (p$name == "modes") quit(save = "no") # laws of several modes are beyond all four
covariance <- if (normal) matrix(p$covariance, d)
cpu <- function() sum(proc.time()[1:2])

there <- function(package) {
  found <- suppressWarnings(suppressMessages(requireNamespace(package, quietly = TRUE)))
  if (!found) message("peers: ", p$name, ": ", package, " skipped: the R package is not installed")
  found
}

# measure runs draw(n, seed), an n by d matrix, for about p$seconds.
measure <- function(program, draw) tryCatch({
  setTimeLimit(cpu = 20 * p$seconds + 20, transient = TRUE) # one that hangs has failed
  n <- 50
  repeat {
    begun <- cpu()
    draw(n, 1)
    each <- (cpu() - begun) / n
    if (each * n > 0.2) break
    n <- 4 * n
  }
  total <- max(200, floor(p$seconds / each / p$chains))
  begun <- cpu()
  chains <- lapply(seq_len(p$chains), function(k) draw(total, k))
  seconds <- cpu() - begun
  every <- ceiling(total / p$keep)
  rows <- seq(every, total, by = every)
  file <- paste0(gsub("[^A-Za-z]", "-", program), ".bin")
  writeBin(unlist(lapply(chains, function(x) as.vector(x[rows, , drop = FALSE]))), file.path(folder, file))
  cat(toJSON(list(program = program, seconds = seconds, file = file), auto_unbox = TRUE, digits = NA), "\n", sep = "")
}, error = function(e) message("peers: ", p$name, ": ", program, " failed: ", conditionMessage(e)))

box <- !is.null(p$lower)
if (normal && there("tmvtnorm")) {
  suppressMessages(library(tmvtnorm))
  gibbs <- function(n, seed) {
    set.seed(seed)
    if (box) rtmvnorm(n, p$mean, covariance, p$lower, p$upper, algorithm = "gibbs", start.value = p$start, burn.in.samples = 100)
    else rtmvnorm2(n, p$mean, covariance, lower = rep(-Inf, nrow(a)), upper = p$b, D = a, algorithm = "gibbs",
                   start.value = p$start, burn.in.samples = 100)
  }
  measure("tmvtnorm Gibbs", gibbs)
  if (box) measure("tmvtnorm rejection", function(n, seed) {
    set.seed(seed)
    rtmvnorm(n, p$mean, covariance, p$lower, p$upper, algorithm = "rejection")
  })
}
if (normal && there("TruncatedNormal")) {
  if (!box) message("peers: ", p$name, ": TruncatedNormal skipped: more facets than coordinates are beyond it")
  else measure("TruncatedNormal", function(n, seed) {
    set.seed(seed)
    t(matrix(TruncatedNormal::mvrandn(p$lower, p$upper, covariance, n, p$mean), nrow = d))
  })
}
if (normal && there("hdtg")) measure("hdtg harmonic HMC", function(n, seed)
  hdtg::harmonicHMC(n, 100, p$mean, chol(covariance), -a, p$b, p$start, precFlg = FALSE, seed = seed))
round_normal <- normal && all(covariance == covariance[1] * diag(d))
if (there("volesti")) {
  if (normal && !round_normal) {
    message("peers: ", p$name, ": volesti skipped: its normal laws are N(m, s^2 I)")
  } else {
    body <- volesti::Hpolytope(A = a, b = p$b)
    law <- if (normal) list(density = "gaussian", variance = covariance[1], mode = p$mean) else list(density = "uniform")
    walks <- if (normal) list(list(walk = "CDHR"), list(walk = "RDHR"))
      else list(list(walk = "BiW"), list(walk = "BiW", L = 2 * sqrt(d)), list(walk = "CDHR"))
    for (walk in walks) # from its own middle: its billiard walk does not leave one that is given
      measure(paste0("volesti ", walk$walk, if (!is.null(walk$L)) sprintf(", length %.3g", walk$L)), function(n, seed)
        t(volesti::sample_points(body, n, random_walk = c(walk, list(walk_length = 1, nburns = 100, seed = seed)), distribution = law)))
  }
}
