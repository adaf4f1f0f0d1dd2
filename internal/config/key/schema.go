package key

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Object is a JSON object of keys and values in turn.
func Object(pairs ...any) Ordered {
	var o Ordered
	for i := 0; i < len(pairs); i += 2 {
		o = o.With(pairs[i].(string), pairs[i+1])
	}
	return o
}

// AnyOf is the schema of what one of some schemas takes.
func AnyOf(of ...Ordered) Ordered { return Object("anyOf", of) }

// ListOf is the schema of a list that is not empty.
func ListOf(item Ordered) Ordered { return Object("type", "array", "minItems", 1, "items", item) }

// MapOf is the schema of a mapping of names to values.
func MapOf(value Ordered) Ordered { return Object("type", "object", "additionalProperties", value) }

// Section is the schema of a mapping with these keys and no others.
func Section(keys []Key) Ordered {
	properties, required := Ordered{}, []string{}
	for _, k := range keys {
		properties = properties.With(k.Name, k.schema())
		if k.Needed {
			required = append(required, k.Name)
		}
	}
	o := Object("type", "object", "properties", properties, "additionalProperties", false)
	if len(required) > 0 {
		o = o.With("required", required)
	}
	return o
}

// schema is that of the key's values. A key left empty counts as not given.
func (k Key) schema() Ordered {
	o := Object("description", PlainDoc(k.Doc))
	if v := plainDefault(k.Fallback); v != nil {
		o = o.With("default", v)
	}
	if k.Filled || k.Needed {
		return append(o, k.Shape...)
	}
	return append(o, orNull(k.Shape)...)
}

// orNull is the schema of what another takes, or nothing.
func orNull(shape Ordered) Ordered {
	null := Object("type", "null")
	switch of := shape[0].Value.(type) {
	case []Ordered:
		return AnyOf(append(of[:len(of):len(of)], null)...)
	case string:
		if shape[0].Key == "type" {
			return append(Object("type", []string{of, "null"}), shape[1:]...)
		}
	}
	return AnyOf(shape, null)
}

var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)

// plainDoc is what a key means without the links of the reference.
func PlainDoc(doc string) string {
	return strings.ReplaceAll(link.ReplaceAllString(doc, "$1"), `\|`, "|")
}

// plainDefault is a default that is one value, nil where it takes words.
func plainDefault(fallback string) any {
	var v any
	if word := strings.Trim(fallback, "`"); word != fallback && !strings.Contains(word, "`") {
		return word
	}
	if json.Unmarshal([]byte(strings.ReplaceAll(fallback, ",", "")), &v) != nil {
		return nil
	}
	return v
}
