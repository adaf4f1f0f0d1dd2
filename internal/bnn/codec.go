package bnn

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// errShort is what is said of bytes that end too soon.
var errShort = errors.New("it is cut short")

// appendValue appends integers, floats, booleans, strings, slices, pointers and the
// exported fields of structs, one after the other. Slices of floats take half the place where
// float32 holds every number of them exactly.
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return binary.LittleEndian.AppendUint64(b, uint64(v.Int()))
	case reflect.Uint8, reflect.Uint64:
		return binary.LittleEndian.AppendUint64(b, v.Uint())
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.String:
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Len()))
		return append(b, v.String()...)
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		return appendValue(append(b, 1), v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				b = appendValue(b, v.Field(i))
			}
		}
		return b
	case reflect.Slice:
		return appendSlice(b, v)
	}
	panic("bnn: no encoding of " + v.Type().String())
}

func appendSlice(b []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return append(b, 0)
	}
	b = binary.LittleEndian.AppendUint64(append(b, 1), uint64(v.Len()))
	switch x := v.Interface().(type) {
	case []byte:
		return append(b, x...)
	case []int32:
		for _, i := range x {
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
		}
		return b
	case []float64:
		return appendFloats(b, x)
	}
	for i := range v.Len() {
		b = appendValue(b, v.Index(i))
	}
	return b
}

func appendFloats(b []byte, x []float64) []byte {
	if !single(x) {
		b = append(b, 8)
		for _, f := range x {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
		}
		return b
	}
	b = append(b, 4)
	for _, f := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(f)))
	}
	return b
}

// single reports whether float32 holds every number of x, to the bit.
func single(x []float64) bool {
	for _, f := range x {
		if math.Float64bits(float64(float32(f))) != math.Float64bits(f) {
			return false
		}
	}
	return true
}

// A reader takes values from bytes. After an error it takes zeros.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int) []byte {
	if r.err == nil && (n < 0 || len(r.b) < n) {
		r.err = errShort
	}
	if r.err != nil {
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) word() uint64 {
	if v := r.take(8); v != nil {
		return binary.LittleEndian.Uint64(v)
	}
	return 0
}

func (r *reader) flag() byte {
	if v := r.take(1); v != nil {
		return v[0]
	}
	return 0
}

// length takes a number of things of at least some bytes each, which must be there.
func (r *reader) length(each int) int {
	n := r.word()
	if r.err == nil && n > uint64(len(r.b)/each) {
		r.err = errShort
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// value takes what appendValue appended of a value of the type of v.
func (r *reader) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.word()))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(r.word())
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(r.word()))
	case reflect.String:
		v.SetString(string(r.take(r.length(1))))
	case reflect.Pointer:
		if r.flag() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			r.value(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.value(v.Field(i))
			}
		}
	case reflect.Slice:
		if r.flag() == 1 {
			r.slice(v)
		}
	default:
		panic("bnn: no encoding of " + v.Type().String())
	}
}

func (r *reader) slice(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *[]byte:
		*x = append([]byte{}, r.take(r.length(1))...)
	case *[]int32:
		b := r.take(4 * r.length(4))
		*x = make([]int32, len(b)/4)
		for i := range *x {
			(*x)[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case *[]float64:
		*x = r.floats()
	default:
		n := r.length(1)
		v.Set(reflect.MakeSlice(v.Type(), 0, min(n, 1024)))
		for i := 0; i < n && r.err == nil; i++ {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			r.value(v.Index(i))
		}
	}
}

func (r *reader) floats() []float64 {
	n := r.word()
	width := int(r.flag())
	if r.err == nil && (width != 4 && width != 8) {
		r.err = fmt.Errorf("numbers of %d bytes", width)
	}
	if r.err == nil && n > uint64(len(r.b)/width) {
		r.err = errShort
	}
	if r.err != nil {
		return nil
	}
	x := make([]float64, n)
	b := r.take(int(n) * width)
	for i := range x {
		if width == 4 {
			x[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		} else {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	return x
}
