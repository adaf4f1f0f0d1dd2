package study

import (
	"fmt"
	"slices"
)

// A Sampler is one of the three that the paper compares, each with reflection and
// without.
type Sampler struct {
	Plain, Reflected        string // in tables
	Method, ReflectedMethod string // of configurations
	Rungs                   int
}

// Samplers are the paper's three.
func Samplers() [3]Sampler {
	return [3]Sampler{
		{"SGLD", "R-SGLD", "sgld", "r-sgld", 1},
		{"cycSGLD", "R-cycSGLD", "cycsgld", "r-cycsgld", 1},
		{"reSGLD", "r2SGLD", "resgld", "r2sgld", 2},
	}
}

// Mirrored are the reflected methods with their partners.
func Mirrored() (out [][2]string) {
	for _, s := range Samplers() {
		out = append(out, [2]string{s.Reflected, s.Plain})
	}
	return out
}

// Leading are labels, that of r2SGLD first.
func Leading(labels []string) []string {
	return append([]string{"r2SGLD"}, slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == "r2SGLD" })...)
}

// Rivals pairs r2SGLD with each of the other labels.
func Rivals(labels []string) (out [][2]string) {
	for _, l := range Leading(labels)[1:] {
		out = append(out, [2]string{"r2SGLD", l})
	}
	return out
}

// Labels are those in a list of labels and lists of them, as texts give them.
func Labels(list ...any) (out []string) {
	for _, x := range list {
		if labels, ok := x.([]string); ok {
			out = append(out, labels...)
		} else {
			out = append(out, fmt.Sprint(x))
		}
	}
	return out
}
