package config

import "slices"

// A variant is a kind of a section, with keys of its own.
type variant struct {
	name   string
	keys   []key
	unsaid bool   // the section may leave its kind out
	doc    string // what it is
}

func (v variant) has(name string) bool { return slices.Contains(keyNames(v.keys), name) }

func variantNames(kinds []variant) (names []string) {
	for _, v := range kinds {
		names = append(names, v.name)
	}
	return names
}

// variantKeys are the keys of a section of any kind.
func variantKeys(kinds []variant) []string {
	names := []string{"kind"}
	for _, v := range kinds {
		names = append(names, keyNames(v.keys)...)
	}
	return names
}

func variantOf(kinds []variant, name string) variant {
	return kinds[slices.Index(variantNames(kinds), name)]
}

// variantShape is the schema of a kind as a word, or beside its keys.
func variantShape(kinds []variant) Ordered {
	all := []Ordered{object("enum", variantNames(kinds))}
	for _, v := range kinds {
		kind := key{name: "kind", shape: object("const", v.name), doc: v.doc, needed: !v.unsaid}
		all = append(all, section(append([]key{kind}, v.keys...)))
	}
	return anyOf(all...)
}
