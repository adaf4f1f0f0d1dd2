package potential

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/stream"
)

// The sums are those of the definition, bit for bit, on and above the diagonal.
// It kills a fused or reordered sum and a product that is left out.
func TestAddRecordsIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		values := make([]float64, 50*recordWidth)
		for i := range values {
			values[i] = rng.NormFloat64() * math.Exp(5*rng.NormFloat64())
		}
		rows := make([]int, rapid.IntRange(0, 600).Draw(rt, "rows"))
		for i := range rows {
			rows[i] = rng.IntN(50)
		}
		var got, want products
		addRecords(&got, values, rows)
		addRecordsOneByOne(&want, values, rows)
		for j := range recordWidth {
			for k := j; k < recordWidth; k++ {
				if got[j*recordWidth+k] != want[j*recordWidth+k] {
					rt.Fatalf("product %d, %d: %v, one by one %v", j, k, got[j*recordWidth+k], want[j*recordWidth+k])
				}
			}
		}
	})
}

// Records say what the columns say, shared designs included; columns that do not
// fit have none. The tolerance is that of the order of sums; it kills a design
// that is taken for another one, and a lost sign.
func TestRecordsAreTheColumns(t *testing.T) {
	columns := lopsided(300, 4)
	opposite := make([]float64, len(columns[0].Design))
	for i, v := range columns[0].Design {
		opposite[i] = -v
		if i%2 == 0 {
			opposite[i] = v
		}
	}
	columns = append(columns, Column{Index: []int{1, 2}, Weight: 2, Design: opposite, Response: columns[1].Response})
	p := must(NewRegression(3, columns, 40))
	if p.records == nil {
		t.Fatal("7 values do not fit")
	}
	rows := stream.New(9, 0).Subset(300, 40).Draw()
	a, b := p.full, p.full
	a.slope, a.curve = make([]float64, 3), make([]float64, len(p.full.curve))
	b.slope, b.curve = make([]float64, 3), make([]float64, len(p.full.curve))
	p.accumulate(&a, p.newSums(), rows)
	p.records.accumulate(&b, new(products), p.columns, rows, 300./40)
	for i, v := range append(append([]float64{a.value}, a.slope...), a.curve...) {
		if w := append(append([]float64{b.value}, b.slope...), b.curve...)[i]; math.Abs(v-w) > 1e-12*(1+math.Abs(v)) {
			t.Errorf("number %d: %v from columns, %v from records", i, v, w)
		}
	}
	for range 3 {
		columns = append(columns, lopsided(300, uint64(len(columns)))...)
	}
	if must(NewRegression(3, columns, 40)).records != nil {
		t.Error("more values than a record has")
	}
}

func BenchmarkAddRecords(b *testing.B) {
	values := make([]float64, 10_000*recordWidth)
	for i := range values {
		values[i] = float64(i)
	}
	rows := rand.New(rand.NewPCG(1, 2)).Perm(10_000)[:4096]
	var s products
	for b.Loop() {
		addRecords(&s, values, rows)
	}
}
