package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/fleet"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/potential"
)

// staff are the workers that a run, or a list of cases, may have.
type staff struct {
	host
	hub     string
	anyBits bool // of a run alone
	access
}

// host is a broker inside this program: where workers may come, and CERT,KEY.
type host struct{ listen, tls string }

// access is how to connect to a broker.
type access struct{ ca, creds string }

func (a *access) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.ca, "ca", "", "file with the certificate of a broker with TLS, or of who issued it (default those of the system)")
	f.StringVar(&a.creds, "creds", "", "file of credentials for a NATS server that asks for them")
}

// connect connects to a broker, whose files it reads first. The URL may stand in a file, @FILE,
// as others on a machine see the arguments of a command.
func (a *access) connect(url string, with ...nats.Option) (*nats.Conn, error) {
	if file, ok := strings.CutPrefix(url, "@"); ok {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("the URL: %w", err)
		}
		url = strings.TrimSpace(string(b))
	}
	if a.ca != "" {
		if _, err := os.ReadFile(a.ca); err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		with = append(with, nats.RootCAs(a.ca))
	}
	if a.creds != "" {
		if _, err := os.ReadFile(a.creds); err != nil {
			return nil, fmt.Errorf("--creds: %w", err)
		}
		with = append(with, nats.UserCredentials(a.creds))
	}
	return fleet.Connect(url, with...)
}

// certificate reads CERT,KEY; nil is none.
func certificate(files string) (*tls.Certificate, error) {
	if files == "" {
		return nil, nil
	}
	cert, key, ok := strings.Cut(files, ",")
	if !ok {
		return nil, fmt.Errorf("--tls %s: give two files, CERT,KEY", files)
	}
	c, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("--tls: %w", err)
	}
	return &c, nil
}

// open starts the broker, whose token stands in a folder. It keeps cases in another one; "" is that
// it keeps none.
func (h host) open(tokens, cases string) (*fleet.Broker, error) {
	cert, err := certificate(h.tls)
	if err != nil {
		return nil, err
	}
	token, keep, err := tokenIn(tokens)
	if err != nil {
		return nil, err
	}
	b, err := fleet.Listen(h.listen, token, cases, cert)
	if err != nil {
		return nil, err
	}
	if err := keep(); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// staffed registers the flags of runs that workers on other machines may help, and a page show.
func (c *common) staffed(cmd *cobra.Command) {
	c.staff.register(cmd)
	cmd.Flags().BoolVar(&c.staff.anyBits, "any-bits", false, "let workers help whose numbers differ by rounding, as on another processor: "+
		"draws may depend on who evaluated")
	c.shown(cmd)
}

// register registers the flags of whatever workers on other machines may help.
func (s *staff) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.listen, "listen", "", "let workers help (r2sgld work), which connect to this address, as in :4222; they change no draw")
	f.StringVar(&s.hub, "hub", "", "let workers help that are connected to a broker: the URL "+
		"that r2sgld hub prints, or that of a NATS server, or @FILE with it")
	f.StringVar(&s.tls, "tls", "", "CERT,KEY: files of a certificate; --listen speaks TLS alone then")
	s.access.register(cmd)
}

// none reports whether there are to be no workers.
func (s *staff) none() bool { return s.listen == "" && s.hub == "" }

// check says which flags do not go together.
func (s *staff) check() error {
	switch {
	case s.listen != "" && s.hub != "":
		return errors.New("--listen and --hub: workers come one way or the other, give one of them")
	case s.listen == "" && s.tls != "":
		return errors.New("--tls is the certificate of --listen, which is not given")
	case s.hub == "" && s.access != access{}:
		return errors.New("--ca and --creds are for the broker of --hub, which is not given")
	case s.none() && s.anyBits:
		return errors.New("--any-bits is about workers, and there are none without --listen or --hub")
	}
	return nil
}

// open opens a run to workers, if it is to be: crew is nil where it is not. What it returns sends
// them away.
func (s *staff) open(j *runner.Job) (crew *fleet.Crew, done func() error, err error) {
	none := func() error { return nil }
	if err := s.check(); err != nil {
		return nil, nil, &job.Refused{Err: err}
	}
	if s.none() {
		return nil, none, nil
	}
	if !fleet.Shareable(j.Problem.Potential) {
		const why = "workers cannot help: the states of this potential are not evaluated one by one, or not by the " +
			"state alone. Of a program they are where its handshake says \"lanewise\": true."
		fmt.Fprintln(j.Terminal, " "+why)
		j.Warnings = append(j.Warnings, why)
		return nil, none, nil
	}
	brief, err := briefOf(j)
	if err != nil {
		return nil, nil, &job.Refused{Err: err}
	}
	crew, done, err = s.gather(&j.Request, brief, j.Settings.Threads, "evaluated %s of %s states")
	if err != nil {
		return nil, nil, err
	}
	// Some ladders move while states of others are on their way, unless vectors take whole blocks for less.
	if fleet.Pure(j.Problem.Potential) && j.Model == nil && j.Rows == nil {
		j.Settings.Threads = max(2, cmp.Or(j.Settings.Threads, runtime.GOMAXPROCS(0)))
	}
	if s.anyBits {
		j.Warnings = append(j.Warnings, "--any-bits: workers may have had numbers that differ from this machine's by rounding: the draws "+
			"depend on who evaluated which state, and another run may have others.")
	}
	j.Problem.Potential, j.Doubts = crew.Potential(j.Problem.Potential), append(j.Doubts, crew.Doubts)
	return crew, done, nil
}

