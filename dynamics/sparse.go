package dynamics

// Sparse says how the terms of a library that belong to the model are found.
type Sparse struct{}
