# From a run folder to posterior::draws_array.

read_run <- function(folder) {
  summary <- jsonlite::fromJSON(file.path(folder, "summary.json"), simplifyVector = FALSE)
  zarr <- file.path(folder, "draws.zarr")
  draws <- variables(file.path(zarr, "posterior"))
  kept <- read_array(file.path(zarr, "posterior", "draw"))
  energy <- read_array(file.path(zarr, "sample_stats", "energy"))
  if (dir.exists(outputs <- file.path(zarr, "outputs"))) { # what the program of the run says of draws, or of some
    at <- match(read_array(file.path(outputs, "draw")), kept)
    more <- variables(outputs)
    draws <- c(lapply(draws[setdiff(names(draws), names(more))], function(a) a[, at, drop = FALSE]), more)
    energy <- energy[, at, drop = FALSE]
  }
  size <- dim(draws[[1]])
  array <- array(unlist(lapply(draws, t)), c(size[2], size[1], length(draws)),
                 list(NULL, NULL, names(draws)))
  result <- posterior::as_draws_array(array)
  evidence <- c(summary$marginal_likelihood$log, summary$marginal_likelihood$se)
  if (length(evidence) < 2) evidence <- c(summary$log_evidence$estimate, summary$log_evidence$se)
  if (length(evidence) < 2) evidence <- c(NA_real_, NA_real_)
  attr(result, "run") <- folder
  attr(result, "log_evidence") <- evidence[1]
  attr(result, "log_evidence_se") <- evidence[2]
  attr(result, "energy") <- t(energy)
  attr(result, "warnings") <- as.character(unlist(summary$warnings))
  for (text in attr(result, "warnings")) warning(text, call. = FALSE)
  result
}

run_of <- function(run) {
  folder <- if (is.character(run)) run else attr(run, "run")
  if (!is.character(folder) || !dir.exists(folder)) {
    stop("want a run folder, or what a run returned", call. = FALSE)
  }
  normalizePath(folder)
}

# The variables of a group, chains by draws; of an array one for each entry, theta[1,2], the last index running
# fastest.
variables <- function(group) {
  found <- list()
  for (name in setdiff(dir(group), c("chain", "draw"))) {
    a <- read_array(file.path(group, name))
    size <- dim(a)
    if (length(size) < 2 || !is.numeric(a) || !identical(dimensions(file.path(group, name))[1:2], c("chain", "draw"))) next
    if (length(size) == 2) {
      found[[name]] <- a
      next
    }
    entries <- matrix(a, size[1] * size[2])
    index <- as.matrix(expand.grid(lapply(size[-(1:2)], seq_len)))
    for (k in do.call(order, as.data.frame(index))) {
      found[[sprintf("%s[%s]", name, paste(index[k, ], collapse = ","))]] <- matrix(entries[, k], size[1])
    }
  }
  found
}

dimensions <- function(path) {
  unlist(jsonlite::fromJSON(file.path(path, ".zattrs"))$`_ARRAY_DIMENSIONS`)
}

# An array of Zarr 2 as the program writes it: chunks without compression, by rows.
read_array <- function(path) {
  meta <- jsonlite::fromJSON(file.path(path, ".zarray"))
  shape <- as.integer(meta$shape)
  chunk <- as.integer(meta$chunks)
  kind <- meta$dtype
  if (!is.null(meta$compressor) || !kind %in% c("<f8", "<i8", "<f4", "<i4")) return(NULL)
  size <- as.integer(substr(kind, 3, 3))
  result <- array(NA_real_, shape)
  grid <- as.matrix(expand.grid(lapply(ceiling(shape / chunk), function(n) seq_len(n) - 1)))
  for (k in seq_len(nrow(grid))) {
    from <- grid[k, ] * chunk
    upto <- pmin(shape, from + chunk)
    file <- file.path(path, paste(grid[k, ], collapse = "."))
    numbers <- numbers_in(file, prod(chunk), substr(kind, 2, 2), size)
    block <- aperm(array(numbers, rev(chunk)), rev(seq_along(chunk)))
    inner <- lapply(upto - from, seq_len)
    outer <- Map(function(a, b) a + seq_len(b - a), from, upto)
    result <- do.call(`[<-`, c(list(result), outer, list(value = do.call(`[`, c(list(block), inner, drop = FALSE)))))
  }
  result
}

numbers_in <- function(file, n, kind, size) {
  if (kind == "f") return(readBin(file, "double", n, size, endian = "little"))
  if (size == 4) return(readBin(file, "integer", n, size, endian = "little"))
  halves <- matrix(readBin(file, "integer", 2 * n, 4, endian = "little"), 2)
  halves[1, ] %% 2^32 + halves[2, ] * 2^32
}
