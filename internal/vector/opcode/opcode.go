// Package opcode numbers the operations of programs of package vector.
package opcode

// An Op is an operation on a, b, c and d.
type Op = uint8

// The operations. Of those with two results the second is written over b.
const (
	Other     Op = iota // one that package vector does not have
	Add                 // a + b
	Sub                 // a − b
	Mul                 // a b
	MulAdd              // a b + c
	MulSub              // a b − c
	SubMul              // c − a b
	MulMulAdd           // a b + c d
	Copy                // a
	Neg                 // −a
	Div                 // a/b
	SinCos              // sine, and cosine
	Sqrt
	Abs
	Min
	Max
	Select // a ≤ b ? c : d
	Exp
	Log
	Log1p
	Expm1
	Tanh
	Sigmoid
	Softplus
	SoftplusSigmoid // softplus, and sigmoid
	Sin
	Cos
	Tan
	Erf
	Erfc
	Phi
	Ops // how many there are
)
