# The functions that users call.

r2sgld_sample <- function(fn, gr, names, domain = NULL, constraints = NULL, ..., log_density = FALSE,
                          vectorized = FALSE, lanewise = !vectorized, init = NULL, sampler = list(), seed = 1,
                          threads = NULL, out = NULL, name = "model", progress = interactive(), force = FALSE) {
  no_more(...)
  stopifnot(is.function(fn), is.function(gr), is.character(names), length(names) > 0, !anyDuplicated(names))
  density <- list(fn = fn, gr = gr, sign = if (log_density) -1 else 1, vectorized = vectorized,
                  lanewise = lanewise, names = names)
  write_input <- function(folder) {
    saveRDS(surroundings(density), file.path(folder, "density.rds"))
    list(name = name, variables = I(names),
         potential = list(command = I(c(rscript(), "--vanilla", "-e", "r2sgld:::serve()", "density.rds")), timeout = 600),
         domain = with_constraints(domain, constraints),
         sampler = c(list(seed = seed, init = init), sampler))
  }
  run("sample", write_input, out, name, threads, progress, force)
}

r2sgld_fit <- function(data, model, ..., where = NULL, missing = NULL, precision = NULL, sampler = list(), seed = 1, threads = NULL,
                       out = NULL, name = "fit", progress = interactive(), force = FALSE) {
  no_more(...)
  rows <- list(file = "data.csv", where = where, missing = missing, precision = precision)
  of_data("fit", data, rows, model, sampler, seed, threads, out, name, progress, force)
}

r2sgld_identify <- function(data, equations, ..., time = NULL, states = names(equations), likelihood = NULL,
                            constraints = NULL, priors = NULL, model = list(), sampler = list(), seed = 1,
                            threads = NULL, out = NULL, name = "identify", progress = interactive(),
                            force = FALSE) {
  no_more(...)
  if (is.null(names(states))) names(states) <- states
  series <- list(file = "data.csv", time = time, states = as.list(states))
  model <- c(list(equations = as.list(equations), likelihood = likelihood, constraints = constraints,
                  priors = priors), model)
  of_data("identify", data, series, model, sampler, seed, threads, out, name, progress, force)
}

r2sgld_stan <- function(program, data = NULL, constraints = NULL, domain = NULL, transform = FALSE, ...,
                        sampler = list(), seed = 1, threads = NULL, out = NULL, name = "stan",
                        progress = interactive(), force = FALSE) {
  no_more(...)
  text <- if (any(grepl("[{\n]", program))) program else expanded(program)
  numbers <- if (is.character(data)) readLines(data, warn = FALSE) else if (!is.null(data)) stan_json(data)
  write_input <- function(folder) {
    writeLines(text, file.path(folder, "program.stan"), useBytes = TRUE)
    potential <- list(stan = "program.stan", transform = transform)
    if (!is.null(numbers)) {
      writeLines(numbers, file.path(folder, "data.json"), useBytes = TRUE)
      potential$data <- "data.json"
    }
    list(name = name, potential = potential, domain = with_constraints(domain, constraints),
         sampler = c(list(seed = seed), sampler))
  }
  run("sample", write_input, out, name, threads, progress, force)
}

# Data of a Stan program: truth as 0 and 1, infinite numbers as Stan's JSON has them. There are no texts in it.
stan_json <- function(data) {
  data <- rapply(data, function(x) {
    if (is.logical(x)) storage.mode(x) <- "integer"
    x
  }, how = "replace")
  gsub(".nan", "NaN", gsub(".inf", "Infinity", yaml(data), fixed = TRUE), fixed = TRUE)
}

# The lines of a Stan program, with those of the files of its folder that it includes.
expanded <- function(program, folder = dirname(program), within = character()) {
  if (program %in% within) stop(program, " includes itself", call. = FALSE)
  pattern <- "^[ \t]*#include[ \t]+[<\"]?([^<>\" \t]+).*$"
  lines <- readLines(program, warn = FALSE, encoding = "UTF-8")
  unlist(lapply(lines, function(line) {
    if (!grepl(pattern, line)) return(line)
    expanded(file.path(folder, sub(pattern, "\\1", line)), folder, c(within, program))
  }))
}

r2sgld_resume <- function(run, ..., iterations = NULL, until = list(), threads = NULL, progress = interactive()) {
  no_more(...)
  folder <- run_of(run)
  flags <- c(sprintf("--set=sampler.until.%s=%s", names(until), vapply(until, yaml, "")),
             if (!is.null(iterations)) sprintf("--iterations=%d", as.integer(iterations)), threads_flag(threads))
  call_program(c("resume", folder, flags), folder, progress)
  read_run(folder)
}

r2sgld_compare <- function(...) {
  runs <- vapply(list(...), run_of, "")
  jsonlite::fromJSON(call_program(c("compare", runs, "--json")))
}

# A run of a command on data.
of_data <- function(command, data, source, model, sampler, seed, threads, out, name, progress, force) {
  sampler <- c(list(seed = seed), sampler)
  write_input <- function(folder) {
    write_csv(data, file.path(folder, "data.csv"))
    list(name = name, data = source, model = model, sampler = sampler)
  }
  run(command, write_input, out, name, threads, progress, force)
}

# Arguments after the dots are named in full; this refuses others.
no_more <- function(...) {
  if (...length() > 0) stop("unknown arguments: ", paste(names(list(...)), collapse = ", "), call. = FALSE)
}
