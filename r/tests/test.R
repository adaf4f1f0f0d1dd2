# Runs against the program that R2SGLD_BINARY names or that is on the PATH; without one it is skipped.
library(r2sgld)
if (!nzchar(Sys.getenv("R2SGLD_BINARY", Sys.which("r2sgld")))) quit(status = 0)

work <- tempfile("r2sgld-")
dir.create(work)
out <- function(name) file.path(work, name)
failure <- function(expression) {
  message <- tryCatch({
    force(expression)
    ""
  }, error = conditionMessage)
  stopifnot("an error was expected" = nzchar(message))
  message
}
quick <- list(method = "r-hmc", iterations = 1500, thin = 1) # one rung, no search for modes
auto <- list(method = "auto", iterations = 1000, until = list(ess = 200))
variable <- function(draws, name) as.vector(posterior::extract_variable_matrix(draws, name))
# A mean lies within 5 standard errors of what it should be: P < 1e-6.
agrees <- function(draws, name, exact) {
  m <- posterior::extract_variable_matrix(draws, name)
  stopifnot(abs(mean(m) - exact) < 5 * posterior::mcse_mean(m))
}

# A half normal with a helper of the global environment: E x = sqrt(2/pi), log evidence log sqrt(pi/2).
half <- function(x) x^2 / 2
u <- function(x) half(x[["x"]])
g <- function(x) x
half_normal <- function(...) {
  r2sgld_sample(u, g, "x", domain = list(box = list(x = c(0, Inf))), sampler = quick, progress = FALSE, ...)
}
a <- half_normal(out = out("half"))
stopifnot(inherits(a, "draws_array"), identical(posterior::variables(a), "x"), all(a >= 0))
agrees(a, "x", sqrt(2 / pi))
stopifnot(all.equal(as.vector(attr(a, "energy")), variable(a, "x")^2 / 2), attr(a, "run") == normalizePath(out("half")))

# Block by block, as the log density, with more threads: the same draws.
b <- r2sgld_sample(function(x) -x[, 1]^2 / 2, function(x) -x, "x", domain = list(box = list(x = c(0, Inf))), sampler = quick,
                   log_density = TRUE, vectorized = TRUE, lanewise = TRUE, threads = 3, out = out("blocks"),
                   progress = FALSE)
stopifnot(identical(as.vector(a), as.vector(b)))

# A bounded domain has an evidence, constraints hold, and warnings are none.
triangle <- r2sgld_sample(function(x) x[, "p"] + 2 * x[, "q"], function(x) matrix(c(1, 2), nrow(x), 2, byrow = TRUE),
                          c("p", "q"), vectorized = TRUE,
                          domain = list(box = list(p = c(0, 1), q = c(0, 1))), constraints = "p + q <= 1",
                          sampler = auto, out = out("triangle"), progress = FALSE)
exact <- log((1 - exp(-1)) - exp(-2) * (exp(1) - 1)) - log(2) # of the integral of exp(-p-2q)
stopifnot(abs(attr(triangle, "log_evidence") - exact) < 5 * attr(triangle, "log_evidence_se"),
          all(variable(triangle, "p") + variable(triangle, "q") <= 1))

# Nothing is written over, unless asked; more draws of a run begin with those that it had.
stopifnot(grepl("not empty", failure(half_normal(out = out("half")))))
again <- half_normal(out = out("half"), force = TRUE)
stopifnot(identical(as.vector(a), as.vector(again)))
more <- r2sgld_resume(a, iterations = 3000, progress = FALSE)
n <- posterior::niterations(a)
stopifnot(posterior::niterations(more) > n, identical(as.vector(more[seq_len(n), , ]), as.vector(a)))

# What goes wrong in a function is told, and nothing stays.
bad <- function(fn, gr = g) failure(r2sgld_sample(fn, gr, "x", out = out("bad"), progress = FALSE))
message <- bad(function(x) stop("no such planet"))
stopifnot(grepl("no such planet", message))
stopifnot(grepl("fn returns numeric of size 2", bad(function(x) c(1, 2))))
stopifnot(grepl("gr returns numeric of size 2", bad(u, function(x) c(1, 2))))
stopifnot(grepl("fn returns character", bad(function(x) "1")))
stopifnot(!file.exists(out("bad")), !file.exists(out("bad.model")))
stopifnot(grepl("constraints", failure(r2sgld_sample(u, g, "x", constraints = "x <", out = out("bad"), progress = FALSE))))
stopifnot(grepl("unknown arguments: seeds", failure(r2sgld_sample(u, g, "x", seeds = 2))))

