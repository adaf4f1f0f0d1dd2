package runner

// figureNames are those of the figures that a run may write.
func figureNames() []string {
	return []string{"marginals", "pairs", "trace", "ranks", "fit", "residuals", "index", "trajectory", "rejection", "barrier"}
}

// outputs are the files that a run writes beside those of the store, run.json
// first: while an earlier run is removed, a folder without it is no run.
func outputs() []string {
	names := []string{"run.json", tunedFile, "summary.json", "predictive.json", "equations.tex"}
	for _, f := range figureNames() {
		names = append(names, "figures/"+f+".svg", "figures/"+f+".png")
	}
	return names
}
