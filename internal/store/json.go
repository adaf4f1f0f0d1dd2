package store

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// WriteJSON writes a value as indented JSON, whole or not at all. The bytes
// depend on the value alone. Struct fields are named and omitted as by
// encoding/json; a number that is not finite becomes null.
func (f *Folder) WriteJSON(name string, v any) error {
	data, err := JSON(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", f.Path(name), err)
	}
	return f.WriteFile(name, data)
}

// ReadJSON reads a file that [Folder.WriteJSON] wrote.
func (f *Folder) ReadJSON(name string, v any) error {
	data, err := f.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", f.Path(name), err)
	}
	return nil
}

// JSON is the text that [Folder.WriteJSON] writes.
func JSON(v any) ([]byte, error) {
	var compact, indented bytes.Buffer
	if err := encode(&compact, reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

// encode is encoding/json with null for NaN and infinities, and with <, > and
// & as they are.
func encode(b *bytes.Buffer, v reflect.Value) error {
	if !v.IsValid() {
		b.WriteString("null")
		return nil
	}
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Interface) && v.IsNil() {
		b.WriteString("null")
		return nil
	}
	switch v.Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return leaf(b, v)
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			b.WriteString("null")
			return nil
		}
	case reflect.Pointer, reflect.Interface:
		return encode(b, v.Elem())
	case reflect.Struct:
		return encodeStruct(b, v)
	case reflect.Map:
		return encodeMap(b, v)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return encodeList(b, v)
		}
	}
	return leaf(b, v)
}

func leaf(b *bytes.Buffer, v reflect.Value) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v.Interface()); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the newline
	return nil
}

func encodeList(b *bytes.Buffer, v reflect.Value) error {
	if v.Kind() == reflect.Slice && v.IsNil() {
		b.WriteString("null")
		return nil
	}
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(b, v.Index(i)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func encodeMap(b *bytes.Buffer, v reflect.Value) error {
	if v.IsNil() {
		b.WriteString("null")
		return nil
	}
	if v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("a JSON object needs strings as keys, not %s", v.Type().Key())
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	b.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encodeMember(b, k.String(), v.MapIndex(k)); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func encodeMember(b *bytes.Buffer, key string, v reflect.Value) error {
	if err := leaf(b, reflect.ValueOf(key)); err != nil {
		return err
	}
	b.WriteByte(':')
	if err := encode(b, v); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func encodeStruct(b *bytes.Buffer, v reflect.Value) error {
	b.WriteByte('{')
	first := true
	if err := encodeFields(b, v, &first); err != nil {
		return err
	}
	b.WriteByte('}')
	return nil
}

// encodeFields writes the fields of a struct, those of embedded structs in
// their place.
func encodeFields(b *bytes.Buffer, v reflect.Value, first *bool) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct {
			if err := encodeFields(b, v.Field(i), first); err != nil {
				return err
			}
			continue
		}
		if !field.IsExported() || name == "-" && options == "" {
			continue
		}
		if omitted(v.Field(i), options) {
			continue
		}
		if !*first {
			b.WriteByte(',')
		}
		*first = false
		if err := encodeMember(b, cmp.Or(name, field.Name), v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func omitted(v reflect.Value, options string) bool {
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "omitzero":
			if v.IsZero() {
				return true
			}
		case "omitempty":
			switch v.Kind() {
			case reflect.Struct:
			case reflect.Map, reflect.Slice, reflect.Array, reflect.String:
				if v.Len() == 0 {
					return true
				}
			default:
				if v.IsZero() {
					return true
				}
			}
		}
	}
	return false
}