# Rows: factors, missing values, all digits.
cars2 <- transform(cars, speed = speed / 3, brand = factor(rep(c("a", "b"), 25)))
fit <- r2sgld_fit(cars2, list(parameters = list(a = "normal(0, 50)", b = "normal(0, 30)", s = "exponential(0.05)"),
                              likelihood = "dist ~ normal(a + b*speed, s)"), sampler = auto, out = out("fit"),
                  progress = FALSE)
ols <- coef(lm(dist ~ speed, cars2))
stopifnot(abs(mean(variable(fit, "b")) - ols[["speed"]]) < 0.5, is.finite(attr(fit, "log_evidence")))
flat <- r2sgld_fit(cars2, list(parameters = list(a = "normal(40, 50)", s = "exponential(0.05)"),
                               likelihood = "dist ~ normal(a, s)"), sampler = auto, out = out("flat"),
                   progress = FALSE)
both <- r2sgld_compare(fit, flat)
stopifnot(is.data.frame(both$models), basename(both$models$name[1]) == "fit", nrow(both$models) == 2)
read <- read.csv(file.path(out("fit.model"), "data.csv"))
stopifnot(identical(read$speed, cars2$speed), identical(read$brand, as.character(cars2$brand)))
gaps <- cars2
gaps$dist[3] <- NA
stopifnot(grepl("missing", failure(r2sgld_fit(gaps, list(parameters = list(a = "normal(40, 50)"),
  likelihood = "dist ~ normal(a, 20)"), out = out("gaps"), progress = FALSE))))

# A time series: y' = -k y, with noise of 0.02.
series <- data.frame(t = seq(0, 4, 0.25))
series$y <- 3 * exp(-0.7 * series$t) + 0.02 * rep_len(c(1, -1, -1, 1, 0), 17)
decay <- r2sgld_identify(series, c(y = "-k*y"), time = "t", likelihood = "trajectory", sampler = auto,
                         out = out("decay"), progress = FALSE)
stopifnot(abs(mean(variable(decay, "k")) - 0.7) < 0.05)

# Values as they are written.
yaml <- r2sgld:::yaml
stopifnot(identical(yaml(list(a = 1L, b = c(0, Inf), c = I("x"), d = NULL, e = TRUE)),
                    '{"a": 1, "b": [0, .inf], "c": ["x"], "e": true}'),
          identical(yaml(matrix(1:6, 2)), "[[1, 3, 5], [2, 4, 6]]"),
          identical(yaml(array(3)), "[3]"), identical(yaml(0.1), "0.10000000000000001"),
          identical(yaml(matrix(1:2, 1)), "[[1, 2]]"), identical(yaml(matrix(1:2, 2)), "[[1], [2]]"),
          identical(yaml(array(1:8, c(2, 2, 2))), "[[[1, 5], [3, 7]], [[2, 6], [4, 8]]]"),
          identical(yaml("a\"\n\u00e9"), "\"a\\\"\\n\u00e9\""))
stopifnot(identical(r2sgld:::stan_json(list(n = TRUE, x = c(-Inf, NaN), m = matrix(c(TRUE, FALSE), 1))),
                    '{"n": 1, "x": [-Infinity, NaN], "m": [[1, 0]]}'))

# What a Stan program includes goes with it.
dir.create(out("lib"))
writeLines(c("functions {", "  #include lib/a.stan // one", "}", "// #include c"), out("m.stan"))
writeLines(c("real f() {}", "#include <b.stan>"), out("lib/a.stan"))
writeLines("real g() {}", out("b.stan"))
stopifnot(identical(r2sgld:::expanded(out("m.stan")), c("functions {", "real f() {}", "real g() {}", "}", "// #include c")))
writeLines("#include m.stan", out("b.stan"))
stopifnot(grepl("includes itself", failure(r2sgld:::expanded(out("m.stan")))))
