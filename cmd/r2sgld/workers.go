package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/fleet"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/potential"
)

// staffed registers the flags of runs that workers on other machines may help.
func (c *common) staffed(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.listen, "listen", "", "let workers help (r2sgld work), which connect to this address, as in :4222; they change no draw")
	f.StringVar(&c.hub, "hub", "", "let workers help that are connected to a broker: the URL that r2sgld hub prints, or that of a NATS server")
	cmd.MarkFlagsMutuallyExclusive("listen", "hub")
	c.shown(cmd)
}

// staff opens a run to workers, if it is to be: crew is nil where it is not. What it returns
// sends them away.
func (c *common) staff(ctx context.Context, j *runner.Job) (crew *fleet.Crew, done func() error, err error) {
	if c.listen == "" && c.hub == "" {
		return nil, func() error { return nil }, nil
	}
	brief, err := briefOf(j)
	if err != nil {
		return nil, nil, &job.Refused{Err: err}
	}
	end := func() {}
	var conn *nats.Conn
	if c.hub != "" {
		conn, err = fleet.Connect(c.hub)
	} else {
		var b *fleet.Broker
		if b, err = fleet.Listen(c.listen, fleet.NewToken(), ""); err == nil {
			end = b.Close
			fmt.Fprintf(j.Terminal, " workers: r2sgld work %s\n", b.URL())
			conn, err = b.Connect()
		}
	}
	if err != nil {
		end()
		return nil, nil, &job.Refused{Err: err}
	}
	crew, err = fleet.Open(ctx, conn, j.Name, r2sgld.Version, brief, func(s string) { fmt.Fprintln(j.Terminal, " "+s) })
	if err != nil {
		end()
		return nil, nil, err
	}
	if !potential.Lanewise(j.Problem.Potential) {
		if u, _ := potential.Exact(j.Problem.Potential); u == nil || !potential.Lanewise(u) {
			j.Warnings = append(j.Warnings, "workers cannot help: the states of this potential are not evaluated one by one.")
		}
	}
	j.Problem.Potential = crew.Potential(j.Problem.Potential)
	return crew, func() error { defer end(); return crew.Close() }, nil
}

// briefOf is what workers are told of a run.
func briefOf(j *runner.Job) (b fleet.Brief, err error) {
	r, ok := j.Config.(config.Resolved)
	if !ok {
		return b, errors.New("workers help runs of a configuration alone")
	}
	if b.Config, err = json.Marshal(r); err != nil {
		return b, err
	}
	b.Command = j.Command
	paths, err := config.Inputs(b.Config)
	if err != nil {
		return b, err
	}
	for _, p := range paths {
		f, err := fleet.Describe(p)
		if err != nil {
			return b, err
		}
		b.Files = append(b.Files, f)
	}
	return b, nil
}

func workCommand() *cobra.Command {
	var slots int
	var allow []string
	var dir string
	cmd := &cobra.Command{
		Use:   "work URL",
		Short: "Evaluate states, and do cases, for runs on other machines",
		Long: `Evaluate states for runs on other machines, and do cases of sweeps and calibrations.
URL is what a run with --listen, or r2sgld hub, has printed. The worker is sent the
configuration and its data once, compares its numbers with those of the run to the last
bit, and helps until the run ends; then it waits for the next. While no run asks for
states it does cases, as many at once as it has slots. It may come and go at any time: a
case goes on elsewhere from its last checkpoint. Ctrl-C ends it.`,
		Example: `  r2sgld work nats://TOKEN@node1:4222
  r2sgld work nats://TOKEN@node1:4222 --slots 8`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return work(cmd, args[0], slots, allow, dir)
		},
	}
	f := cmd.Flags()
	f.IntVar(&slots, "slots", 0, "states, or cases, at once (default all processors)")
	f.StringSliceVar(&allow, "allow", nil, "what runs may do here besides: command, to start the program that their configuration names")
	f.StringVar(&dir, "dir", "", "folder for files of runs (default in the user's cache)")
	return cmd
}

