package config

import (
	"testing"
)

// A configuration that is given to another command is told by the command that it is for,
// at the key that shows it, in place of what that other command does not know in it.
//
// Mutants it kills: a command that takes those of others, theory for every sample with
// that section, a configuration of identify without its model sent elsewhere.
func TestConfigurationOfAnotherCommand(t *testing.T) {
	texts := map[string]string{"sample": goodSample, "identify": goodIdentify, "train": goodTraining, "theory": goodTheory}
	place := map[string]string{"sample": "3:1", "identify": "6:1", "train": "6:1", "theory": "5:1"}
	load := map[string]func(text string) error{
		"train":  func(text string) error { _, err := ParseTraining("f.yaml", []byte(text), nil); return err },
		"theory": func(text string) error { _, err := ParseTheory("f.yaml", []byte(text), nil); return err },
	}
	for _, command := range []string{"sample", "identify"} {
		load[command] = func(text string) error { _, err := Parse(command, "f.yaml", []byte(text), nil); return err }
	}
	for of, text := range texts {
		for command := range texts {
			if of == command {
				continue
			}
			at := place[of]
			if of == "sample" && command == "theory" {
				at = "6:1"
			}
			compareProblems(t, load[command](text),
				"f.yaml:"+at+": this is a configuration of r2sgld "+of+", not of r2sgld "+command+"; run: r2sgld "+of+" f.yaml")
		}
		if got := CommandOf([]byte(text)); got != of {
			t.Errorf("a configuration of %s is taken for one of %s", of, got)
		}
	}
	for likelihood, of := range map[string]string{`"y ~ normal(a, s)"`: "fit", `["y ~ normal(a, s)"]`: "fit", "trajectory": "identify"} {
		if got := CommandOf([]byte("data: d.csv\nmodel: {paramters: {a: normal(0, 1)}, likelihood: " + likelihood + "}\n")); got != of {
			t.Errorf("a likelihood %s is taken for one of %s", likelihood, got)
		}
	}
	if got := CommandOf(nil); got != "sample" {
		t.Errorf("no text is one of %s", got)
	}
}

// A configuration that is not clearly another command's is read as what it was given for.
func TestConfigurationOfThisCommand(t *testing.T) {
	_, err := ParseTheory("f.yaml", []byte(goodTheory+"sampler: {method: auto}\n"), nil)
	compareProblems(t, err, `f.yaml:11:1: unknown key "sampler"; known keys: name, variables, potential, domain, theory`)
	_, err = Parse("sample", "f.yaml", []byte(goodSample+"theory: {grid: 100}\n"), nil)
	compareProblems(t, err, `f.yaml:12:1: unknown key "theory"; known keys: name, variables, potential, noise, domain, sampler, outputs, figures`)
	if _, err := ParseTheory("f.yaml", []byte("variables: [x]\npotential: \"0\"\ndomain: {box: {x: [0, 2]}}\n"), nil); err != nil {
		t.Errorf("one without sections: %v", err)
	}
	if _, err := Parse("theory", "f.yaml", []byte(goodTheory), nil); err == nil || err.(Problems)[0].Line != 0 {
		t.Errorf("a command whose runs have none: %v", err)
	}
	_, err = ParseTraining("f.yaml", []byte("data: {folder: x}\n"), nil)
	compareProblems(t, err, `f.yaml:1:7: data needs a kind: one of [idx cifar10 cifar100 images npz]`)
}
