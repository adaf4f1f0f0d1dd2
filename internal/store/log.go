package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"
	"sync"
)

// Logger appends to log.jsonl: one JSON object a line with time, level,
// message and the fields given; numbers that are not finite are null. Errors in writing do not
// stop the run;
// [Folder.Close] returns the first.
func (f *Folder) Logger() (*slog.Logger, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log == nil {
		l, err := f.openLog()
		if err != nil {
			return nil, err
		}
		f.log = l
	}
	return slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: attribute})), nil
}

// attribute is how an attribute is written.
func attribute(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.MessageKey {
		a.Key = "message"
	}
	switch v := a.Value.Any().(type) {
	case float64, []float64:
		var b bytes.Buffer
		if encode(&b, reflect.ValueOf(v)) == nil {
			a.Value = slog.AnyValue(json.RawMessage(b.Bytes()))
		}
	}
	return a
}

// A logFile takes lines and remembers the first that it could not write.
type logFile struct {
	mu   sync.Mutex
	name string
	file File
	err  error
}

func (f *Folder) openLog() (*logFile, error) {
	name := f.Path("log.jsonl")
	file, err := f.Append("log.jsonl")
	if err != nil {
		return nil, err
	}
	torn, err := isTorn(f.files, name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", name, advice(err)), file.Close())
	}
	l := &logFile{name: name, file: file}
	if torn {
		_, _ = l.Write([]byte("\n"))
	}
	return l, nil
}

// isTorn says whether a run died while it wrote a line.
func isTorn(files Files, name string) (bool, error) {
	info, err := files.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || info.Size() == 0 {
		return false, err
	}
	f, err := files.OpenAt(name)
	if err != nil {
		return false, err
	}
	end := []byte{0}
	_, err = f.ReadAt(end, info.Size()-1)
	return end[0] != '\n', errors.Join(err, f.Close())
}

// Write appends one line. It returns the error of this line and keeps the
// first for close.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.file.Write(line)
	if err != nil && l.err == nil {
		l.err = err
	}
	return n, err
}

func (l *logFile) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := errors.Join(l.err, l.file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", l.name, advice(err))
	}
	return nil
}
