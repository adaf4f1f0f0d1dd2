package expression

import "github.com/r2sgld/r2sgld/internal/vector/lane"

// fewRegisters is how many a tape may have for the quick interpreter: a power of
// 2, so that masked indices need no checks.
const fewRegisters = 4096

// word is an instruction of the quick interpreter.
type word struct {
	op              op
	dst, a, b, c, d uint16
}

// words are the instructions of t for the quick interpreter.
func words(t *tape) []word {
	code := make([]word, len(t.code))
	for i, in := range t.code {
		code[i] = word{in.op, uint16(in.dst),
			uint16(in.arg[0]), uint16(in.arg[1]), uint16(in.arg[2]), uint16(in.arg[3])}
	}
	return code
}

// runOne runs a tape on one lane. As in machine.run, no multiply-add is
// fused.
func runOne(r *[fewRegisters]float64, code []word) {
	const m = fewRegisters - 1
	for k := range code {
		w := &code[k]
		switch w.op {
		case opAdd:
			r[w.dst&m] = r[w.a&m] + r[w.b&m]
		case opSub:
			r[w.dst&m] = r[w.a&m] - r[w.b&m]
		case opMul:
			r[w.dst&m] = r[w.a&m] * r[w.b&m]
		case opMulAdd:
			r[w.dst&m] = float64(r[w.a&m]*r[w.b&m]) + r[w.c&m]
		case opMulSub:
			r[w.dst&m] = float64(r[w.a&m]*r[w.b&m]) - r[w.c&m]
		case opSubMul:
			r[w.dst&m] = r[w.c&m] - float64(r[w.a&m]*r[w.b&m])
		case opMulMulAdd:
			r[w.dst&m] = float64(r[w.a&m]*r[w.b&m]) + float64(r[w.c&m]*r[w.d&m])
		case opNeg:
			r[w.dst&m] = -r[w.a&m]
		case opCopy:
			r[w.dst&m] = r[w.a&m]
		case opDiv:
			r[w.dst&m] = r[w.a&m] / r[w.b&m]
		case opSinCos:
			r[w.dst&m], r[w.b&m] = lane.SinCos(r[w.a&m])
		case opSoftplusSigmoid:
			r[w.dst&m], r[w.b&m] = lane.SoftplusSigmoid(r[w.a&m])
		default:
			r[w.dst&m] = apply(w.op, r[w.a&m], r[w.b&m], r[w.c&m], r[w.d&m])
		}
	}
}
