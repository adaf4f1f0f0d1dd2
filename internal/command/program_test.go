package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/potential"
)

// The test binary is its own external program: with the arguments "program MODE
// [FILE]" it answers as the mode says.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "program" {
		os.Exit(program(os.Args[2], os.Args[len(os.Args)-1]))
	}
	// The race detector otherwise sleeps for a second at the end of each program.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// uneven is the potential that the programs compute, without symmetry.
var uneven = potential.Func(2, func(grad, x []float64) float64 {
	e := math.Exp(0.3 * x[0])
	grad[0], grad[1] = 0.3*e+x[1], x[0]+3*x[1]*x[1]
	return e + x[0]*x[1] + x[1]*x[1]*x[1]
})

// greetings are the answers of modes that fail, or differ, in the handshake.
var greetings = map[string]string{
	"text":       "hello there",
	"version":    `{"r2sgld": 3, "dimension": 2}`,
	"lines":      `{"r2sgld": 1, "dimension": 2, "lanewise": true}`,
	"dimension":  `{"r2sgld": 1, "dimension": 3}`,
	"names":      `{"r2sgld": 1, "dimension": 2, "names": ["y", "x"]}`,
	"key":        `{"r2sgld": 1, "dimension": 2, "stochastc": true}`,
	"two":        `{"r2sgld": 1, "dimension": 2} {}`,
	"seeds":      `{"r2sgld": 1, "dimension": 2, "stochastic": true}`,
	"half hello": `{"r2sgld": 1,`,

	"lined walls":   `{"r2sgld": 1, "dimension": 2, "constraints": ["disc"]}`,
	"twice a wall":  `{"r2sgld": 2, "dimension": 2, "constraints": ["disc", "line", "disc"]}`,
	"nameless wall": `{"r2sgld": 2, "dimension": 2, "constraints": ["disc", ""]}`,
}

func program(mode, file string) int {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	hello, _ := in.ReadString('\n')
	states := 1
	if at := strings.Index(hello, `"states":`); at >= 0 {
		_, _ = fmt.Sscanf(hello[at:], `"states":%d`, &states)
	}
	switch mode {
	case "owner":
		return owner(file)
	case "no hello":
		fmt.Fprintln(os.Stderr, "no data.csv here")
		return 3
	case "mute":
		time.Sleep(time.Minute)
	case "babble":
		fmt.Println(`{"r2sgld": 1, "dimension": 2}`)
		for n := 0; ; n++ {
			fmt.Fprintln(out, n, n, n)
		}
	case "half hello":
		fmt.Print(greetings[mode])
		return 0
	}
	if strings.HasPrefix(mode, "walls") {
		return walled(mode, file, states, in, out)
	}
	greeting := `{"r2sgld": 1, "dimension": 2, "names": ["x", "y"]}`
	if g, ok := greetings[mode]; ok {
		greeting = g
	}
	if strings.HasPrefix(mode, "frames") {
		greeting = `{"r2sgld": 2, "dimension": 2}`
		if what, ok := map[string]string{"frames seeds": "stochastic", "frames lanewise": "lanewise"}[mode]; ok {
			greeting = fmt.Sprintf(`{"r2sgld": 2, "dimension": 2, %q: true}`, what)
		}
		fmt.Println(greeting)
		return framed(mode, in, out)
	}
	if mode == "fickle" && states > 1 {
		greeting = greetings["seeds"]
	}
	fmt.Println(greeting)
	if code := answers(mode, states, in, out); code >= 0 {
		return code
	}
	return ending(mode, file)
}

// answers answers until the input ends, and then returns -1.
func answers(mode string, states int, in *bufio.Reader, out *bufio.Writer) int {
	e := uneven.Evaluator(1, nil)
	u, g, x := make([]float64, 1), make([]float64, 2), make([]float64, 2)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if err != nil {
			return -1
		}
		words := strings.Fields(line)
		for j := range x {
			x[j], _ = strconv.ParseFloat(words[1+j], 64)
		}
		e.Eval(u, g, x)
		answer := fmt.Sprintln(u[0], g[0], g[1])
		switch {
		case strings.HasPrefix(mode, "seeds"):
			seed, _ := strconv.ParseInt(words[0], 10, 64)
			answer = fmt.Sprintln(seed>>32, seed&math.MaxUint32, x[0])
		case mode == "flood":
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 20000))
		case n == 5:
			var code int
			if answer, code = fifth(mode, answer); code >= 0 {
				_, _ = io.WriteString(os.Stdout, answer)
				return code
			}
		}
		_, _ = out.WriteString(answer)
		if mode != "blocks" || n%states == 0 {
			_ = out.Flush()
		}
		if mode == "ahead" {
			time.Sleep(time.Millisecond)
			fmt.Println("7 7 7")
		}
	}
}

// fifth is what comes in place of the fifth answer, and the exit status after it
// or -1.
func fifth(mode, answer string) (string, int) {
	switch mode {
	case "crash":
		fmt.Fprintln(os.Stderr, "Traceback:\nZeroDivisionError")
		return "", 7
	case "exit":
		return "", 0
	case "half line":
		return "0.25 0.", 0
	case "close":
		_ = os.Stdout.Close()
		time.Sleep(time.Minute)
	case "hang":
		time.Sleep(time.Minute)
	case "garbage":
		return "epoch 5\n", -1
	case "few":
		return "1 2\n", -1
	case "many":
		return "1 2 3 4\n", -1
	case "empty":
		return "\n", -1
	case "long":
		return strings.Repeat("1", 1<<17) + "\n", -1
	case "talk":
		return answer + "epoch 5\n", -1
	case "infinite":
		return "nan -inf 1e400\n", -1
	}
	return answer, -1
}

// ending is what a program does at the end of its input.
func ending(mode, file string) int {
	switch mode {
	case "deaf": // writes a byte to the file every 10 ms, for as long as it lives
		signal.Ignore()
		f, err := os.Create(file)
		for err == nil {
			_, err = f.WriteString(".")
			time.Sleep(10 * time.Millisecond)
		}
	case "witness":
		if os.WriteFile(file, []byte("ended"), 0o600) != nil {
			return 1
		}
	}
	return 0
}

// owner evaluates by a program once, says so and then waits to be killed.
func owner(file string) int {
	p, err := New(context.Background(), Settings{Args: []string{os.Args[0], "program", "witness", file}, Names: []string{"x", "y"}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	e := p.Evaluator(1, nil)
	e.Eval(make([]float64, 1), make([]float64, 2), make([]float64, 2))
	fmt.Println("ready", potential.Err(e))
	time.Sleep(time.Minute)
	return 0
}
