package expression

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// jointCall is a joint density of k values as a formula, with its variables by argument.
func jointCall(t *testing.T, name string, k int) (f *Func, n int) {
	t.Helper()
	var names []string
	for i := range 2*k + triangle(k) {
		names = append(names, fmt.Sprintf("a%d", i))
	}
	f, err := Compile(name+"("+strings.Join(names, ", ")+")", names)
	if err != nil {
		t.Fatal(err)
	}
	return f, len(names)
}

// Joint densities are those by gonum's Cholesky factors, to 1e-10, and their slopes those of differences.
// Mutants: a determinant that counts twice; the entries of another row of the triangle; pivots that nothing is
// taken off; deviations that are not solved for.
func TestJointDensities(t *testing.T) {
	for k := 1; k <= 5; k++ {
		covarianceCall, n := jointCall(t, "multi_normal_lpdf", k)
		factorCall, _ := jointCall(t, "multi_normal_cholesky_lpdf", k)
		rapid.Check(t, func(t *rapid.T) {
			number := rapid.Float64Range(-2, 2)
			x, l := make([]float64, n), mat.NewTriDense(k, mat.Lower, nil)
			off := mat.NewVecDense(k, nil)
			for i := range k {
				x[i], x[k+i] = number.Draw(t, "y"), number.Draw(t, "mu")
				off.SetVec(i, x[i]-x[k+i])
				for j := range i {
					l.SetTri(i, j, number.Draw(t, "l")/2)
				}
				l.SetTri(i, i, rapid.Float64Range(0.5, 2).Draw(t, "diagonal"))
			}
			var dense mat.Dense
			dense.Mul(l, l.T())
			s := mat.NewSymDense(k, nil)
			for i := range k {
				for j := range i + 1 {
					s.SetSym(i, j, dense.At(i, j))
				}
			}
			var c mat.Cholesky
			var z mat.VecDense
			if !c.Factorize(s) || c.SolveVecTo(&z, off) != nil {
				t.Skip("singular to gonum")
			}
			want := -mat.Dot(off, &z)/2 - c.LogDet()/2 - float64(k)*math.Log(2*math.Pi)/2
			for _, of := range []struct {
				f      *Func
				matrix mat.Matrix
			}{{covarianceCall, s}, {factorCall, l}} {
				for i := range k {
					for j := range i + 1 {
						x[2*k+triangle(i)+j] = of.matrix.At(i, j)
					}
				}
				v, g := make([]float64, 1), make([]float64, n)
				e := of.f.Evaluator(1)
				e.Gradient(v, g, x)
				if !(math.Abs(v[0]-want) <= 1e-10*(1+math.Abs(want))) {
					t.Fatalf("log density %v, want %v", v[0], want)
				}
				for j := range x {
					const h = 1e-5
					at := x[j]
					x[j] = at + h
					e.Value(v, x)
					up := v[0]
					x[j] = at - h
					e.Value(v, x)
					x[j] = at
					if d := (up - v[0]) / (2 * h); math.Abs(d-g[j]) > 1e-5*(1+math.Abs(d))*(1+c.Cond()) {
						t.Fatalf("slope %d is %v, by differences %v", j, g[j], d)
					}
				}
			}
		})
	}
}

// Where a matrix is not positive definite the density is 0, and not undefined, whichever pivot says so.
// Mutants: pivots that are not looked at.
func TestJointDensitiesOfNoCovariance(t *testing.T) {
	for src, with := range map[string][]float64{
		"multi_normal_lpdf": {1, 2, 1}, "multi_normal_cholesky_lpdf": {1, 0.5, 0},
	} {
		f, n := jointCall(t, src, 2)
		for _, entries := range [][]float64{with, {-1, 0, 1}, {0, 0, 1}, {1, 0, -1}, {-1, 0, -2}} {
			x, v := make([]float64, n), make([]float64, 1)
			copy(x[4:], entries)
			if f.Evaluator(1).Value(v, x); !math.IsInf(v[0], -1) {
				t.Errorf("%s of %v is %v", src, entries, v[0])
			}
		}
	}
}

func TestJointArguments(t *testing.T) {
	for _, n := range []int{1, 2, 4, 6} {
		src := "multi_normal_lpdf(" + strings.Repeat("x, ", n-1) + "x)"
		if _, err := Compile(src, []string{"x"}); err == nil || !strings.Contains(err.Error(), "5 arguments of two values, 9 of three") {
			t.Errorf("%s: %v", src, err)
		}
	}
	if _, err := Compile("multi_normal_lpdf(x | 0, 1)", []string{"x"}); err != nil { // of one
		t.Error(err)
	}
}
