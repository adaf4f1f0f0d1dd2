package study

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// A Keeper keeps what the cases of a study came to, by their names.
type Keeper interface {
	// Find returns what was kept by a name; nil is nothing.
	Find(name string) []byte
	// Keep keeps it. It may be called by several goroutines at once.
	Keep(name string, text []byte) error
	// Earlier adds to the time that what was found had taken, and returns it.
	Earlier(more time.Duration) time.Duration
}

// A kept case is what it came to and the time that it took.
type kept[T any] struct {
	Took  time.Duration
	Value T
}

// Gather computes n things, each by do, as [Options.Each] calls it, and returns them in order.
// Where o has a keeper each is kept as it comes, and what was kept before is not computed again:
// a study that was stopped goes on there. The text what must be unique within the study, and T may
// hold exported fields, numbers, texts, slices and maps alone; of slices none and empty are the same.
func Gather[T any](ctx context.Context, o Options, what string, n int, do func(ctx context.Context, i int) (T, error)) ([]T, error) {
	if fault := unkept(reflect.TypeFor[T](), nil); fault != "" {
		return nil, fmt.Errorf("%s: cannot be kept: %s", what, fault)
	}
	out := make([]T, n)
	return out, o.Each(ctx, what, n, func(ctx context.Context, i int) error {
		name := fmt.Sprintf("%s %d", what, i)
		if o.Keeper == nil {
			v, err := do(ctx, i)
			out[i] = v
			return err
		}
		var c kept[T]
		if text := o.Keeper.Find(name); text != nil && unseal(text, &c) == nil {
			o.Keeper.Earlier(c.Took / time.Duration(min(o.Workers(), n)))
			out[i] = c.Value
			return nil
		}
		begin := time.Now()
		v, err := do(ctx, i)
		if err != nil {
			return err
		}
		text, err := seal(&kept[T]{time.Since(begin), v})
		if err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		if err := o.Keeper.Keep(name, text); err != nil {
			return err
		}
		c = kept[T]{}
		err = unseal(text, &c)
		out[i] = c.Value
		return err
	})
}

// Depending is o of a study whose cases depend on more than o says, such as data and other programs:
// what was kept where any of it was another is not found.
func (o Options) Depending(on ...any) Options {
	if o.Keeper != nil {
		o.Keeper = &apart{o.Keeper, fmt.Sprintf("%x ", sha256.Sum256(fmt.Appendf(nil, "%q", on)))}
	}
	return o
}

// An apart keeps cases under names of its own.
type apart struct {
	Keeper
	mark string
}

// Find implements Keeper.
func (a *apart) Find(name string) []byte { return a.Keeper.Find(a.mark + name) }

// Keep implements Keeper.
func (a *apart) Keep(name string, text []byte) error { return a.Keeper.Keep(a.mark+name, text) }

// unkept says what of a type gob leaves out or refuses; "" is nothing.
func unkept(t reflect.Type, within []reflect.Type) string {
	for _, outer := range within {
		if outer == t {
			return ""
		}
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Sprintf("a %v", t)
	case reflect.Pointer:
		if k := t.Elem().Kind(); k < reflect.Array || k == reflect.String { // gob sends no 0, and a pointer to it is nil
			return fmt.Sprintf("a %v", t)
		}
		return unkept(t.Elem(), within)
	case reflect.Slice, reflect.Array:
		return unkept(t.Elem(), within)
	case reflect.Map:
		if fault := unkept(t.Key(), within); fault != "" {
			return fault
		}
		return unkept(t.Elem(), within)
	case reflect.Struct:
		if _, itself := reflect.New(t).Interface().(gob.GobEncoder); itself {
			return ""
		}
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() {
				return fmt.Sprintf("%s of %v", f.Name, t)
			}
			if fault := unkept(f.Type, within); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// seal encodes a value behind a checksum.
func seal(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b.Bytes())
	return append(sum[:], b.Bytes()...), nil
}

// unseal is the inverse of seal.
func unseal(text []byte, v any) error {
	if len(text) < sha256.Size || sha256.Sum256(text[sha256.Size:]) != [sha256.Size]byte(text) {
		return errors.New("the file is damaged")
	}
	return gob.NewDecoder(bytes.NewReader(text[sha256.Size:])).Decode(v)
}
