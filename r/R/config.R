# Configurations of the program: YAML, written as JSON but for infinite numbers.

# A value in one line. Lists with names are maps; NULL entries are left out. A vector of length one is a scalar
# unless it has dimensions or is I(…); a matrix is a list of its rows.
yaml <- function(value) {
  if (is.list(value)) {
    value <- Filter(Negate(is.null), value)
    entries <- vapply(value, yaml, "")
    if (is.null(names(value))) return(paste0("[", paste(entries, collapse = ", "), "]"))
    if (length(value) == 0) return("{}")
    return(paste0("{", paste0(vapply(names(value), quoted, ""), ": ", entries, collapse = ", "), "}"))
  }
  if (is.factor(value)) value <- as.character(value)
  if (length(dim(value)) > 1) {
    rows <- lapply(seq_len(dim(value)[1]), function(i) array(slice(value, i), dim(value)[-1]))
    return(yaml(if (length(rows) > 0) rows else list()))
  }
  entries <- vapply(as.vector(value), scalar, "", USE.NAMES = FALSE)
  if (length(entries) == 1 && is.null(dim(value)) && !inherits(value, "AsIs")) return(entries)
  paste0("[", paste(entries, collapse = ", "), "]")
}

# Entry i of the first dimension.
slice <- function(a, i) matrix(a, dim(a)[1])[i, ]

scalar <- function(value) {
  if (is.character(value)) return(quoted(value))
  if (is.logical(value) && !is.na(value)) return(if (value) "true" else "false")
  if (is.na(value)) return(".nan")
  if (is.infinite(value)) return(if (value > 0) ".inf" else "-.inf")
  sprintf("%.17g", value)
}

quoted <- function(text) as.character(jsonlite::toJSON(jsonlite::unbox(enc2utf8(text))))

# A configuration, a line for each section.
sections <- function(config) {
  config <- Filter(function(section) length(section) > 0, config)
  paste0(names(config), ": ", vapply(config, yaml, ""))
}

with_constraints <- function(domain, constraints) {
  domain <- as.list(domain)
  both <- c(as.list(domain$constraints), as.list(constraints))
  if (length(both) > 0) domain$constraints <- both
  domain
}

# Writes a data frame with all digits, or copies a file.
write_csv <- function(data, path) {
  if (is.character(data)) {
    if (!file.copy(data, path)) stop("the data file ", data, " cannot be read", call. = FALSE)
    return(invisible())
  }
  data <- as.data.frame(data, optional = TRUE)
  if (anyDuplicated(names(data))) stop("two columns of the data have one name", call. = FALSE)
  cells <- lapply(data, function(column) {
    if (is.factor(column)) column <- as.character(column)
    if (is.logical(column)) column <- as.integer(column)
    if (is.numeric(column)) return(ifelse(is.na(column), "", sprintf("%.17g", as.numeric(column))))
    column <- as.character(column)
    ifelse(is.na(column), "", paste0('"', gsub('"', '""', column), '"'))
  })
  header <- paste0('"', gsub('"', '""', names(data)), '"', collapse = ",")
  writeLines(c(header, do.call(paste, c(unname(cells), sep = ","))), path, useBytes = TRUE)
}
