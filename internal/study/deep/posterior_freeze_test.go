package deep

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"
)

// freezing names the environment variable that makes the frozen reference again.
const freezing = "R2SGLD_FREEZE_POSTERIOR"

// The frozen reference can be thawed, and is good: R̂ of every predicted probability is 1.05 at most.
// With R2SGLD_FREEZE_POSTERIOR=1, and R2SGLD_TORCH naming the worker program,
// it is made again first, which takes some minutes.
func TestFrozenPosterior(t *testing.T) {
	facts, packed := frozenFacts, frozenHalves
	if os.Getenv(freezing) != "" {
		data, err := posteriorData(fashion)
		if err != nil {
			t.Fatal(err)
		}
		y, err := measure(context.Background(), data, openTorch, 1, 1000, 2)
		if err != nil {
			t.Fatal(err)
		}
		y.facts.Data = data.Train.Name + "; " + data.Test.Name
		y.facts.Network = "mlp 49-20-10, tanh, weight decay 5, bound 4"
		y.facts.Command = freezing + "=1 R2SGLD_TORCH=$PWD/bin/r2sgld-torch go test ./internal/study/deep -run TestFrozenPosterior -timeout 2h"
		if facts, packed, err = y.freeze(); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile("testdata/posterior.json", facts, 0o644),
			os.WriteFile("testdata/posterior.bin.gz", packed, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	y, err := thaw(facts, packed)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", y.facts)
	if f := y.facts; f.RHat > 1.05 || f.EnergyRHat > 1.05 || f.Parameters != 1210 {
		t.Errorf("%+v", f)
	}
}

// freeze is the inverse of thaw, up to rounding.
func (y *yardstick) freeze() (facts, packed []byte, err error) {
	if facts, err = json.MarshalIndent(y.facts, "", "  "); err != nil {
		return nil, nil, err
	}
	var b []byte
	for _, h := range y.halves {
		for _, p := range h {
			b = binary.LittleEndian.AppendUint16(b, uint16(math.Round(unit*p)))
		}
	}
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, nil, err
	}
	_, err = z.Write(b)
	err = errors.Join(err, z.Close())
	return append(facts, '\n'), buf.Bytes(), err
}
