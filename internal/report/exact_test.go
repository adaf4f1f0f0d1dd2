package report

import (
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// sought is a domain whose crossings no formula gives.
type sought struct{ domain.Domain }

// guessed is a potential with noise; still is one without.
type (
	guessed struct{ potential.Potential }
	still   struct{ potential.Potential }
)

func (guessed) EnergyNoise() float64 { return 1 }

// What keeps kernel hmc from its law is told, each thing by itself.
func TestInexact(t *testing.T) {
	box, err := domain.NewBox([]float64{0}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    r2sgld.Problem
		s    r2sgld.Settings
		want string
	}{
		{r2sgld.Problem{Potential: still{}}, r2sgld.Settings{}, ""},
		{r2sgld.Problem{Potential: still{}, Domain: box}, r2sgld.Settings{Boundary: domain.Specular}, ""},
		{r2sgld.Problem{Potential: still{}, Domain: sought{box}}, r2sgld.Settings{Boundary: domain.Refuse}, ""},
		{r2sgld.Problem{Potential: guessed{}, Domain: box}, r2sgld.Settings{}, "energies or gradients have noise"},
		{r2sgld.Problem{Potential: still{}, Domain: sought{box}}, r2sgld.Settings{},
			"the crossings of a wall are sought along the path, as a constraint is neither linear nor quadratic nor a known shape"},
		{r2sgld.Problem{Potential: still{}, Domain: sought{box}, Chart: &r2sgld.Chart{}}, r2sgld.Settings{},
			"the crossings of a wall are sought along the path, as a constraint is neither linear nor quadratic nor a known shape"},
		{r2sgld.Problem{Potential: guessed{}, Domain: box}, r2sgld.Settings{Boundary: domain.Project},
			"energies or gradients have noise; boundary project does not keep the law"},
	} {
		if got := strings.Join(inexact(c.p, c.s), "; "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
