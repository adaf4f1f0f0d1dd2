package config

import (
	"encoding/json"

	"github.com/r2sgld/r2sgld/internal/config/key"
)

// Schema is the JSON schema of configurations of every command, draft 2020-12, for
// editors.
func Schema() ([]byte, error) {
	defs := Ordered{}
	for _, c := range commands() {
		defs = defs.With(c.name, key.Section(c.keys))
	}
	o := key.Object("$schema", "https://json-schema.org/draft/2020-12/schema", "title", "r2sgld configuration", "type", "object")
	return json.MarshalIndent(append(o, chosen(commands())...).With("$defs", defs), "", "  ")
}

// chosen is the schema of the first command that a configuration is for, the last where
// it is for none before.
func chosen(of []commandKeys) Ordered {
	then := key.Object("$ref", "#/$defs/"+of[0].name)
	if len(of) == 1 {
		return then
	}
	return key.Object("if", of[0].told, "then", then, "else", chosen(of[1:]))
}

// commandKeys are the keys of a command, and a schema that tells its configurations from
// those of the commands behind it, as commandOf does.
type commandKeys struct {
	name string
	keys []key.Key
	told Ordered
}

func commands() []commandKeys {
	has := func(name string) Ordered { return key.Object("required", []string{name}) }
	kind := key.Object("required", []string{"data"}, "properties",
		key.Object("data", key.Object("type", "object", "required", []string{"kind"})))
	model := key.AnyOf(has("model"), has("data"))
	return []commandKeys{
		{"train", newLoader(false).trainingKeys(&Training{}), key.AnyOf(has("network"), kind)},
		{"theory", (&theoryLoader{loader: newLoader(false)}).theoryRootKeys(), has("theory").With("not", has("sampler"))},
		{"fit", newLoader(true).fitKeys(), key.Object("required", []string{"model"}, "properties",
			key.Object("model", key.Object("type", "object", "required", []string{"parameters"})))},
		{"identify", newLoader(true).identifyKeys(), model.With("not", has("potential"))},
		{"sample", newLoader(false).sampleKeys(), nil},
	}
}
