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
	return append(o, orNull(k.shape)...)
}

// orNull is the schema of what another takes, or nothing.
func orNull(shape Ordered) Ordered {
	null := object("type", "null")
	switch of := shape[0].Value.(type) {
	case []Ordered:
		return anyOf(append(of[:len(of):len(of)], null)...)
	case string:
		if shape[0].Key == "type" {
			return append(object("type", []string{of, "null"}), shape[1:]...)
		}
	}
	return anyOf(shape, null)
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

// Schema is the JSON schema of configurations of every command, draft 2020-12, for
// editors.
func Schema() ([]byte, error) {
	defs := Ordered{}
	for _, c := range commands() {
		defs = append(defs, Entry{c.name, section(c.keys)})
	}
	o := object("$schema", "https://json-schema.org/draft/2020-12/schema", "title", "r2sgld configuration", "type", "object")
	return json.MarshalIndent(append(append(o, chosen(commands())...), Entry{"$defs", defs}), "", "  ")
}

// chosen is the schema of the first command that a configuration is for, the last where
// it is for none before.
func chosen(of []commandKeys) Ordered {
	then := object("$ref", "#/$defs/"+of[0].name)
	if len(of) == 1 {
		return then
	}
	return object("if", of[0].told, "then", then, "else", chosen(of[1:]))
}

// commandKeys are the keys of a command, and a schema that tells its configurations from
// those of the commands behind it, as commandOf does.
type commandKeys struct {
	name string
	keys []key
	told Ordered
}

func commands() []commandKeys {
	has := func(name string) Ordered { return object("required", []string{name}) }
	kind := object("required", []string{"data"}, "properties", object("data", object("type", "object", "required", []string{"kind"})))
	model := anyOf(has("model"), has("data"))
	return []commandKeys{
		{"train", (&loader{}).trainingKeys(&Training{}), anyOf(has("network"), kind)},
		{"theory", (&theoryLoader{}).theoryRootKeys(), append(has("theory"), Entry{"not", has("sampler")})},
		{"identify", (&loader{identify: true}).identifyKeys(), append(model, Entry{"not", has("potential")})},
		{"sample", (&loader{}).sampleKeys(), nil},
	}
}
