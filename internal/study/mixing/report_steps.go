package mixing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
)

// discretisationSection is of what the step costs.
func (r *Results) discretisationSection() (study.Section, error) {
	d := &r.Discretisation
	out := study.Section{Title: "Discretisation",
		Text: fmt.Sprintf(`A step is a stochastic kernel on an interval, and its laws are exact: the one that stays, and the one after so many steps from a point, beside that of the diffusion at the same time T = %g. Nothing is sampled. Temperature 1.

The theorem bounds W1 at time T by three terms: η^¼; the size of the gradient's noise; the root of η^-½ times that of the swap rate's, which goes with the energies' noise. The power of each is compared with that of what is found when it alone is there. The energies' noise is that of the difference of two rungs' energies, temperatures 1 and 10, an attempt in every iteration.`, duration)}
	for _, x := range []struct {
		title, caption string
		all            []Order
	}{
		{"Stationary law against π", "", d.Orders}, {"At one time", "", d.Times},
		{"Noise of the gradient alone", "W1 between the stationary laws with and without noise.", d.Gradient},
		{"Noise of the energies alone", "W1 between the stationary laws of the cold rung with and without noise, by the correction C of the swap rule.", d.Energy},
	} {
		t := study.Table{Title: x.title, Columns: []string{"law", "boundary", "against", "from", "to", "W1 at the smallest", "W1 at the largest", "power", "bound's"},
			Caption: "Power: of the smaller half, with its 95 % interval. " + x.caption}
		for i := range x.all {
			t.Rows = append(t.Rows, x.all[i].row())
		}
		out.Tables = append(out.Tables, t)
	}
	return draw(out,
		func() (study.Picture, error) {
			return orderPicture("theory-stationary", "W1 between the law that a step leaves as it is and π, against the step size: slope 1 for reflection and refusal, ½ for projection, whose laws have atoms on the walls.", d.Orders, false)
		},
		func() (study.Picture, error) {
			return orderPicture("theory-time", "W1 between the laws of steps and of the diffusion at one time against the step size. The line of the theorem has slope ¼; it is drawn from the largest W1 of reflection.", d.Times, true)
		},
		noisePicture("theory-gradient-noise", "W1 that noise of the gradient adds at one step size, against its size: it grows with the square.", d.Gradient, byGradient),
		noisePicture("theory-gradient-step", "W1 that noise of the gradient adds at one size, against the step: in proportion.", d.Gradient, byStep),
		noisePicture("theory-energy-noise", "W1 that noise of the energies adds to the cold rung's law at one step size, against its size, by the correction of the swap rule.", d.Energy, byEnergy),
		noisePicture("theory-energy-step", "W1 that noise of the energies adds at one size, against the step: with the correction C = 2 it vanishes with the step, otherwise it stays.", d.Energy, byStep))
}

// row is the order in a table.
func (o *Order) row() []string {
	last := len(o.X) - 1
	power := o.Fit.String()
	if o.Vanishes {
		power = "exact"
	}
	return []string{o.Name, o.Rule, o.Of, show(o.X[0]), show(o.X[last]), fmt.Sprintf("%.2g", o.W1[0]), fmt.Sprintf("%.2g", o.W1[last]), power, show(o.Bound)}
}

// line is the order as a curve; nil where it vanishes.
func (o *Order) line(name, method string) []figure.Line {
	l := figure.Line{Name: name, Method: method}
	for i, w := range o.W1 {
		if w > rounding {
			l.X, l.Y = append(l.X, o.X[i]), append(l.Y, w)
		}
	}
	if o.Vanishes || len(l.X) == 0 {
		return nil
	}
	return []figure.Line{l}
}

// ruleTint is the colour of a rule.
func ruleTint(rule string) string {
	return map[string]string{"reflection": "r2sgld", "projection": "projected-sgld", "refusal": "rejection-sgld"}[rule]
}

// orderPicture draws orders in the step, a law a panel, with the theorem's line.
func orderPicture(name, caption string, all []Order, quarter bool) (study.Picture, error) {
	q := figure.Lines{X: figure.Axis{Name: "step size η"}, Y: figure.Axis{Name: "W1"}, LogX: true, LogY: true, Columns: 2}
	at := map[string]int{}
	for i := range all {
		o := &all[i]
		of, _, two := strings.Cut(o.Name, ", swaps")
		k, ok := at[of]
		if !ok {
			k = len(q.Panels)
			at[of] = k
			q.Panels = append(q.Panels, figure.LinePanel{Title: of})
		}
		label, method := o.Rule, ruleTint(o.Rule)
		if two {
			label, method = "reflection, two rungs", "r-cycsgld"
		}
		q.Panels[k].Lines = append(q.Panels[k].Lines, o.line(label, method)...)
		if last := len(o.X) - 1; quarter && method == "r2sgld" && !o.Vanishes {
			q.Panels[k].Lines = append(q.Panels[k].Lines, figure.Line{Name: "η^¼", Method: "truth", Dashed: true,
				X: []float64{o.X[0], o.X[last]}, Y: []float64{o.W1[last] * math.Pow(o.X[0]/o.X[last], 0.25), o.W1[last]}})
		}
	}
	q.Panels = slices.DeleteFunc(q.Panels, func(p figure.LinePanel) bool { return len(p.Lines) == 0 })
	return picture(name, caption, q)
}

// noisePicture draws what noise adds, against its size or against the step.
func noisePicture(name, caption string, all []Order, of string) func() (study.Picture, error) {
	return func() (study.Picture, error) {
		axis, panel := figure.Axis{Name: "standard deviation of the " + of}, figure.LinePanel{}
		if of == byStep {
			axis.Name = "step size η"
		}
		for i := range all {
			if o := &all[i]; o.Of == of {
				label := o.Name[:strings.LastIndex(o.Name, ", ")]
				panel.Lines = append(panel.Lines, o.line(label, tint(len(panel.Lines)))...)
			}
		}
		return picture(name, caption, figure.Lines{X: axis, Y: figure.Axis{Name: "W1"}, LogX: true, LogY: true, Panels: []figure.LinePanel{panel}})
	}
}
