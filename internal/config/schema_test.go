package config

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// schema is the compiled schema of configurations.
var schema = sync.OnceValue(func() *jsonschema.Schema {
	text, err := Schema()
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("r2sgld.schema.json", doc); err != nil {
		panic(err)
	}
	return c.MustCompile("r2sgld.schema.json")
})

// bySchema is what the schema finds wrong with a text.
func bySchema(text string) error {
	root, err := yamlpos.Parse("f.yaml", []byte(text))
	if err != nil {
		return err
	}
	return schema().Validate(asEditorsSee(root))
}

// asEditorsSee is a value of YAML 1.2 as one of JSON; infinities stay text.
func asEditorsSee(n *yamlpos.Node) any {
	switch n.Kind {
	case yamlpos.Null:
		return nil
	case yamlpos.Map:
		m := map[string]any{}
		for _, f := range n.Fields {
			m[f.Key.Text] = asEditorsSee(f.Value)
		}
		return m
	case yamlpos.List:
		list := []any{}
		for _, item := range n.Items {
			list = append(list, asEditorsSee(item))
		}
		return list
	}
	if _, ok := n.Number(); ok {
		return json.Number(strings.TrimLeft(n.Text, "+"))
	}
	switch n.Text {
	case "true", "false":
		return n.Text == "true"
	case "null", "~":
		return nil
	}
	return n.Text
}

// Every example is a configuration by the schema.
func TestSchemaTakesExamples(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../../examples", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		seen++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := bySchema(string(text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || seen < 20 {
		t.Errorf("%d examples: %v", seen, err)
	}
}

// tellable are the faults that a schema can tell: of the form of one value, without the
// names of the configuration and without other keys.
var tellable = regexp.MustCompile(`(unknown (key|method|kind|scheme|rule|boundary|kernel|likelihood|derivative|states|precision|form|of) ` +
	`|must be (at least \d+;|at most \d+;|positive;|a whole number;|a number; found "[a-z]|text; found a|a list of|a mapping)|must not be negative` +
	`|is an empty list|needs the key|is a probability)`)

// untold are such faults that it does not tell: they depend on names, or on other keys.
var untold = regexp.MustCompile(`known keys: x, y$|unknown key "whiten"|^f.yaml:5:18: center must be|batch must be at most the number|crop must be at most the side`)

// schemaTells checks that the schema refuses a text whose faults include one that it can
// tell, and takes one without fault.
func schemaTells(t *testing.T, text string, fault error) {
	t.Helper()
	err := bySchema(text)
	if fault == nil {
		if err != nil {
			t.Errorf("the schema refuses what loads: %v\n%s", err, text)
		}
		return
	}
	for _, line := range strings.Split(fault.Error(), "\n") {
		if strings.Contains(line, ".yaml:") && tellable.MatchString(line) && !untold.MatchString(line) && err == nil {
			t.Errorf("the schema takes what has the fault %s\n%s", line, text)
		}
	}
}
