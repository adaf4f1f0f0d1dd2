package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// Text is that of a configuration in a file, or a pipe, which is read once. The error is of
// type [Problems].
func Text(path string) ([]byte, error) { return yamlpos.Content(path) }

// CommandOf returns the command that a configuration is for: train where it
// has a network or data of a kind, theory where it has such a section and no sampler,
// fit where its model has parameters or a likelihood with ~, identify where it has a model or
// data and no potential, sample otherwise, and where the text is none.
func CommandOf(text []byte) string {
	root, _ := yamlpos.Parse("", text) // what is wrong with it the command says
	if root == nil {
		return "sample"
	}
	command, _ := commandOf(root)
	return command
}

// commandOf is the command that a configuration is for, with the key that tells it; nil if
// none does for sure.
func commandOf(root *yamlpos.Node) (command string, by *yamlpos.Node) {
	has := func(key string) bool { return root.Field(key) != nil }
	switch {
	case has("network"):
		return "train", root.Key("network")
	case root.Field("data").Field("kind") != nil:
		return "train", root.Key("data")
	case has("theory") && !has("sampler"):
		return "theory", root.Key("theory")
	case has("potential"):
		return "sample", root.Key("potential")
	case has("model") && (root.Field("model").Field("parameters") != nil || sampling(root.Field("model").Field("likelihood"))):
		return "fit", root.Key("model")
	case has("model"):
		return "identify", root.Key("model")
	case has("data"):
		return "identify", nil
	}
	return "sample", nil
}

// sampling reports whether a likelihood is y ~ law(…), as of fit, and no name, as of identify.
func sampling(likelihood *yamlpos.Node) bool {
	if likelihood == nil {
		return false
	}
	return strings.Contains(likelihood.Text, "~") || slices.ContainsFunc(likelihood.Items, sampling)
}

// misplaced is a Problem where a configuration is clearly one of another command: it has
// a key that tells so and not the one of this command.
func misplaced(command, path string, root *yamlpos.Node) error {
	own, known := map[string]string{"sample": "potential", "identify": "model", "train": "network", "theory": "theory",
		"fit": "model"}[command]
	of, by := commandOf(root)
	switch {
	case !known || of == command || by == nil:
		return nil
	case command == "sample" && of == "theory": // both have a potential
	case root.Field(own) != nil && (own != "model" || of == "sample"): // fit and identify have a model both
		return nil
	case command == "theory" && of == "sample": // both may be without a section
		if by = root.Key("sampler"); by == root {
			return nil
		}
	}
	return Problems{by.Problem(fmt.Sprintf("this is a configuration of r2sgld %s, not of r2sgld %s; run: r2sgld %s %s", of, command, of,
		path))}
}
