#include "textflag.h"

// Sums of products of records of 8 values: Y0 to Y11 hold four sums each, of value j
// with values 0 to 3 or 4 to 7. Every product is rounded before it is added, as in Go.

// LOW and HIGH add Y14, a value in all quarters, times the record's first or second
// half to acc.
#define LOW(acc) \
	VMULPD Y12, Y14, Y15; \
	VADDPD Y15, acc, acc

#define HIGH(acc) \
	VMULPD Y13, Y14, Y15; \
	VADDPD Y15, acc, acc

// func addRecordsAVX(s *products, values *float64, rows *int, n int)
TEXT ·addRecordsAVX(SB), NOSPLIT, $0-32
	MOVQ s+0(FP), DI
	MOVQ values+8(FP), BX
	MOVQ rows+16(FP), DX
	MOVQ n+24(FP), CX

	VMOVUPD 0(DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	VMOVUPD 128(DI), Y4
	VMOVUPD 160(DI), Y5
	VMOVUPD 192(DI), Y6
	VMOVUPD 224(DI), Y7
	VMOVUPD 288(DI), Y8
	VMOVUPD 352(DI), Y9
	VMOVUPD 416(DI), Y10
	VMOVUPD 480(DI), Y11

loop:
	MOVQ    (DX), SI
	SHLQ    $6, SI
	ADDQ    BX, SI
	VMOVUPD (SI), Y12
	VMOVUPD 32(SI), Y13

	VBROADCASTSD 0(SI), Y14
	LOW(Y0)
	HIGH(Y1)
	VBROADCASTSD 8(SI), Y14
	LOW(Y2)
	HIGH(Y3)
	VBROADCASTSD 16(SI), Y14
	LOW(Y4)
	HIGH(Y5)
	VBROADCASTSD 24(SI), Y14
	LOW(Y6)
	HIGH(Y7)
	VBROADCASTSD 32(SI), Y14
	HIGH(Y8)
	VBROADCASTSD 40(SI), Y14
	HIGH(Y9)
	VBROADCASTSD 48(SI), Y14
	HIGH(Y10)
	VBROADCASTSD 56(SI), Y14
	HIGH(Y11)

	ADDQ $8, DX
	DECQ CX
	JNZ  loop

	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)
	VMOVUPD Y8, 288(DI)
	VMOVUPD Y9, 352(DI)
	VMOVUPD Y10, 416(DI)
	VMOVUPD Y11, 480(DI)
	VZEROUPPER
	RET
