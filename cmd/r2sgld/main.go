// Command r2sgld samples densities on constrained domains and identifies
// dynamical systems under constraints.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/config"
	"github.com/r2sgld/r2sgld/runner"
)

// Exit codes that scripts rely on.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
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
	root.SetArgs(args)
	root.SetOut(out)
	root.AddCommand(sampleCommand(), identifyCommand(), trainCommand(), planCommand(), compareCommand(), resumeCommand(), diagnoseCommand(), reproduceCommand(), simulateCommand(), theoryCommand())
	began := false
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	err := root.ExecuteContext(ctx)
	if !errors.Is(err, out.err) {
		err = errors.Join(err, out.err)
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(os.Stderr, strings.TrimRight(err.Error(), "\n"))
	var problems config.Problems
	var refused *runner.Refused
	var interrupted *runner.Interrupted
	var halted *stopped
	var early errEarly
	switch {
	case errors.As(err, &interrupted), errors.As(err, &halted), errors.As(err, &early), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &problems), errors.As(err, &refused):
		return exitUsage
	case !began && out.err == nil:
		fmt.Fprintln(os.Stderr, "see r2sgld --help")
		return exitUsage
	}
	return exitFailed
}
