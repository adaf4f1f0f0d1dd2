package key

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Ordered is a JSON object that keeps the order of its keys.
type Ordered []Entry

// An Entry is a key with its value.
type Entry struct {
	Key   string
	Value any
}

// With returns o with another entry behind.
func (o Ordered) With(key string, value any) Ordered {
	return append(o[:len(o):len(o)], Entry{key, value})
}

// MarshalJSON writes the object.
func (o Ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(e.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(e.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
