package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/watch"
)

// shown registers the flag of runs that a page may show.
func (c *common) shown(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.web, "web", "",
		"show the run on a page at this address, as in :8080: of this machine alone unless a host is given")
}

// page opens the page of a run that is about to begin, if there is to be one, and prints its
// URL; more completes what the folder tells. What it returns ends it.
func (c *common) page(q *job.Request, more func(*watch.Facts)) (end func(), err error) {
	if c.web == "" {
		return func() {}, nil
	}
	s, err := watch.Serve(c.web, watch.Coming(q.Dir), more)
	if err != nil {
		return nil, &job.Refused{Err: fmt.Errorf("--web: %w", err)}
	}
	fmt.Fprintf(q.Terminal, " page: %s\n", s.URL())
	return s.Close, nil
}

// casesOf shows how far cases are.
func casesOf(t *cases.Tally) func(*watch.Facts) {
	return func(f *watch.Facts) { f.Cases = t.Now() }
}

func watchCommand() *cobra.Command {
	var web string
	cmd := &cobra.Command{
		Use:   "watch RUN",
		Short: "Show a run on a page, as it goes",
		Long: `Show a run on a page, as it goes: how far it is, R̂, effective sample sizes and log Z of
each round, rejections of its rungs, warnings, and its figures once they are there. RUN
is the folder of a run that another process makes, or that is finished; nothing is
written there. The URL that is printed holds a token: whoever has it sees the run.
Without a host the page is for this machine alone; from another one reach it by
  ssh -L 8080:localhost:8080 MACHINE
Ctrl-C ends it. A run that is about to begin shows itself with --web, its workers too.`,
		Example: `  r2sgld watch runs/flower-20261121-101300
  r2sgld watch runs/flower-20261121-101300 --web 10.0.0.5:8080
  r2sgld sample examples/flower.yaml --web :8080`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := watch.Open(folderOf(args[0]))
			if err != nil {
				return &job.Refused{Err: err}
			}
			s, err := watch.Serve(web, folder, nil)
			if err != nil {
				return &job.Refused{Err: fmt.Errorf("--web: %w", err)}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", s.URL())
			<-cmd.Context().Done()
			s.Close()
			return nil
		},
	}
	cmd.Flags().StringVar(&web, "web", ":8080", "where to listen: HOST:PORT, or :PORT, which is of this machine alone")
	return cmd
}
