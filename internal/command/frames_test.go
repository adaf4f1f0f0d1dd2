package command

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// framed answers in frames, as modes that begin with "frames" say, until its input ends.
func framed(mode string, in *bufio.Reader, out *bufio.Writer) int {
	e := uneven.Evaluator(1, nil)
	u, g, x := make([]float64, 1), make([]float64, 2), make([]float64, 2)
	for k := 1; ; k++ {
		var ask struct {
			States, Kind uint32
			Seed         int64
		}
		if err := binary.Read(in, binary.LittleEndian, &ask); err != nil {
			return ending(mode, "")
		}
		n, status := ask.States, uint32(0)
		var energies, gradients []float64
		for range n {
			_ = binary.Read(in, binary.LittleEndian, x)
			e.Eval(u, g, x)
			if strings.HasPrefix(mode, "frames seeds") {
				u[0], g[0], g[1] = float64(ask.Seed>>32), float64(ask.Seed&math.MaxUint32), x[0]
			}
			energies, gradients = append(energies, u[0]), append(gradients, g...)
		}
		if k == 3 {
			switch mode {
			case "frames message":
				const why = "Traceback:\nZeroDivisionError\n"
				_ = binary.Write(out, binary.LittleEndian, [2]uint32{uint32(len(why)), 1})
				_, _ = out.WriteString(why)
				_ = out.Flush()
				return 1
			case "frames cut":
				energies, gradients = energies[:1], nil
			case "frames crash":
				fmt.Fprintln(os.Stderr, "out of luck")
				return 7
			case "frames count":
				n++
			case "frames talk":
				fmt.Print("epoch 5\n")
			case "frames hang":
				time.Sleep(time.Minute)
			case "frames more":
				gradients = append(gradients, 1)
			case "frames huge":
				n, status = math.MaxUint32, 1
			case "frames infinite":
				energies[0], gradients[1] = math.NaN(), math.Inf(-1)
			}
		}
		_ = binary.Write(out, binary.LittleEndian, [2]uint32{n, status})
		_ = binary.Write(out, binary.LittleEndian, energies)
		_ = binary.Write(out, binary.LittleEndian, gradients)
		_ = out.Flush()
		if mode == "frames cut" && k == 3 {
			return 0
		}
	}
}

// Seeds of frames are those of lines: a run is the same with either.
func TestSeedsOfFrames(t *testing.T) {
	lined, framed := open(t, settings("seeds"), 2, stream.New(7, 3)), open(t, settings("frames seeds"), 2, stream.New(7, 3))
	u, g, v, h, x := make([]float64, 2), make([]float64, 4), make([]float64, 2), make([]float64, 4), []float64{1, 2, 3, 4}
	for range 20 {
		lined.Eval(u, g, x)
		framed.Eval(v, h, x)
		if framed.Err() != nil || !same(u, v) || !same(g, h) || u[0] == 0 {
			t.Fatal(u, g, v, h, framed.Err())
		}
	}
}

// A program that says so is lanewise, and no other.
func TestLanewisePrograms(t *testing.T) {
	for mode, want := range map[string]bool{"ok": false, "frames": false, "frames lanewise": true} {
		p, err := New(t.Context(), settings(mode))
		if err != nil {
			t.Fatal(err)
		}
		if potential.Lanewise(p) != want {
			t.Errorf("%s: lanewise %v", mode, !want)
		}
	}
}

// What a program can do wrong in its frames is told, and ends it.
func TestFrameFailures(t *testing.T) {
	pace.Slow(t)
	for mode, want := range map[string]string{
		"frames message": "it cannot go on:\n  Traceback:\n  ZeroDivisionError",
		"frames cut":     "it ended (exit status 0) within frame 3 of its output, 40 bytes before",
		"frames crash":   "it ended (exit status 7) where frame 3 of its output was due; the end of its standard error:\n  out of luck",
		"frames count":   "frame 3 of its output is of 3 states: 2 were asked for",
		"frames talk":    `frame 3 of its output begins with "epoch 5\n": want`,
		"frames hang":    "no answer within 1s where frame 3 of its output was due: either it needs more time",
		"frames more":    "it writes more than it is asked for, 8 bytes after 3 frames",
		"frames huge":    "it cannot go on", // with a text that does not come
	} {
		s := settings(mode)
		s.Timeout = 10 * time.Second
		if mode == "frames hang" || mode == "frames huge" {
			s.Timeout = time.Second
		}
		e := open(t, s, 2, nil)
		u, g := make([]float64, 2), make([]float64, 4)
		for k := 0; k < 4 && e.Err() == nil; k++ {
			e.Eval(u, g, []float64{1, 2, 3, 4})
			if mode == "frames more" && k == 2 {
				for n := 0; n < 1000 && !e.process.early.ready() && e.process.out.Buffered() == 0; n++ {
					time.Sleep(time.Millisecond)
				}
			}
		}
		if mode == "frames huge" {
			want = "no answer within 1s"
		}
		if mode == "frames message" && e.Err() != nil && strings.Contains(e.Err().Error(), "standard error") {
			t.Errorf("%s: %v: it has said all", mode, e.Err())
		}
		if err := e.Err(); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "within 1s, where", "within 1s where"), want) {
			t.Errorf("%s: %v, want %s", mode, err, want)
		}
		if e.process.State() == nil {
			t.Errorf("%s: the process goes on after its failure", mode)
		}
		if !math.IsNaN(u[0]) || !math.IsNaN(g[3]) {
			t.Errorf("%s: %v %v after the failure", mode, u, g)
		}
	}
	e := open(t, settings("frames infinite"), 2, nil)
	u, g := make([]float64, 2), make([]float64, 4)
	for range 3 {
		e.Eval(u, g, make([]float64, 4))
	}
	if e.Err() != nil || !math.IsNaN(u[0]) || !math.IsInf(g[2], -1) {
		t.Error(u, g, e.Err())
	}
}

// An answer is read whole or refused, whatever bytes come.
func FuzzFrame(f *testing.F) {
	for _, s := range []string{"", "\x02\x00\x00\x00\x00\x00\x00\x00", "\x05\x00\x00\x00\x01\x00\x00\x00why??", strings.Repeat("\x00", 64),
		"\xff\xff\xff\xff\x01\x00\x00\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		head := len(b) >= 8 && binary.LittleEndian.Uint32(b) == 2 && binary.LittleEndian.Uint32(b[4:]) == 0
		var body [6]float64
		good := head && len(b) >= 8+48
		if good {
			_ = binary.Read(strings.NewReader(string(b[8:])), binary.LittleEndian, body[:])
		}
		e := open(t, settings("ok"), 2, nil)
		u, g := make([]float64, 2), make([]float64, 4)
		e.Eval(u, g, make([]float64, 4)) // starts the process, which fail ends
		e.process.out.Reset(io.MultiReader(strings.NewReader(string(b))))
		err := new(frames).answer(e.process, u, g)
		if (err == nil) != good || good && !same(body[:], []float64{u[0], u[1], g[0], g[2], g[1], g[3]}) {
			t.Errorf("%q: %v %v, %v", b, u, g, err)
		}
	})
}
