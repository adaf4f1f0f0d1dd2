package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"R̂ 1.01 – 家族 👩\u200d🔬\n\tα":        "R̂ 1.01 – 家族 👩\u200d🔬\n\tα",
		"\x1b[2J\rgone\a":                   `\u001b[2J\u000dgone\u0007`,
		"\u009b31m, \u202eback, \u2028":     `\u009b31m, \u202eback, \u2028`,
		"\xff\xfe, \x7f, \ufeff, �":         `\xff\xfe, \u007f, \ufeff, �`,
		"\U000e0041, \ufffe, \uffff":        `\udb40\udc41, \ufffe, \uffff`, // no XML holds the last two
		"half of a sign \xe2\x82, \x00 end": `half of a sign \xe2\x82, \u0000 end`,
	} {
		if got := Plain(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// Whatever comes in, what goes out is text without control characters, and stays as it is.
func FuzzPlain(f *testing.F) {
	f.Add("\x1b[31m\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		out := Plain(s)
		bad := strings.IndexFunc(out, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
		if bad >= 0 || !utf8.ValidString(out) || Plain(out) != out {
			t.Errorf("%q becomes %q", s, out)
		}
	})
}

// Words are those that a shell gives to a program.
func TestWords(t *testing.T) {
	for want, words := range map[string][]string{
		"r2sgld resume runs/a-1":       {"r2sgld", "resume", "runs/a-1"},
		`sh -c 'echo '\''a b'\''; $x'`: {"sh", "-c", "echo 'a b'; $x"},
		`resume 'a[1]' '' '~'`:         {"resume", "a[1]", "", "~"},
	} {
		if got := Words(words...); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
