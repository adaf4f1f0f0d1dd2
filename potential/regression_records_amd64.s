#include "textflag.h"

// Sums of products of records of 8 values. Register pairs hold two sums each, of
// value j with values k and k+1; each is multiplied, rounded and added as in Go.

// PAIR adds X14 × two values at off to acc.
#define PAIR(off, acc) \
	MOVUPD off(SI), X15; \
	MULPD  X14, X15; \
	ADDPD  X15, acc

// BOTH takes the value at off into both halves of X14.
#define BOTH(off) \
	MOVSD    off(SI), X14; \
	UNPCKLPD X14, X14

// func addRecordsSSE2(s *products, values *float64, rows *int, n int)
TEXT ·addRecordsSSE2(SB), NOSPLIT, $0-32
	MOVQ s+0(FP), DI
	MOVQ values+8(FP), BX
	MOVQ rows+16(FP), DX
	MOVQ n+24(FP), CX

	// values 0 to 3 with those from there on
	MOVUPD 0(DI), X0
	MOVUPD 16(DI), X1
	MOVUPD 32(DI), X2
	MOVUPD 48(DI), X3
	MOVUPD 64(DI), X4
	MOVUPD 80(DI), X5
	MOVUPD 96(DI), X6
	MOVUPD 112(DI), X7
	MOVUPD 144(DI), X8
	MOVUPD 160(DI), X9
	MOVUPD 176(DI), X10
	MOVUPD 208(DI), X11
	MOVUPD 224(DI), X12
	MOVUPD 240(DI), X13
	MOVQ DX, R8
	MOVQ CX, R9

first:
	MOVQ (R8), SI
	SHLQ $6, SI
	ADDQ BX, SI
	BOTH(0)
	PAIR(0, X0)
	PAIR(16, X1)
	PAIR(32, X2)
	PAIR(48, X3)
	BOTH(8)
	PAIR(0, X4)
	PAIR(16, X5)
	PAIR(32, X6)
	PAIR(48, X7)
	BOTH(16)
	PAIR(16, X8)
	PAIR(32, X9)
	PAIR(48, X10)
	BOTH(24)
	PAIR(16, X11)
	PAIR(32, X12)
	PAIR(48, X13)
	ADDQ $8, R8
	DECQ R9
	JNZ  first

	MOVUPD X0, 0(DI)
	MOVUPD X1, 16(DI)
	MOVUPD X2, 32(DI)
	MOVUPD X3, 48(DI)
	MOVUPD X4, 64(DI)
	MOVUPD X5, 80(DI)
	MOVUPD X6, 96(DI)
	MOVUPD X7, 112(DI)
	MOVUPD X8, 144(DI)
	MOVUPD X9, 160(DI)
	MOVUPD X10, 176(DI)
	MOVUPD X11, 208(DI)
	MOVUPD X12, 224(DI)
	MOVUPD X13, 240(DI)

	// values 4 to 7 with those from there on
	MOVUPD 288(DI), X0
	MOVUPD 304(DI), X1
	MOVUPD 352(DI), X2
	MOVUPD 368(DI), X3
	MOVUPD 432(DI), X4
	MOVUPD 496(DI), X5
	MOVQ DX, R8
	MOVQ CX, R9

second:
	MOVQ (R8), SI
	SHLQ $6, SI
	ADDQ BX, SI
	BOTH(32)
	PAIR(32, X0)
	PAIR(48, X1)
	BOTH(40)
	PAIR(32, X2)
	PAIR(48, X3)
	BOTH(48)
	PAIR(48, X4)
	BOTH(56)
	PAIR(48, X5)
	ADDQ $8, R8
	DECQ R9
	JNZ  second

	MOVUPD X0, 288(DI)
	MOVUPD X1, 304(DI)
	MOVUPD X2, 352(DI)
	MOVUPD X3, 368(DI)
	MOVUPD X4, 432(DI)
	MOVUPD X5, 496(DI)
	RET
