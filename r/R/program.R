# The program r2sgld: where it is, how it runs, how it fails and how it is interrupted.

# Its path: R2SGLD_BINARY, or the one on the PATH.
find_program <- function() {
  path <- Sys.getenv("R2SGLD_BINARY", Sys.which("r2sgld"))
  if (!nzchar(path)) {
    stop("The program r2sgld is not found. Build it by `go build -o bin/r2sgld ./cmd/r2sgld` in its source, ",
         "and put it on the PATH or set R2SGLD_BINARY to its path.", call. = FALSE)
  }
  if (file.access(path, 1) != 0) stop("R2SGLD_BINARY is ", path, ", which cannot be run.", call. = FALSE)
  normalizePath(path)
}

rscript <- function() file.path(R.home("bin"), if (.Platform$OS.type == "windows") "Rscript.exe" else "Rscript")

# Runs the program to its end and returns its standard output. `folder` is the run folder that it writes.
# An interrupt lets it write its checkpoint first.
call_program <- function(arguments, folder = NULL, progress = FALSE) {
  command <- c(find_program(), arguments, if (!progress) "--quiet")
  setpriv <- Sys.which("setpriv")
  if (Sys.info()[["sysname"]] == "Linux" && nzchar(setpriv)) { # the program ends when this process is killed
    command <- c(setpriv, "--pdeathsig", "INT", command)
  }
  output <- tempfile("r2sgld-")
  on.exit(unlink(output))
  # The program starts R for each of its threads: libraries of algebra need no threads of their own.
  # R CMD check has every R begin with a file of its own (R_TESTS).
  environment <- c("current", R_TESTS = "", R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep),
                   OMP_NUM_THREADS = "1", OPENBLAS_NUM_THREADS = "1", MKL_NUM_THREADS = "1",
                   COLUMNS = as.character(getOption("width")))
  process <- processx::process$new(command[1], command[-1], stdout = output, stderr = "|", env = environment,
                                   cleanup = TRUE, encoding = "UTF-8")
  message <- character()
  follow <- function() {
    while (process$is_alive() || process$is_incomplete_error()) {
      process$poll_io(200)
      news <- process$read_error()
      message <<- c(message, news)
      if (progress) cat(news, file = stderr())
    }
    process$wait()
  }
  done <- FALSE
  tryCatch({
    follow()
    done <- TRUE
  }, finally = if (!done && process$is_alive()) { # interrupted
    process$interrupt()
    follow()
    if (!is.null(folder) && dir.exists(folder)) {
      base::message("The run can go on: r2sgld_resume(", encodeString(folder, quote = '"'), ")")
    }
  })
  if (process$get_exit_status() != 0) {
    text <- trimws(gsub("[^\n]*\033\\[K|\r", "", paste(message, collapse = "")))
    stop(if (nzchar(text)) text else sprintf("r2sgld ended with exit code %d", process$get_exit_status()),
         call. = FALSE)
  }
  paste(readLines(output, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
}

threads_flag <- function(threads) if (!is.null(threads)) sprintf("--threads=%d", as.integer(threads))

# Runs a command on the configuration that write_input returns, after it has written what belongs to it into the
# folder OUT.model beside the run folder. What stood there comes back if nothing comes of the run.
run <- function(command, write_input, out, name, threads, progress, force) {
  folder <- run_folder(out, name)
  model <- paste0(folder, ".model")
  there <- Filter(function(path) length(dir(path, all.files = TRUE, no.. = TRUE)) > 0, c(folder, model))
  if (length(there) > 0 && !force) {
    stop(there[1], " is not empty. Name another folder, or replace the run in it by force = TRUE.", call. = FALSE)
  }
  ours <- c("model.yaml", "density.rds", "data.csv", "program.stan", "data.json")
  others <- setdiff(dir(model, all.files = TRUE, no.. = TRUE), ours)
  if (length(others) > 0) {
    stop(model, " holds what is not of this package: ", paste(others, collapse = ", "), ". Move it away.",
         call. = FALSE)
  }
  before <- dir(model, full.names = TRUE)
  contents <- lapply(before, function(path) readBin(path, "raw", file.size(path)))
  begun <- if (folder %in% there) file.path(folder, ".new-1") else folder
  done <- FALSE
  on.exit(if (!done && !dir.exists(begun)) {
    unlink(file.path(model, ours))
    for (i in seq_along(before)) writeBin(contents[[i]], before[i])
    if (length(before) == 0) unlink(model, recursive = TRUE)
  })
  unlink(before)
  dir.create(model, recursive = TRUE, showWarnings = FALSE)
  config <- file.path(model, "model.yaml")
  writeLines(sections(write_input(model)), config, useBytes = TRUE)
  call_program(c(command, config, "--out", folder, if (force) "--force", threads_flag(threads)), folder, progress)
  done <- TRUE
  read_run(folder)
}

# The run folder that is asked for, or a new one.
run_folder <- function(out, name) {
  path <- out
  if (is.null(out)) {
    path <- first <- file.path("runs", paste0(name, "-", format(Sys.time(), "%Y%m%d-%H%M%S")))
    i <- 1
    while (file.exists(path) || file.exists(paste0(path, ".model"))) path <- paste0(first, "-", i <- i + 1)
  }
  parent <- dirname(path)
  dir.create(parent, recursive = TRUE, showWarnings = FALSE)
  file.path(normalizePath(parent), basename(path))
}
