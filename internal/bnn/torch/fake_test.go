package torch

import (
	"io"
	"math"
	"os"
	"time"
)

// fake plays a worker that is not as it should be.
func fake(mode string) int {
	if _, _, err := readFrame(os.Stdin, nil, math.MaxUint32); err != nil {
		return 3
	}
	reply := func(kind byte, b []byte) {
		b = append([]byte{0, 0, 0, 0, kind}, b...)
		little.PutUint32(b, uint32(len(b)-4))
		_, _ = os.Stdout.Write(b)
	}
	hello := little.AppendUint32([]byte(magic), version)
	switch mode {
	case "version":
		reply(replyDone, putString(little.AppendUint32([]byte(magic), 7), "9.9"))
	case "magic":
		reply(replyDone, []byte("PNG!"))
	case "chatter":
		_, _ = os.Stdout.WriteString("Hello, I am a library\n")
	case "dies":
		_, _ = os.Stderr.WriteString("first\nlast words\n")
		return 9
	case "short":
		reply(replyDone, hello[:6])
	case "silent":
		time.Sleep(time.Hour)
	case "killed":
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		time.Sleep(time.Hour)
	case "deaf": // greets, reads and never answers nor ends
		reply(replyDone, hello)
		time.Sleep(time.Hour)
	case "endless": // in its answer to the second call
		reply(replyDone, hello)
		if _, _, err := readFrame(os.Stdin, nil, math.MaxUint32); err != nil {
			return 3
		}
		reply(replyDone, make([]byte, 8)) // an empty layout
		_, _ = os.Stdout.Write(append(little.AppendUint32(nil, 1<<30), replyDone))
	case "stops": // to answer after two calls
		reply(replyDone, hello)
		for i := range 2 {
			if _, _, err := readFrame(os.Stdin, nil, math.MaxUint32); err != nil {
				return 3
			}
			reply(replyDone, [][]byte{make([]byte, 8), nil}[i]) // an empty layout, nothing
		}
		time.Sleep(time.Hour)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}
