// Package deep answers whether the paper's claims about Bayesian deep learning hold
// (section 5.3 and its appendix): eight methods, a deep ensemble and SWAG on images.
package deep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/bnn/torch"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/study"
)

// Title is that of the study that [Run] runs.
const Title = "Residual networks on images: eight methods, a deep ensemble and SWAG (section 5.3)"

// Here says why cases of [Run] and [Posterior] are done on one machine.
const Here = "networks are trained by r2sgld-torch, on the devices and data of this machine"

// Run runs the paper's study of Bayesian deep learning. Scales smoke and small take
// Fashion-MNIST, as Debian's package dataset-fashion-mnist installs it, and processors;
// scale paper takes CIFAR-100 from the folder that the environment variable
// R2SGLD_CIFAR100 names, else cifar-100-binary in the working folder, and cuda:0.
// R2SGLD_DEVICES names other devices ("cuda:0,cuda:1"): each runs one training at a
// time. "cuda:0+cuda:1" deals the rungs of a training to both, "cuda:0+cuda:0" lets them
// move side by side on one. R2SGLD_PRECISION is that of products: float32 (the default),
// tf32, bfloat16 or float64. With R2SGLD_OUTSIDE=KIND:FOLDER predictions are made for images of no class as
// well, such as MNIST's digits ("idx:FOLDER") or SVHN's ("npz:FOLDER"). It fails if
// data, the worker program or a device are missing, or ctx ends; a training whose loss
// is not finite is a result.
func Run(ctx context.Context, o study.Options) (*study.Study, error) {
	s, err := sourceOf(o)
	if err != nil {
		return nil, err
	}
	on, err := machineOf(os.Getenv("R2SGLD_DEVICES"), os.Getenv("R2SGLD_PRECISION"), o)
	if err != nil {
		return nil, err
	}
	if o, err = depending(o, s.data, on); err != nil {
		return nil, err
	}
	return conduct(ctx, o, effortOf(o.Scale), s, on, openTorch)
}

// Ready reports whether data and worker program of [Run] are there; its error is a
// [*job.Refused] that says how to get them.
func Ready(o study.Options) error {
	_, err := sourceOf(o)
	return errors.Join(err, worker())
}

// depending is o with what trainings depend on besides: data, kinds of devices and the worker program.
func depending(o study.Options, d bnn.Data, on machine) (study.Options, error) {
	if o.Keeper == nil {
		return o, nil
	}
	data, err := images.Fingerprint(d.Train, d.Test, d.Outside)
	if err != nil {
		return o, err
	}
	path, err := torch.Find("")
	if err != nil {
		return o, refusal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return o, err
	}
	return o.Depending(data, on.kinds(), on.precision, fmt.Sprintf("%x", sha256.Sum256(program))), nil
}

// worker reports whether the worker program is there.
func worker() error {
	_, err := torch.Find("")
	return refusal(err)
}

// An opener opens the engine of a training on a device.
type opener func(ctx context.Context, s bnn.Setup, device string) (bnn.Engine, error)

// refusal is the error of an engine that could not be opened; it asks for something
// before the study can run.
func refusal(err error) error {
	var missing *torch.Missing
	var mismatch *torch.Mismatch
	var failed *torch.Failed
	switch {
	case errors.As(err, &missing), errors.As(err, &mismatch):
		return &job.Refused{Err: err}
	case errors.As(err, &failed) && failed.Reason == torch.NoDevice:
		return &job.Refused{Err: fmt.Errorf("%w\nname devices by the environment variable R2SGLD_DEVICES, such as cuda:0,cuda:1 or cpu", err)}
	}
	return err
}

// openTorch opens a worker in which replicas move one by one, as other trainings use
// the other processors.
func openTorch(ctx context.Context, s bnn.Setup, device string) (bnn.Engine, error) {
	return torch.Open(ctx, s, torch.Options{Devices: strings.Split(device, "+"), Threads: 1})
}

// A machine is what trainings run on.
type machine struct {
	devices   []string // each runs one training at a time, "cuda:0+cuda:1" on both
	precision string   // of products
}

// kinds are the names of the devices, each once.
func (on machine) kinds() []string {
	return slices.Compact(slices.Sorted(slices.Values(strings.Split(strings.Join(on.devices, "+"), "+"))))
}

// machineOf is the machine of these devices and this precision, "" being what a scale takes.
func machineOf(devices, precision string, o study.Options) (machine, error) {
	on := machine{devicesOf(devices, o), cmp.Or(precision, "float32")}
	if !slices.Contains(bnn.Precisions(), on.precision) {
		return on, &job.Refused{Err: fmt.Errorf("R2SGLD_PRECISION: unknown precision %q: use %s", precision,
			strings.Join(bnn.Precisions(), ", "))}
	}
	return on, nil
}

// devicesOf lists the devices that trainings run on at once: those named, or cuda:0
// at scale paper and processors else. A cpu without a second entry stands for as many as
// there are threads.
func devicesOf(named string, o study.Options) []string {
	var out []string
	for name := range strings.SplitSeq(named, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	if len(out) == 0 && o.Scale == study.Paper {
		out = []string{"cuda:0"}
	}
	if len(out) == 0 || len(out) == 1 && out[0] == "cpu" {
		out = make([]string, o.Workers())
		for i := range out {
			out[i] = "cpu"
		}
	}
	return out
}

// conduct runs the study with this effort, these images and this machine.
func conduct(ctx context.Context, o study.Options, e effort, from *source, on machine, open opener) (*study.Study, error) {
	return o.Conduct(func() (*study.Study, error) {
		m := &inquiry{Options: o, effort: e, source: from, machine: on, open: open}
		for _, step := range []func(context.Context) error{m.methods, m.sweep, m.forecast} {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
		return m.study()
	})
}

// inquiry is a study while it runs.
type inquiry struct {
	study.Options
	effort
	machine
	source *source
	open   opener

	outcomes []*outcome // of all methods, network by network
	swept    []*outcome // of the sweep, method by method, steps rising
	plans    []*bnn.Plan
	spent    study.Spells
}

// methods trains the eight methods and the baselines.
func (m *inquiry) methods(ctx context.Context) error {
	for _, u := range m.subjects {
		for _, name := range u.methods {
			c, err := m.caseOf(u.kind, name, 0)
			if err != nil {
				return err
			}
			m.outcomes = append(m.outcomes, &outcome{c, make([]*run, u.repeats)})
		}
	}
	return m.train(ctx, "methods", m.outcomes)
}

// sweep trains some methods with other steps.
func (m *inquiry) sweep(ctx context.Context) error {
	for _, name := range sweeping() {
		for _, eta := range m.steps {
			c, err := m.caseOf(m.subjects[0].kind, name, eta)
			if err != nil {
				return err
			}
			m.swept = append(m.swept, &outcome{c, make([]*run, m.sweeps)})
		}
	}
	return m.train(ctx, "steps", m.swept)
}

// forecast says what the ladders would do by rule metropolis.
func (m *inquiry) forecast(ctx context.Context) error {
	return m.spent.Time(m.Options, "cifar", "forecast", func() (int64, error) { // by rule metropolis
		for _, u := range m.subjects {
			p, err := m.plan(ctx, m.find(u.kind, "r2sghmc").item)
			if err != nil {
				return 0, err
			}
			m.plans = append(m.plans, p)
		}
		return 0, nil
	})
}

// find is the outcome of a method on a network.
func (m *inquiry) find(network, method string) *outcome {
	for _, o := range m.outcomes {
		if o.network.Kind == network && o.method == method {
			return o
		}
	}
	return nil
}
