package yamlpos

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlaceInsideText looks for the character Z of a value in every style of
// writing: the place must be that of Z in the source. A place that forgets
// quotes, escapes, folds or indentation fails.
func TestPlaceInsideText(t *testing.T) {
	for _, text := range []string{
		"a: xZ", "a:   x + Z # Z", "a: 'x Z'", "a: 'it''s Z'", `a: "x Z"`, `a: "\t\"\x41\u0041 Z"`, "a: 'ü é Z'", "ä: Z",
		"a: |\n  one\n    two Z\n", "a: >\n  one\n  two\n\n  Z\n", "a: >-\n   one Z\n", "a: \"one\n  two Z\"", "a: one\n  two\n   Z",
		"a: 'one\n\n  two Z'", "a: \"one \\\n  two Z\"", "{a: \"x Z\"}", "{a: Z, b: 1}", "a: |\n\n  one\n  Z\n", "a: '''Z'",
		"b: 1\r\na: x Z\r\n", "\ufeffa: x Z",
	} {
		root, err := Parse("f", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		value := root.Fields[len(root.Fields)-1].Value
		if root.Field("a") != nil {
			value = root.Field("a")
		}
		p := value.ProblemAt(strings.Index(value.Text, "Z"), "here")
		line := []rune(p.Source)
		if p.Column < 1 || p.Column > len(line) || line[p.Column-1] != 'Z' {
			t.Errorf("%q: Z of %q placed at %d:%d", text, value.Text, p.Line, p.Column)
		}
	}
}

func TestBrokenText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "f:1:1: the file is empty: expected keys such as `name: flower`"},
		{"# nothing\n", "f:1:1: the file is empty: expected keys such as `name: flower`"},
		{"- 1\n", "f:1:1: expected keys such as `name: flower`; found a list of 1"},
		{"a: [1\n", "f:1:4: this [ is not closed by a ]"},
		{"a:\n\tb: 1\n", "f:2:1: indent by spaces: YAML takes no tabs here"},
		{"a: \"x\n", `f:1:4: this " is never closed`},
		{"a: 'x\n", "f:1:4: this ' is never closed"},
		{"a: {x: 1\n", "f:1:4: this { is not closed by a }"},
		{"a: {x: 1\nb: 2\n", "f:2:1: a comma is missing before this, or a } before it"},
		{"a: [1, 2\nb: 2\n", "f:2:1: a comma is missing before this, or a ] before it"},
		{"a: {x: 1]\n", "f:1:4: this { is not closed by a }"},
		{"a: [\"reserved character\"] b\n", `f:1:27: something follows a list here: a formula that begins with [ is put in quotes, as in "["reserved character"] ~ …"`},
		{"a: @x\n", "f:1:4: a text that begins with this sign is put in quotes"},
		{"a: b: c\n", "f:1:4: what is here goes on as a key: indent alike what belongs together, and put text that holds a colon in quotes"},
		{"a:\n  b: 1\n c: 2\n", "f:3:2: the value before this has ended: indent alike what belongs together, and put all of a text in quotes"},
		{"a: 1\n---\nb: 2\n", "f:3:1: a second document begins here; one configuration per file"},
		{"a: 1\nb: 1\na: 2\n", "f:3:1: key \"a\" is given twice, first on line 1"},
		{"p: {a: normal(0, 10), b: exp(1)}\n", `f:1:8: a comma in braces begins another entry: put all of it in quotes: "normal(0, 10)"`},
		{"p: {a: student_t(3, 0, 10)}\n", `f:1:8: a comma in braces begins another entry: put all of it in quotes: "student_t(3, 0, 10)"`},
		{"a: &x [1]\n", "f:1:4: anchors (&) and aliases (*) are not accepted: write the value out, or put text in quotes"},
		{"a: !!str 1\n", "f:1:4: tags (!) are not accepted: drop it, or put text in quotes"},
		{"<<: {a: 1}\n", "f:1:1: merge keys (<<) are not accepted: write the keys out"},
		{"? [a]\n: 1\n", "f:2:1: found an invalid key for this map"},
		{"p: {a: 1, c[site]: 2}\n", `f:1:18: found an invalid key for this map: in braces a name with brackets is quoted: "c[site]"`},
		{"p: {é[1..4] : 2}\n", `f:1:13: found an invalid key for this map: in braces a name with brackets is quoted: "é[1..4]"`},
		{"k:\n  l: [u, v] ~ multi_normal([a, b], S)\n",
			`f:2:13: something follows a list here: a formula that begins with [ is put in quotes, as in "[u, v] ~ …"`},
		{"k:\n  - [log(u)]  < 2\n", `f:2:15: something follows a list here: a formula that begins with [ is put in quotes, as in "[log(u)] ~ …"`},
		{"k: [[u, v] ~ normal(1)]\n", `f:1:12: something follows a list here: a formula that begins with [ is put in quotes, as in "[u, v] ~ …"`},
		{"k: {l: [u, v] ~ x}\n", `f:1:15: something follows a list here: a formula that begins with [ is put in quotes, as in "[u, v] ~ …"`},
		{"k: [a] + c[1] 2\n", `f:1:8: something follows a list here: a formula that begins with [ is put in quotes, as in "[a] ~ …"`},
		{"k: `a b` + 2\n", "f:1:4: a formula that begins with a backquote is put in quotes"},
		{"k: \"a\" b\n", "f:1:8: the value before this has ended: indent alike what belongs together, and put all of a text in quotes"},
		{"*a : 1\n", "f:1:1: a key must be a plain word"},
		{"a: \xff\n", "f:1:4: the text is not UTF-8 here"},
		{"a: \x00\n", "f:1:4: the character U+0000 has no place in a configuration"},
		{"\xff\xfea", "f:1:1: the text is in UTF-16: save it as UTF-8"},
		{"a: " + strings.Repeat("[", 80) + strings.Repeat("]", 80), "f:1:68: nested too deeply"},
		{strings.Repeat("#", maxBytes+1), "f: larger than 1 MiB: this is no configuration"},
	} {
		_, err := Parse("f", []byte(c.text))
		if err == nil {
			t.Errorf("%.40q: no error", c.text)
			continue
		}
		got, _, _ := strings.Cut(err.Error(), "\n")
		if got != c.want {
			t.Errorf("%.40q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestSet(t *testing.T) {
	root, err := Parse("f", []byte("a: 1\ns: {x: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"s.y=[1, 2]", "s.x=abc", "t.u.v=1"} {
		if err := Set(root, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	var r Reader
	if v, ok := r.Floats(root.Field("s").Field("y"), 2); !ok || v[1] != 2 {
		t.Errorf("s.y is %v", v)
	}
	r.Float(root.Field("s").Field("x"))
	r.Section(root, "a", "s")
	want := "--set s.x: x must be a number; found \"abc\"\n--set t.u.v: unknown key \"t\"; known keys: a, s\n2 problems; nothing was written."
	if diff := cmp.Diff(want, r.Problems.Err().Error()); diff != "" {
		t.Error(diff)
	}
	for _, s := range []string{`s."v.w"=2`, "`v=.w`.x = 3", " 'p.q' =[\"=\"]"} {
		if err := Set(root, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if v, w, x := root.Field("s").Field("v.w"), root.Field("v=.w").Field("x"), root.Field("p.q"); v == nil || v.Text != "2" || w == nil ||
		w.Text != "3" ||
		x == nil || len(x.Items) != 1 || x.Items[0].Text != "=" {
		t.Errorf("quoted keys: %v, %v, %v", v, w, x)
	}
	for _, s := range []string{"", "x", "=1", `"a=1`, `a.""=1`, "a.=1", "a..b=1", "a.b=1", "b=[1", "b={x: &y 1}"} {
		if err := Set(root, s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "-2.5": -2.5, "5e-4": 5e-4, "+1E3": 1000, ".5": .5, "1.": 1} {
		if v, ok := number(text); !ok || v != want {
			t.Errorf("%s is %v, %v", text, v, ok)
		}
	}
	for _, text := range []string{"1_000", "0x1F", "0b1", "one", "1e", "--1", "1,5", "", "true", "1 2"} {
		if v, ok := number(text); ok {
			t.Errorf("%s is %v", text, v)
		}
	}
}

// However many problems there are, so many are shown, and all are counted.
func TestManyProblems(t *testing.T) {
	_, err := Parse("f", []byte("a: 1\n"+strings.Repeat("a: 1\n", patient+7)))
	if err == nil || strings.Count(err.Error(), "given twice") != patient || !strings.HasSuffix(err.Error(),
		fmt.Sprintf("and 7 more\n%d problems; nothing was written.", patient+7)) {
		t.Error(err)
	}
}

// FuzzParse: no text breaks the parser, and every node's place lies in the text.
// A file without an end is read up to its bound, and nothing waits for a folder.
func TestReadFileHasABound(t *testing.T) {
	for _, c := range []struct{ path, want string }{{"/dev/zero", tooLarge}, {"/dev/null", "the file is empty"},
		{t.TempDir(), "it is a folder"}} {
		if _, err := ReadFile(c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want …%s…", c.path, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1\n", "a: {b: [1, 'x''y', \"\\u0041\"]}\n", "a: |\n  x\nb: >\n y\n", "a: &x 1\nb: *x\n", "- 1\n- [2]\n",
		"a:\n  - b: 1\n    c: 2\n", "? a\n: b\n", "%YAML 1.2\n---\na: 1\n", "\ufeffa: 1\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := Parse("f", text)
		if err != nil {
			_ = err.Error()
			return
		}
		visit(t, root)
	})
}

func visit(t *testing.T, n *Node) {
	if n.Line < 1 || n.Column < 1 || n.Line > len(n.source.lines) {
		t.Fatalf("%s at %d:%d of %d lines", n, n.Line, n.Column, len(n.source.lines))
	}
	for _, offset := range []int{0, len(n.Text) / 2, len(n.Text)} {
		p := n.ProblemAt(offset, "x")
		if p.Line < n.Line && n.Kind == Scalar {
			t.Fatalf("offset %d of %q before its start", offset, n.Text)
		}
		_ = p.Error()
	}
	for _, f := range n.Fields {
		visit(t, f.Key)
		visit(t, f.Value)
	}
	for _, item := range n.Items {
		visit(t, item)
	}
}
