# The density of banana.py in frames: a block of states at once. Base R and jsonlite.
#
# README.md says the protocol; in frames.yaml name [Rscript, frames.R] in place of Python.

# U of n states, x an n by 2 matrix, and its gradients.
energy <- function(x) {
  a <- x[, 1]^2 - 1
  b <- x[, 2] + 1 - x[, 1]^2
  list(u = 2 * a^2 + 5 * b^2 + 0.3 * x[, 1],
       gradient = cbind(8 * x[, 1] * a - 20 * x[, 1] * b + 0.3, 10 * b))
}

input <- file("stdin", "rb")
output <- pipe("cat", "wb")
line <- raw()
while (length(byte <- readBin(input, "raw", 1)) == 1 && byte != as.raw(10)) line <- c(line, byte)
d <- jsonlite::fromJSON(rawToChar(line))$dimension
writeBin(charToRaw(sprintf('{"r2sgld": 2, "dimension": %d, "names": ["x", "y"], "lanewise": true}\n', d)), output)
flush(output)
number <- function(n, what = "integer", size = 4) readBin(input, what, n, size, endian = "little")
while (length(head <- number(4)) == 4) { # states, kind, and the seed, which is for minibatches
  n <- head[1]
  e <- energy(matrix(number(n * d, "double", 8), n, byrow = TRUE))
  writeBin(c(n, 0L), output, endian = "little")
  writeBin(c(e$u, t(e$gradient)), output, endian = "little")
  flush(output)
}
