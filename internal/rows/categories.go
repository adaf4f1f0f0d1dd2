package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A nominal is a law of one of the categories 1 … K. Its arguments tell K.
type nominal struct {
	usage string
	of    func(arguments int) law // which are two or more
}

func nominals() map[string]nominal {
	return map[string]nominal{
		"ordered_logistic":  {"ordered_logistic(eta, c[1], c[2]), the cuts between the categories 1, 2, 3", orderedLogistic},
		"categorical":       {"categorical(theta[1], theta[2], theta[3]), a probability of each category", categorical},
		"categorical_logit": {"categorical_logit(0, eta[2], eta[3]), a logit of each category", categoricalLogit},
	}
}

// upTo are the values 1 … k.
func upTo(k int) support {
	return support{words: fmt.Sprintf("a whole number from 1 to %d", k), lo: 1, hi: float64(k), discrete: true}
}

// is is 1 where y is k, and 0 elsewhere.
func is(k int) string { return fmt.Sprintf("(1 - abs(sign(y - %d)))", k) }

// chosen is the argument of the category y, the first being of category from; 0 where there is none.
func chosen(args []string, from int) string {
	var parts []string
	for i, a := range args {
		parts = append(parts, is(from+i)+"*"+a)
	}
	return "(" + strings.Join(parts, " + ") + ")"
}

func lettered(name string, n int) (args []string) {
	for i := range n {
		args = append(args, fmt.Sprintf("%s_%d", name, i+1))
	}
	return args
}

// orderedLogistic is the law of the interval between cuts that eta and a logistic error lie
// in (McCullagh 1980): log(F(upper − eta) − F(lower − eta)), the first interval without a
// lower end, the last without an upper one.
func orderedLogistic(n int) law {
	cuts := lettered("c", n-1)
	first, last, upper, lower := is(1), is(n), chosen(cuts, 1), chosen(cuts, 2)
	term := fmt.Sprintf("-(1 - %s)*softplus(eta - %s) - (1 - %s)*softplus(%s - eta)", last, upper, first, lower)
	if n > 2 { // of other categories the logarithm is that of a number between 0 and 1, times 0
		between := fmt.Sprintf("(1 - %s - %s)", first, last)
		term += fmt.Sprintf(" + %s*log(1 - exp(%s*(%s - %s) + %s - 1))", between, between, lower, upper, between)
	}
	return law{append([]string{"eta"}, cuts...), []string{term}, upTo(n), func(a []float64, rng *rand.Rand) float64 {
		cuts := a[1:]
		if !slices.IsSorted(cuts) {
			return math.NaN()
		}
		z := logistic([]float64{a[0], 1}, rng)
		y := 1.0
		for _, c := range cuts {
			if z > c {
				y++
			}
		}
		return y
	}}
}

// categorical is the law of a category by probabilities, which are divided by their sum.
func categorical(n int) law {
	theta := lettered("theta", n)
	return law{theta, []string{"log(" + chosen(theta, 1) + ") - log(" + strings.Join(theta, " + ") + ")"}, upTo(n), weighted}
}

func categoricalLogit(n int) law {
	eta := lettered("eta", n)
	return law{eta, []string{chosen(eta, 1) + " - logsumexp(" + strings.Join(eta, ", ") + ")"}, upTo(n),
		func(a []float64, rng *rand.Rand) float64 {
			most := slices.Max(a)
			w := make([]float64, len(a))
			for i, v := range a {
				w[i] = math.Exp(v - most)
			}
			return weighted(w, rng)
		}}
}

// weighted draws 1 … n by weights.
func weighted(w []float64, rng *rand.Rand) float64 {
	total := 0.0
	for _, v := range w {
		total += v
	}
	if !(total > 0) {
		return math.NaN()
	}
	u := total * rng.Float64()
	for k, v := range w {
		if u -= v; u < 0 {
			return float64(k + 1)
		}
	}
	return float64(len(w))
}
