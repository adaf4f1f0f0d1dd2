package study

// A Verdict says what became of a claim.
type Verdict string

// The verdicts.
const (
	Holds      Verdict = "holds"
	Fails      Verdict = "does not hold"
	Depends    Verdict = "depends" // on something that Why names
	Untestable Verdict = "not testable here"
)

// A Number is a result with its 95 % interval; NaN where there is none.
type Number struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// A Claim is an empirical claim of the paper and what a study found.
type Claim struct {
	ID      string   `json:"id"`      // such as multimodal-best: the study, then what it is about
	Section string   `json:"section"` // of the paper: "5.2", "5.2, table 1"
	Text    string   `json:"claim"`   // in our words
	Test    string   `json:"test"`    // how it was tested
	Numbers []Number `json:"numbers"` // key numbers first
	Verdict Verdict  `json:"verdict"`
	Why     string   `json:"why"` // what in the numbers decides
}
