package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/r2sgld/r2sgld/internal/text"
)

// Read reads draws of a run folder, of a Zarr folder, or of Stan CSV files, one
// chain each: every so many-th, so that there are at most so many of each chain,
// or all if most is 0. Several paths must all be Stan CSV files.
func Read(most int, paths ...string) (*Draws, error) {
	if len(paths) == 1 {
		info, err := os.Stat(paths[0])
		if err != nil {
			return nil, fmt.Errorf("read draws: %w", err)
		}
		switch {
		case !info.IsDir():
		case exists(filepath.Join(paths[0], ".zgroup")), exists(filepath.Join(paths[0], "zarr.json")), exists(filepath.Join(paths[0],
			"posterior")):
			return readZarr(most, paths[0])
		default:
			return readRun(most, paths[0])
		}
	}
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			return nil, fmt.Errorf("read draws: %s is a folder: give one folder, or the Stan CSV files of several chains", p)
		}
	}
	return readStanCSV(most, paths...)
}

// readRun reads the draws of a run folder: draws.zarr, or the files
// draws-N.csv if that is not there. Those of a run that has not finished cannot
// be read; the error says so.
func readRun(most int, dir string) (*Draws, error) {
	if err := halfway(dir); err != nil {
		return nil, fmt.Errorf("read run folder: %w", err)
	}
	if z := filepath.Join(dir, "draws.zarr"); exists(z) {
		return readZarr(most, z)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read run folder: %w", advice(err))
	}
	var numbers []int
	for _, e := range entries {
		if n := csvNumber(e); n > 0 {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 && exists(filepath.Join(dir, "run.json")) && exists(filepath.Join(dir, "checkpoints")) {
		return nil, fmt.Errorf("read run folder %s: the run is unfinished: go on with: r2sgld resume %s", dir, text.Word(dir))
	}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("read run folder %s: %w", dir,
			errors.New("it holds neither draws.zarr nor draws-1.csv: give a run folder, a Zarr folder or Stan CSV files"))
	}
	slices.Sort(numbers)
	paths := make([]string, len(numbers))
	for i, n := range numbers {
		paths[i] = filepath.Join(dir, csvName(n))
	}
	return readStanCSV(most, paths...)
}
