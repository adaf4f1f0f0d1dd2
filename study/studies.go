package study

import "context"

// An Entry is a study that can be run.
type Entry struct {
	Name  string // of the command line
	Title string // a line
	Run   func(context.Context, Options) (*Study, error)
	Truth func() (any, error) // what it compares with, for other programs; nil is nothing to print
}

// All are the studies, in the order of the paper.
func All() []Entry {
	return []Entry{
		{"multimodal", "25 modes on five domains: nine methods and other baselines (section 5.2)", Multimodal, Truth},
		{"diameter", "25 modes on octagons: how the domain's size slows mixing (section 5.2, appendix)", Diameter, nil},
	}
}
