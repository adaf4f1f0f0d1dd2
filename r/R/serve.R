# The process that computes energies for the program: Rscript -e 'r2sgld:::serve()' FILE.
# FILE is what surroundings() makes of a density.

# A density with what its functions need of this process: objects of the global environment that they name, and
# packages that are attached.
surroundings <- function(density) {
  globals <- list()
  visit <- function(f) {
    for (name in unique(c(all.names(body(f)), unlist(lapply(formals(f), all.names))))) {
      if (name %in% names(globals)) next
      value <- get0(name, environment(f) %||% globalenv())
      if (exists(name, globalenv(), inherits = FALSE)) globals[[name]] <<- get(name, globalenv())
      if (is.function(value) && !is.primitive(value) && !is_of_package(value)) {
        if (!name %in% seen) {
          seen <<- c(seen, name)
          visit(value)
        }
      }
    }
  }
  seen <- character()
  visit(density$fn)
  visit(density$gr)
  list(density = density, globals = globals, packages = rev(.packages()), folder = getwd())
}

is_of_package <- function(f) isNamespace(topenv(environment(f) %||% globalenv()))

`%||%` <- function(a, b) if (is.null(a)) b else a

# Answers the program until its requests end. What the user's functions print goes to standard error.
serve <- function(path = commandArgs(TRUE)[1]) {
  input <- file("stdin", "rb")
  output <- pipe("cat", "wb")
  sink(stderr())
  kept <- readRDS(path)
  if (dir.exists(kept$folder)) setwd(kept$folder)
  for (package in kept$packages) suppressPackageStartupMessages(library(package, character.only = TRUE))
  list2env(kept$globals, globalenv())
  density <- kept$density
  line <- raw()
  while (length(byte <- readBin(input, "raw", 1)) == 1 && byte != as.raw(10)) line <- c(line, byte)
  hello <- jsonlite::fromJSON(rawToChar(line))
  if (!2 %in% hello$versions) stop("This program r2sgld speaks no frames: it is older than the package.")
  d <- length(density$names)
  send <- function(...) {
    for (part in list(...)) writeBin(as.vector(part), output, endian = "little")
    flush(output)
  }
  hands <- list(r2sgld = 2, dimension = d, names = I(density$names), lanewise = density$lanewise)
  send(charToRaw(paste0(yaml(hands), "\n")))
  while (length(head <- readBin(input, "integer", 4, 4, endian = "little")) == 4) {
    n <- head[1]
    numbers <- readBin(input, "double", n * d, 8, endian = "little")
    if (length(numbers) < n * d) break
    x <- matrix(numbers, n, byrow = TRUE, dimnames = list(NULL, density$names))
    answer <- answer_of(density, x)
    if (is.character(answer)) {
      text <- charToRaw(enc2utf8(answer))
      send(length(text), 1L, text)
      break
    }
    send(n, 0L, answer$energy, t(answer$gradient))
  }
  close(output)
}

# Energies of n states, the rows of x, and their gradients, by row; or the text of what went wrong.
answer_of <- function(density, x) {
  calls <- NULL
  tryCatch(withCallingHandlers({
    if (density$vectorized) {
      energy <- numbers_of(density$fn(x), nrow(x), "fn")
      gradient <- numbers_of(density$gr(x), dim(x), "gr")
    } else {
      energy <- numeric(nrow(x))
      gradient <- x
      for (i in seq_len(nrow(x))) {
        energy[i] <- numbers_of(density$fn(x[i, ]), 1, "fn")
        gradient[i, ] <- numbers_of(density$gr(x[i, ]), ncol(x), "gr")
      }
    }
    list(energy = density$sign * energy, gradient = density$sign * gradient)
  }, error = function(e) calls <<- sys.calls()), error = function(e) {
    where <- if (!is.null(conditionCall(e))) paste0(" in ", deparse(conditionCall(e))[1])
    paste0("Error", where, ": ", conditionMessage(e), traced(calls))
  })
}

# The calls between ours and the error, a line for each.
traced <- function(calls) {
  lines <- vapply(calls, function(call) deparse(call)[1], "")
  from <- which(grepl("^density\\$(fn|gr)\\(", lines))
  to <- which(grepl("^(stop|h|\\.handleSimpleError)\\(", lines))
  if (length(from) == 0 || length(to) == 0 || to[1] - from[1] < 2) return("")
  paste0("\n", paste0("  ", lines[from[1]:(to[1] - 1)], collapse = "\n"))
}

# The value as numbers: as many as size says, or of that many rows and columns.
numbers_of <- function(value, size, what) {
  right <- if (length(size) == 1) length(value) == size else identical(dim(value), as.integer(size))
  if (!is.numeric(value) || !right) {
    shape <- if (is.null(dim(value))) length(value) else paste(dim(value), collapse = " x ")
    stop(what, " returns ", class(value)[1], " of size ", shape, "; want ", paste(size, collapse = " x "),
         if (length(size) == 1 && size == 1) " number" else " numbers", call. = FALSE)
  }
  if (is.matrix(value)) value else as.double(value)
}
