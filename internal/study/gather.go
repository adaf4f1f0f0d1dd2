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

	"github.com/r2sgld/r2sgld/internal/cases"
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

// A kept case is which one it is, what it came to and the time that it took.
type kept[T any] struct {
	Of    string
	Took  time.Duration
	Value T
}

// Gather computes n things, each by do, several at once, and returns them in order. After an error
// or the end of ctx no more are begun.
// Where o has a keeper each is kept as it comes, and what was kept before is not computed again:
// a study that was stopped goes on there. Where o has a share, other machines compute some.
// The lists of a study follow each other, so that each may depend on those before it. The text what
// must be unique within the study, and T may hold exported fields, numbers, texts, slices and maps
// alone; of slices none and empty are the same.
func Gather[T any](ctx context.Context, o Options, what string, n int, do func(ctx context.Context, i int) (T, error)) ([]T, error) {
	b := o.Batch(what)
	out := Join(b, n, do)
	return out, b.Gather(ctx)
}

// A Batch is things of several kinds that are gathered together, since none depends on another.
type Batch struct {
	list
	parts []part
	err   error // why it cannot be gathered
}

// A part is the things of one kind, from some place in the batch.
type part struct {
	from   int
	direct func(ctx context.Context, i int) error
	sealed func(ctx context.Context, i int) ([]byte, error) // a kept case
	open   func(i int, text []byte) error
}

// Batch returns one without things. The text is that of [Gather].
func (o Options) Batch(what string) *Batch { return &Batch{list: list{Options: o, what: what}} }

// Join adds n things to a batch and returns where they are once it is gathered. See [Gather].
func Join[T any](b *Batch, n int, do func(ctx context.Context, i int) (T, error)) []T {
	if fault := unkept(reflect.TypeFor[T](), nil); fault != "" {
		b.err = fmt.Errorf("%s: cannot be kept: %s", b.what, fault)
	}
	out, from := make([]T, n), b.n
	b.n += n
	b.parts = append(b.parts, part{from, func(ctx context.Context, i int) (err error) {
		out[i], err = do(ctx, i)
		return err
	}, func(ctx context.Context, i int) ([]byte, error) {
		begin := time.Now()
		v, err := do(ctx, i)
		if err != nil {
			return nil, err
		}
		text, err := seal(&kept[T]{b.of(from + i), time.Since(begin), v})
		if err != nil {
			return nil, fmt.Errorf("keep %s: %w", b.name(from+i), err)
		}
		return text, nil
	}, func(i int, text []byte) error {
		var c kept[T]
		err := unseal(text, &c)
		out[i] = c.Value
		return err
	}})
	return out
}

// at is the part of thing i, and which it is there.
func (b *Batch) at(i int) (part, int) {
	k := len(b.parts) - 1
	for b.parts[k].from > i {
		k--
	}
	return b.parts[k], i - b.parts[k].from
}

// Gather computes all that was joined.
func (b *Batch) Gather(ctx context.Context) error {
	if b.err != nil || b.n == 0 {
		return b.err
	}
	if b.Keeper == nil && b.replay == nil {
		return b.Each(ctx, b.what, b.n, func(ctx context.Context, i int) error {
			p, i := b.at(i)
			return p.direct(ctx, i)
		})
	}
	b.do = func(ctx context.Context, i int) ([]byte, error) {
		p, i := b.at(i)
		return p.sealed(ctx, i)
	}
	texts, err := b.gather(ctx)
	for i := 0; err == nil && i < b.n; i++ {
		p, k := b.at(i)
		err = p.open(k, texts[i])
	}
	return err
}

// A list is cases of a study that do not depend on each other.
type list struct {
	Options
	what string
	n    int
	do   func(ctx context.Context, i int) ([]byte, error) // a sealed kept case
}

// name is that of a case within its study.
func (l *list) name(i int) string { return fmt.Sprintf("%s %d", l.what, i) }

// of tells a case from those of any other list, scale and seed.
func (l *list) of(i int) string { return fmt.Sprintf("%s %d %s", l.Scale, l.Seed, l.name(i)) }

// took reads how long a case took, of what should be that case.
func (l *list) took(i int, text []byte) (time.Duration, error) {
	var c struct {
		Of   string
		Took time.Duration
	}
	if err := unseal(text, &c); err != nil {
		return 0, err
	}
	if c.Of != l.of(i) {
		return 0, fmt.Errorf("it is %q in place of %q", c.Of, l.of(i))
	}
	return c.Took, nil
}

// gather finds cases that are kept and has the others done.
func (l *list) gather(ctx context.Context) ([][]byte, error) {
	if l.replay != nil {
		return l.replay.gather(ctx, l)
	}
	texts, done := make([][]byte, l.n), l.Counter(l.what, l.n)
	take := func(i int, text []byte) error {
		if err := l.Keeper.Keep(l.name(i), text); err != nil {
			return err
		}
		texts[i] = text
		done()
		return nil
	}
	w := &cases.List{Hands: l.Workers(), Tally: l.Tally, Do: func(ctx context.Context, i int) error {
		text, err := l.do(ctx, i)
		if err != nil {
			return err
		}
		return take(i, text)
	}}
	for i := range l.n {
		text := l.Keeper.Find(l.name(i))
		took, err := l.took(i, text)
		if err != nil {
			w.Left = append(w.Left, i)
			continue
		}
		l.Keeper.Earlier(took / time.Duration(min(l.Workers(), l.n)))
		texts[i] = text
		done()
	}
	l.Tally.Begin(l.what, l.n, l.n-len(w.Left))
	if l.Share == nil {
		return texts, w.Work(ctx)
	}
	if err := l.Share.with(l, w, take); err != nil {
		return nil, err
	}
	if err := w.Work(ctx); err != nil {
		return nil, err
	}
	return texts, l.Share.pass(l, texts)
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
