package expression

// A Word is a name, a number or a sign of a formula, and where it stands.
type Word struct {
	Text     string // signs in ASCII, names without backquotes and spaces
	Name     bool   // of a variable or a function
	Pos, End int    // in bytes of the formula
}

// Words returns the words of a formula in their order. It does not look for errors that
// take more than one word to see.
func Words(src string) (words []Word, err error) {
	p := &parser{src: src}
	defer p.caught(&err)
	for p.next(); p.tok.text != ""; p.next() {
		words = append(words, Word{p.tok.text, p.tok.kind == name, p.tok.pos, p.tok.end})
	}
	return words, nil
}
