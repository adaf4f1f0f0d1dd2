package study

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"reflect"
)

// A Keeper keeps what the cases of a study came to, by their names.
type Keeper interface {
	// Find returns what was kept by a name; nil is nothing.
	Find(name string) []byte
	// Keep keeps it. It may be called by several goroutines at once.
	Keep(name string, text []byte) error
}

// Gather computes n things, each by do, as [Options.Each] calls it, and returns them in order.
// Where o has a keeper each is kept as it comes, and what was kept before is not computed again:
// a study that was stopped goes on there. What they are must be unique in the study, and T may
// hold exported fields, numbers, texts, slices and maps alone.
func Gather[T any](ctx context.Context, o Options, what string, n int, do func(ctx context.Context, i int) (T, error)) ([]T, error) {
	if fault := unkept(reflect.TypeFor[T](), nil); fault != "" {
		return nil, fmt.Errorf("%s: cannot be kept: %s", what, fault)
	}
	out := make([]T, n)
	return out, o.Each(ctx, what, n, func(ctx context.Context, i int) error {
		name := fmt.Sprintf("%s %d", what, i)
		if o.Keeper != nil {
			if text := o.Keeper.Find(name); text != nil && unseal(text, &out[i]) == nil {
				return nil
			}
		}
		v, err := do(ctx, i)
		if err != nil || o.Keeper == nil {
			out[i] = v
			return err
		}
		text, err := seal(&v)
		if err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		if err := o.Keeper.Keep(name, text); err != nil {
			return err
		}
		out[i] = *new(T)
		return unseal(text, &out[i])
	})
}

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
	case reflect.Pointer, reflect.Slice, reflect.Array:
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
