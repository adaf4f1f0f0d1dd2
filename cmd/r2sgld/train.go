package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/torch"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/training"
)

func trainCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "train CONFIG.yaml",
		Short: "Bayesian deep learning: (r2)SGHMC and its baselines on images",
		Long: `Bayesian deep learning on images: networks by SGDM, SGHMC, cycSGHMC, reSGHMC and the
reflected R-SGDM, R-SGHMC, R-cycSGHMC, r2SGHMC, averages of their models, and how good
these predict; deep ensembles and SWAG beside them. Networks move in a program of their
own, r2sgld-torch, which make torch builds. In the configuration,
  data: {kind: idx, folder: F}       or cifar10, cifar100, images, npz; train: N takes
                                     so many examples; augment: {crop, flip, erase};
                                     outside: {kind, folder} for images of no class
  network: {kind: resnet20}          resnet8 … resnet110, bottleneck56, lenet, mlp;
                                     norm: batch, frn (a posterior in the strict sense)
  sampler: {method: r2sghmc, epochs: 100, batch: 2048, step_size, temperature, bound: 4}
  average: {from: 0.6, save: true}   models of the last 40 % of the epochs, and as files
  repeats: 3, device: [cpu]          or [cuda:0, cuda:1]: rungs are dealt to them`,
		Example: `  r2sgld train examples/networks/fashion.yaml
  r2sgld train examples/networks/fashion.yaml --listen :4222
  r2sgld train examples/networks/fashion.yaml --set 'sampler={method: sghmc, epochs: 15, batch: 256, step_size: 0.05}'
  tail -f runs/fashion-20261121-101300/metrics.jsonl`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := unlessStopped(cmd.Context(), func() (*config.Training, error) { return config.LoadTraining(args[0], c.set) })
			if err != nil {
				return err
			}
			j, err := c.trainingJob(t)
			if err != nil {
				return err
			}
			return c.train(cmd, j)
		},
	}
	c.starting(cmd)
	c.staffed(cmd)
	cmd.Flags().Lookup("threads").Usage = "networks that move at once on CPUs; changes no number (default all processors)"
	return cmd
}

// trainingJob makes the job of a configuration.
func (c *common) trainingJob(t *config.Training) (*training.Job, error) {
	hash, err := t.Resolved.Hash()
	if err != nil {
		return nil, err
	}
	return &training.Job{Request: job.Request{Name: t.Name, Warnings: t.Warnings, Config: t.Resolved, Hash: hash},
		Network: t.Network, Data: t.Data, Settings: t.Settings, Repeats: t.Repeats, Save: t.Save, Precision: t.Precision,
		Devices: t.Devices, Engine: c.engines(t)}, nil
}

// engines opens the engines of a training.
func (c *common) engines(t *config.Training) func(context.Context, bnn.Setup) (bnn.Engine, error) {
	return func(ctx context.Context, s bnn.Setup) (bnn.Engine, error) {
		return torch.Open(ctx, s, torch.Options{Devices: t.Devices, Threads: c.threads})
	}
}

// train makes the training of a job.
func (c *common) train(cmd *cobra.Command, j *training.Job) error {
	place, err := c.place(j.Name, j.Dir)
	if err != nil {
		return err
	}
	leavingRun(place, j.Resume)
	j.Dir, j.Force, j.Checkpoint = place, c.force, c.checkpoint
	j.Out, j.Terminal = c.screen()
	crew, done, err := c.staff.borrow(cmd.Context(), j, c.threads)
	if err != nil {
		return err
	}
	return c.helped(cmd.Context(), &j.Request, crew, done, func(ctx context.Context) (any, error) { return j.Run(ctx) })
}

// resumedTraining makes the job of the folder of a training again.
func (c *common) resumedTraining(dir string, m job.Manifest[json.RawMessage]) (*training.Job, error) {
	name := filepath.Join(dir, "run.json")
	begun, err := config.ParseTraining(name, m.Config, nil)
	if err != nil {
		return nil, err
	}
	now, err := config.ParseTraining(name, m.Config, c.set)
	if err != nil {
		return nil, err
	}
	hash, err := begun.Resolved.Hash()
	if err := m.Intact(name, hash, err); err != nil {
		return nil, err
	}
	before, err := begun.Resolved.Law()
	if err != nil {
		return nil, err
	}
	if law, err := now.Resolved.Law(); err != nil || law != before {
		return nil, &job.Refused{Err: errors.Join(err,
			errors.New("a resumed training can change its device only: schedule and averages span its epochs, so start a new one for "+
				"anything else"))}
	}
	j, err := c.trainingJob(now)
	if err != nil {
		return nil, err
	}
	j.Dir, j.Resume, j.Accept = dir, true, append([]string{m.Hash}, m.Previous...)
	return j, nil
}

// commandIn is the command that a run folder is of, with its manifest.
func commandIn(dir string) (string, job.Manifest[json.RawMessage], error) {
	_, m, err := job.Read(dir)
	if err != nil {
		return "", m, &job.Refused{Err: err}
	}
	return m.Command, m, nil
}

// planTraining forecasts a training.
func (c *common) planTraining(cmd *cobra.Command, path string, w io.Writer) error {
	t, err := unlessStopped(cmd.Context(), func() (*config.Training, error) { return config.LoadTraining(path, c.set) })
	if err != nil {
		return err
	}
	p, err := unlessStopped(cmd.Context(), func() (*bnn.Plan, error) { return c.forecast(cmd.Context(), t) })
	switch {
	case err != nil:
		return err
	case c.json:
		return c.printJSON(p)
	}
	_, err = fmt.Fprint(w, training.PlanText(p, t.Settings))
	return err
}

// forecast measures a training.
func (c *common) forecast(ctx context.Context, t *config.Training) (*bnn.Plan, error) {
	setup := t.Settings.Setup(t.Network)
	setup.Precision = t.Precision
	engine, err := c.engines(t)(ctx, setup)
	if err != nil {
		return nil, &job.Refused{Err: fmt.Errorf("%s: %w", t.Name, err)}
	}
	defer engine.Close()
	p, err := bnn.Forecast(ctx, engine, t.Data, t.Settings, pilot)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	return p, nil
}

// pilot is the number of iterations that a plan of a training measures.
const pilot = 20
