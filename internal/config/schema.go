package config

import (
	"encoding/json"
	"regexp"
	"strings"
)

// object is a JSON object of keys and values in turn.
func object(pairs ...any) Ordered {
	var o Ordered
	for i := 0; i < len(pairs); i += 2 {
		o = append(o, Entry{pairs[i].(string), pairs[i+1]})
	}
	return o
}

// anyOf is the schema of what one of some schemas takes.
func anyOf(of ...Ordered) Ordered { return object("anyOf", of) }

// listOf is the schema of a list that is not empty.
func listOf(item Ordered) Ordered { return object("type", "array", "minItems", 1, "items", item) }

// mapOf is the schema of a mapping of names to values.
func mapOf(value Ordered) Ordered { return object("type", "object", "additionalProperties", value) }

// section is the schema of a mapping with these keys and no others.
func section(keys []key) Ordered {
	properties, required := Ordered{}, []string{}
	for _, k := range keys {
		properties = append(properties, Entry{k.name, k.schema()})
		if k.needed {
			required = append(required, k.name)
		}
	}
	o := object("type", "object", "properties", properties, "additionalProperties", false)
	if len(required) > 0 {
		o = append(o, Entry{"required", required})
	}
	return o
}

// schema is that of the key's values. A key left empty counts as not given.
func (k key) schema() Ordered {
	o := object("description", plainDoc(k.doc))
	if v := plainDefault(k.fallback); v != nil {
		o = append(o, Entry{"default", v})
	}
	if k.filled || k.needed {
		return append(o, k.shape...)
	}
	return append(o, Entry{"anyOf", []Ordered{k.shape, object("type", "null")}})
}

var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)

// plainDoc is what a key means without the links of the reference.
func plainDoc(doc string) string {
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
