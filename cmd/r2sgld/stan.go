package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/text"
)

func stanCommand() *cobra.Command {
	var c common
	var constraints []string
	var transform bool
	cmd := &cobra.Command{
		Use:   "stan MODEL.stan [DATA.json]",
		Short: "Posterior of a Stan program, its bounds as walls",
		Long: `Posterior of a Stan program. Parameters with bounds, ordered vectors and simplexes are
sampled as they are, their bounds as walls; --constraint adds walls between any of
them, which Stan cannot have. What Stan transforms beyond that goes through its
transforms, with --transform everything does. The run folder has the parameters, and
in the group outputs the transformed parameters and generated quantities.

The program is compiled once, by CmdStan (CMDSTAN), BridgeStan (BRIDGESTAN) or the
Python package httpstan, whichever is found; script/setup stan brings one.

The same in a configuration, with all that a configuration can say:
  potential: {stan: model.stan, data: data.json}
  domain: {constraints: ["theta[1] + theta[2] < 1"]}`,
		Example: `  r2sgld stan schools.stan schools.json
  r2sgld stan mixture.stan mixture.json --constraint 'mu[1] < mu[2]' --set sampler.until.ess=1000`,
		Args: takes(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := stanConfiguration(args, constraints, transform)
			if err != nil {
				return err
			}
			r, err := unlessStopped(cmd.Context(), func() (*config.Run, error) {
				return c.programs(cmd.Context()).Parse("sample", madeUp, b, c.set)
			})
			if err != nil {
				return inWords(err, b, args, constraints)
			}
			words := append([]string{"r2sgld", "stan"}, args...)
			for _, s := range constraints {
				words = append(words, "--constraint", s)
			}
			if transform {
				words = append(words, "--transform")
			}
			for _, s := range c.set {
				words = append(words, "--set", s)
			}
			return c.runOf(cmd, r, text.Words(words...))
		},
	}
	cmd.Flags().StringArrayVar(&constraints, "constraint", nil,
		"an inequality between parameters, as in 'theta[1] + theta[2] < 1'; may be repeated")
	cmd.Flags().BoolVar(&transform, "transform", false, "sample in the coordinates of Stan's transforms, without walls; constraints name these, as a.free")
	c.starting(cmd)
	c.limited(cmd)
	c.staffed(cmd)
	return cmd
}

// inWords are the problems of a configuration that stanConfiguration has made, which nobody has written, at the
// files and constraints that it is made of.
func inWords(err error, configuration []byte, files, constraints []string) error {
	var found config.Problems
	if !errors.As(err, &found) {
		return err
	}
	lines := strings.Split(string(configuration), "\n")
	first := 1 + slices.IndexFunc(lines, func(l string) bool { return strings.HasSuffix(l, `"constraints": [`) })
	for i, p := range found {
		if p.File != madeUp {
			continue
		}
		line := lines[max(p.Line-1, 0)]
		key := strings.TrimLeft(line, " ")
		if k := p.Line - first; first > 0 && 0 < k && k <= len(constraints) {
			p.File, p.Line, p.Column, p.Source = "--constraint", k, columnOf(key, p.Column-1-(len(line)-len(key))), constraints[k-1]
		} else {
			p.File, p.Line, p.Source = files[0], 0, ""
			if strings.HasPrefix(key, `"data"`) && len(files) > 1 {
				p.File = files[1]
			}
		}
		found[i] = p
	}
	return found
}

// columnOf is the column, from 1, in a text of the place so many characters after the beginning of the text in JSON.
func columnOf(quoted string, place int) int {
	r := []rune(quoted)
	for n := min(place, len(r)); n > 0; n-- { // which may stand within an escape
		var before string
		if json.Unmarshal([]byte(string(r[:n])+`"`), &before) == nil {
			return utf8.RuneCountInString(before) + 1
		}
	}
	return 1
}

// madeUp stands for the name of a configuration that stanConfiguration makes.
const madeUp = "r2sgld stan"

// stanConfiguration is the configuration of a program, and of its data if there are any.
func stanConfiguration(files, constraints []string, transform bool) ([]byte, error) {
	potential := map[string]any{"stan": files[0], "transform": transform}
	if len(files) > 1 {
		potential["data"] = files[1]
	}
	base := filepath.Base(files[0])
	configuration := map[string]any{"name": strings.TrimSuffix(base, filepath.Ext(base)), "potential": potential}
	if len(constraints) > 0 {
		configuration["domain"] = map[string]any{"constraints": constraints}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ") // a fault shows its line
	err := e.Encode(configuration)
	return text.Bytes(), err
}
