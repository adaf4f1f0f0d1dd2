package command

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// digits is room for a number of an answer, %.40f of moderate ones included.
const digits = 64

// lines are protocol 1: a state is a line of decimals, and so is its answer.
type lines struct{}

// request appends a line for each state: all requests are for energies.
func (lines) request(b []byte, _ uint32, x []float64, r int, seed int64) []byte {
	for i := range r {
		b = strconv.AppendInt(b, seed, 10)
		for k := i; k < len(x); k += r {
			b = strconv.AppendFloat(append(b, ' '), x[k], 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	return b
}

// whole is false: a program may answer a line before it reads the next.
func (lines) whole() bool { return false }

// answer reads a line for each state.
func (lines) answer(p *process, energy, grad []float64) error {
	for i := range energy {
		line, err := p.line(0)
		if err != nil {
			return err
		}
		if err := readAnswer(line, energy, grad, i); err != nil {
			return p.fail(grace, fmt.Errorf("line %d of its output is %s: %w", p.answered, quote(line), err))
		}
	}
	return nil
}

// due is what is waited for.
func (lines) due() string { return "line" }

// readAnswer writes the energy and gradient of a line into state i.
func readAnswer(line []byte, energy, grad []float64, i int) error {
	r := len(energy)
	d := len(grad) / r
	n := 0
	for {
		for len(line) > 0 && blank(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			break
		}
		end := 1
		for end < len(line) && !blank(line[end]) {
			end++
		}
		v, ok := number(line[:end])
		switch {
		case !ok:
			return fmt.Errorf("%s is no number: want %s", quote(line[:end]), wanted(d))
		case n == 0:
			energy[i] = v
		case n <= d:
			grad[(n-1)*r+i] = v
		}
		n++
		line = line[end:]
	}
	if n != d+1 {
		return fmt.Errorf("it has %d numbers: want %s", n, wanted(d))
	}
	return nil
}

func wanted(d int) string {
	return fmt.Sprintf("the energy and the %d partial derivatives of a state, %d numbers with blanks between them", d, d+1)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// number reads a decimal number, or inf or nan as C or Python write them. What
// is too large is infinite.
func number(b []byte) (float64, bool) {
	v, err := strconv.ParseFloat(string(b), 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return v, !bytes.ContainsAny(b, "_xX") // 2_000, 0x1p1
	}
	s := strings.ToLower(strings.TrimLeft(string(b), "+-"))
	if s == "nan" || strings.HasPrefix(s, "nan(") {
		return math.NaN(), true
	}
	return 0, false
}

// quote quotes the beginning of a line.
func quote(line []byte) string {
	const most = 80
	if len(line) > most {
		return strconv.Quote(string(line[:most])) + "…"
	}
	return strconv.Quote(string(line))
}
