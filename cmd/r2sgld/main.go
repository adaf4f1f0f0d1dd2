// Command r2sgld samples densities on constrained domains and identifies
// dynamical systems under constraints.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/child"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/text"
)

// Exit codes that scripts rely on.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 3
)

func main() {
	ctx, late := interrupts()
	code := make(chan int, 1)
	go func() { code <- run(ctx, os.Args[1:]) }()
	select {
	case c := <-code:
		child.StopAll(hurry / 4)
		os.Exit(c)
	case <-late:
		leave()
	}
}

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string) int {
	root := &cobra.Command{
		Use:   "r2sgld",
		Short: "Bayesian inference under constraints when the posterior has several modes",
		Long: `Bayesian inference under constraints when the posterior has several modes, by
reflected replica exchange stochastic gradient Langevin dynamics.`,
		Version:       r2sgld.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	out := &output{w: os.Stdout}
	stdout, stderr := text.New(os.Stdout, os.Stderr, out)
	defer stderr.Close()
	defer stdout.Close()
	lastWords.Store(stderr)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(sampleCommand(), identifyCommand(), fitCommand(), stanCommand(), calibrateCommand(), sweepCommand(), trainCommand(),
		planCommand(), compareCommand(), resumeCommand(), diagnoseCommand(), modesCommand(), reproduceCommand(), simulateCommand(),
		theoryCommand(), schemaCommand(), workCommand(), hubCommand(), watchCommand())
	for _, c := range root.Commands() {
		c.Flags().VisitAll(inPlainWords)
	}
	foldHelp(root, stdout)
	began := false
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		began = true
		if parent := cmd.Parent(); cmd.Name() == "schema" || parent != nil && parent.Name() == "completion" {
			root.SetOut(out) // for an editor or a shell
		}
	}
	root.SetFlagErrorFunc(misspelt)
	cmd, err := root.ExecuteContextC(ctx)
	if !errors.Is(err, out.err) {
		err = errors.Join(err, out.err)
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(stderr, strings.TrimRight(err.Error(), "\n"))
	var problems config.Problems
	var refused *job.Refused
	var interrupted *job.Interrupted
	var halted *stopped
	var early job.Early
	switch {
	case errors.As(err, &interrupted), errors.As(err, &halted), errors.As(err, &early), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &problems), errors.As(err, &refused):
		return exitUsage
	case !began && out.err == nil:
		fmt.Fprintf(stderr, "see %s --help\n", cmd.CommandPath())
		return exitUsage
	}
	return exitFailed
}
