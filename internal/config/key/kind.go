package key

import "slices"

// A Kind is a kind of a section, with keys of its own.
type Kind struct {
	Name   string
	Keys   []Key
	Unsaid bool   // the section may leave its kind out
	Doc    string // what it is
}

// Kinds are those of a section: a word, or beside the keys of its kind.
type Kinds []Kind

// Names are the words.
func (k Kinds) Names() (names []string) {
	for _, v := range k {
		names = append(names, v.Name)
	}
	return names
}

// Keys are the names of the keys of a section of any kind.
func (k Kinds) Keys() []string {
	names := []string{"kind"}
	for _, v := range k {
		names = append(names, Names(v.Keys)...)
	}
	return names
}

// Of are the keys of a kind, which must be there.
func (k Kinds) Of(name string) []Key { return k[slices.Index(k.Names(), name)].Keys }

// Shape is the schema.
func (k Kinds) Shape() Ordered {
	all := []Ordered{Object("enum", k.Names())}
	for _, v := range k {
		kind := Key{Name: "kind", Shape: Object("const", v.Name), Doc: v.Doc, Needed: !v.Unsaid}
		all = append(all, Section(append([]Key{kind}, v.Keys...)))
	}
	return AnyOf(all...)
}