// work works until it is interrupted.
func work(cmd *cobra.Command, url string, slots int, allow []string, dir string) error {
	if slots < 0 {
		return &job.Refused{Err: fmt.Errorf("--slots %d: must not be negative", slots)}
	}
	if slots == 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	for _, a := range allow {
		if a != "command" {
			return &job.Refused{Err: fmt.Errorf("--allow %s: what can be allowed is command", a)}
		}
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return &job.Refused{Err: fmt.Errorf("no folder for files: %w: give one with --dir", err)}
		}
		dir = filepath.Join(cache, "r2sgld", "work")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &job.Refused{Err: err}
	}
	conn, err := fleet.Connect(url)
	if err != nil {
		return &job.Refused{Err: err}
	}
	defer conn.Close()
	host, _ := os.Hostname()
	out := cmd.OutOrStdout()
	w := fleet.Worker{Name: fmt.Sprintf("w%d-%s", os.Getpid(), fleet.NewToken()[:6]), Host: host, Version: r2sgld.Version, Slots: slots, Dir: dir,
		Make: potentialOf(slices.Contains(allow, "command")), Case: doCase(slices.Contains(allow, "command")), Program: program(),
		Tell: func(s string) { fmt.Fprintln(out, s) }}
	return w.Work(cmd.Context(), conn)
}

// potentialOf makes the potential of a brief; one that another program computes if that may be.
func potentialOf(commands bool) func(context.Context, fleet.Brief, func(string) string) (potential.Potential, error) {
	return func(ctx context.Context, b fleet.Brief, place func(string) string) (potential.Potential, error) {
		if err := mayRun(b.Config, commands); err != nil {
			return nil, err
		}
		moved, err := config.Moved(b.Config, place)
		if err != nil {
			return nil, err
		}
		r, err := config.Programs{Context: ctx}.Parse(b.Command, "the configuration of the run", moved, nil)
		if err != nil {
			return nil, err
		}
		return r.Problem.Potential, nil
	}
}

// mayRun says why a configuration is not for this worker: it runs another program.
func mayRun(resolved []byte, commands bool) error {
	var with struct {
		Potential json.RawMessage `json:"potential"`
	}
	var program config.Command
	if json.Unmarshal(resolved, &with) == nil && json.Unmarshal(with.Potential, &program) == nil && program.Args != nil && !commands {
		return fmt.Errorf("it runs a program, %s: allow that with --allow command", text.Words(program.Args...))
	}
	return nil
}

func hubCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "hub DIR",
		Short: "A broker between runs and workers, which outlives both",
		Long: `A broker between runs and workers, which outlives both: runs connect to it with --hub
URL, workers with r2sgld work URL. DIR keeps its token, so that the URL stays the same,
and cases that are offered and done. Ctrl-C ends it; runs then go on alone, and both come
back when it does.`,
		Example: `  r2sgld hub ~/r2sgld-hub --listen :4222`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			token, err := tokenIn(args[0])
			if err != nil {
				return &job.Refused{Err: err}
			}
			b, err := fleet.Listen(listen, token, args[0])
			if err != nil {
				return &job.Refused{Err: err}
			}
			defer b.Close()
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "workers: r2sgld work %s\nruns:    r2sgld sample CONFIG.yaml --hub %[1]s\n", b.URL())
			<-cmd.Context().Done()
			return nil
		},
	}
	cmd.Flags().StringVar(&listen, "listen", ":4222", "where to listen, HOST:PORT or :PORT")
	return cmd
}

// tokenIn reads the token of a hub's folder, or makes one.
func tokenIn(dir string) (string, error) {
	file := filepath.Join(dir, "token")
	b, err := os.ReadFile(file)
	if err == nil {
		if token := strings.TrimSpace(string(b)); token != "" {
			return token, nil
		}
		return "", fmt.Errorf("%s is empty: remove it, and a new token is made", file)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	token := fleet.NewToken()
	return token, os.WriteFile(file, []byte(token+"\n"), 0o600)
}