// gather opens a job to workers, which are told a brief. This machine evaluates so many blocks at once.
// What it returns sends the workers away and tells what they did.
func (s *staff) gather(q *job.Request, brief fleet.Brief, threads int, did string) (crew *fleet.Crew, done func() error, err error) {
	conn, end, err := s.meet(q.Terminal)
	if err != nil {
		return nil, nil, &job.Refused{Err: err}
	}
	crew, err = fleet.Open(conn, fleet.Run{Name: q.Name, Version: r2sgld.Version, Brief: brief, AnyBits: s.anyBits, Threads: threads,
		Tell: func(s string) { fmt.Fprintln(q.Terminal, " "+s) }})
	if err != nil {
		end()
		return nil, nil, err
	}
	return crew, func() error {
		defer end()
		if t := crew.Tally(); t.Messages > 0 {
			fmt.Fprintf(q.Terminal, " workers "+did+": %s messages, %s\n", text.Count(t.Elsewhere), text.Count(t.States),
				text.Count(t.Messages), text.Size(float64(t.Bytes)))
		}
		return crew.Close()
	}, nil
}

// meet connects to the broker, one inside this program with --listen; end ends that.
func (s *staff) meet(terminal io.Writer) (conn *nats.Conn, end func(), err error) {
	if s.hub != "" {
		conn, err = s.connect(s.hub)
		return conn, func() {}, err
	}
	tokens := ""
	if dir, err := os.UserConfigDir(); err == nil { // so that workers find a run again that is resumed
		tokens = filepath.Join(dir, "r2sgld")
	}
	b, err := s.host.open(tokens, "")
	if err != nil {
		return nil, nil, err
	}
	if conn, err = b.Connect(); err != nil {
		b.Close()
		return nil, nil, err
	}
	fmt.Fprintf(terminal, " workers: r2sgld work %s\n", b.URL())
	return conn, b.Close, nil
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

// working are the flags of a worker.
type working struct {
	slots   int
	allow   []string
	devices []string
	dir     string
	idle    time.Duration
	access
}

func workCommand() *cobra.Command {
	var w working
	cmd := &cobra.Command{
		Use:   "work URL",
		Short: "Evaluate states, do cases and lend devices, for runs on other machines",
		Long: `Evaluate states for runs on other machines, do cases of sweeps, calibrations and
studies, and lend devices to trainings of networks (--allow torch). URL is what a run
with --listen, or r2sgld hub, has printed. The worker is sent the
configuration and its data once, compares its numbers with those of the run to the last
bit, and helps until the run ends; then it waits for the next. While no run asks for
states it does cases, as many at once as it has slots. It may come before the run and go
at any time: a case goes on elsewhere from its last checkpoint. Ctrl-C ends it.
@FILE is a file with the URL, which others on the machine do not see as an argument.`,
		Example: `  r2sgld work nats://TOKEN@node1:4222
  r2sgld work nats://TOKEN@node1:4222 --slots 8 --idle 10m
  r2sgld work nats://TOKEN@node1:4222 --allow torch --devices cuda:0,cuda:1`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return w.work(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.IntVar(&w.slots, "slots", 0, "states, or cases, at once; of --allow torch: what runs are told that a processor has room for "+
		"(default all processors)")
	f.StringSliceVar(&w.allow, "allow", nil, "what runs may do here besides: command, to start the program that their configuration names; torch, to "+
		"have this machine's r2sgld-torch move networks")
	f.StringSliceVar(&w.devices, "devices", nil, "of --allow torch: what is lent, as in cuda:0,cuda:1 (default all accelerators, cpu without)")
	f.StringVar(&w.dir, "dir", "", "folder for files of runs (default in the user's cache)")
	f.DurationVar(&w.idle, "idle", 0, "time without work after which the worker ends (default never)")
	w.register(cmd)
	return cmd
}

// settle fills in what was left out.
func (w *working) settle() error {
	switch {
	case w.slots < 0:
		return fmt.Errorf("--slots %d: must not be negative", w.slots)
	case w.idle < 0:
		return fmt.Errorf("--idle %v: must not be negative", w.idle)
	case w.slots == 0:
		w.slots = runtime.GOMAXPROCS(0)
	}
	for _, a := range w.allow {
		if a != "command" && a != "torch" {
			return fmt.Errorf("--allow %s: what can be allowed is command and torch", a)
		}
	}
	if w.devices != nil && !slices.Contains(w.allow, "torch") {
		return errors.New("--devices are for r2sgld-torch, which --allow torch lets runs use")
	}
	if w.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("no folder for files: %w: give one with --dir", err)
		}
		w.dir = filepath.Join(cache, "r2sgld", "work")
	}
	return os.MkdirAll(w.dir, 0o700)
}

// work works until it is interrupted.
func (w *working) work(cmd *cobra.Command, url string) error {
	if err := w.settle(); err != nil {
		return &job.Refused{Err: err}
	}
	leaving(func() string { return "stopped in the middle of its work: the run goes on without this worker" })
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	tell := func(s string) { fmt.Fprintln(out, s) }
	worker := fleet.Worker{Name: fmt.Sprintf("w%d-%s", os.Getpid(), fleet.NewToken()[:6]), Version: r2sgld.Version,
		Slots: w.slots, Dir: w.dir, Idle: w.idle, Program: program(), Tell: tell}
	if err := w.lend(ctx, &worker); err != nil {
		return &job.Refused{Err: err}
	}
	conn, err := w.await(ctx, url, tell)
	if conn == nil || err != nil {
		return err
	}
	defer conn.Close()
	worker.Host, _ = os.Hostname()
	commands := slices.Contains(w.allow, "command")
	build, err := fingerprint()
	if err != nil {
		return err
	}
	studies := replays(w.slots, build)
	defer studies.Close()
	worker.Make, worker.Case = potentialOf(commands), doCase(commands, studies)
	return worker.Work(ctx, conn)
}

// await connects to a broker as soon as there is one; nil where none came.
func (w *working) await(ctx context.Context, url string, tell func(string)) (*nats.Conn, error) {
	begun, told := time.Now(), false
	for {
		conn, err := w.connect(url)
		switch {
		case err == nil:
			return conn, nil
		case !fleet.Absent(err):
			return nil, &job.Refused{Err: err}
		case w.idle > 0 && time.Since(begun) > w.idle:
			return nil, err
		case !told:
			tell(err.Error() + ": waiting for it")
			told = true
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(time.Second):
		}
	}
}

// potentialOf makes the potential of a brief; one that another program computes if that may be.
func potentialOf(commands bool) func(context.Context, fleet.Brief, func(string) string) (potential.Potential, error) {
	return func(ctx context.Context, b fleet.Brief, place func(path string) string) (potential.Potential, error) {
		moved, programs, err := sent(b.Config, place, commands)
		if err != nil {
			return nil, err
		}
		denied := denials(&programs)
		programs.Context = ctx
		r, err := programs.Parse(b.Command, "configuration", moved, nil)
		if err != nil {
			return nil, cmp.Or(denied(), err)
		}
		return r.Problem.Potential, nil
	}
}

// sent is a configuration that another machine has sent, with its files where they stand here, and
// the programs that it may start: its Stan program, and any where commands may be.
func sent(resolved []byte, place func(path string) string, commands bool) (moved []byte, programs config.Programs, err error) {
	if moved, err = config.Moved(resolved, place); err != nil {
		return nil, programs, err
	}
	inStan, err := config.StanWithin(moved, place(""))
	programs.Within = place("")
	programs.Allow = func(args []string) error {
		if commands || inStan {
			return nil
		}
		return fmt.Errorf("it runs a program, %s: a worker that is started with --allow command does so", text.Words(args...))
	}
	return moved, programs, err
}

// denials returns what says why a program may not be started that a configuration asked for; nil where all may be.
func denials(p *config.Programs) func() error {
	var why error
	allow := p.Allow
	p.Allow = func(args []string) error {
		err := allow(args)
		why = cmp.Or(why, err)
		return err
	}
	return func() error { return why }
}

func hubCommand() *cobra.Command {
	var h host
	cmd := &cobra.Command{
		Use:   "hub DIR",
		Short: "A broker between runs and workers, which outlives both",
		Long: `A broker between runs and workers, which outlives both: runs connect to it with --hub
URL, workers with r2sgld work URL. DIR keeps its token, so that the URL stays the same,
and cases that are offered and done. Ctrl-C ends it; runs then go on alone, and both come
back when it does.`,
		Example: `  r2sgld hub ~/r2sgld-hub --listen :4222`,
		Args:    takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := h.open(args[0], args[0])
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
	cmd.Flags().StringVar(&h.listen, "listen", ":4222", "where to listen, HOST:PORT or :PORT")
	cmd.Flags().StringVar(&h.tls, "tls", "", "CERT,KEY: files of a certificate; the hub speaks TLS alone then")
	return cmd
}

// tokenIn reads the token of a folder. Where there is none it is a new one, which keep writes; "" is
// no folder.
func tokenIn(dir string) (token string, keep func() error, err error) {
	if dir == "" {
		return fleet.NewToken(), func() error { return nil }, nil
	}
	file := filepath.Join(dir, "token")
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		token = fleet.NewToken()
		return token, func() error { return writeToken(dir, file, token) }, nil
	}
	if err != nil {
		return "", nil, err
	}
	if token = strings.TrimSpace(string(b)); token == "" {
		return "", nil, fmt.Errorf("%s is empty: remove it, and a new token is made", file)
	}
	return token, func() error { return nil }, nil
}

// writeToken writes a token, which is there whole or not at all, after a power loss too.
func writeToken(dir, file, token string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".token-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.WriteString(token + "\n"); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	return errors.Join(err, store.Disk{}.SyncDir(dir))
}
