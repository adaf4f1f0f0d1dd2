#include "textflag.h"

// Products are rounded before they are added, as in Go.

// ROWS takes one column of four rows: Y8 and Y9 hold a coordinate of x and of y in
// all quarters.
#define ROWS(off, acc, bcc) \
	VMOVUPD off(SI), Y10; \
	VMULPD Y10, Y8, Y11; \
	VADDPD Y11, acc, acc; \
	VMULPD Y10, Y9, Y12; \
	VADDPD Y12, bcc, bcc

// func productsAVX(a, b, panel, x, y *float64, panels, d int)
TEXT ·productsAVX(SB), NOSPLIT, $0-56
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), R8
	MOVQ panel+16(FP), SI
	MOVQ x+24(FP), DX
	MOVQ y+32(FP), R9
	MOVQ panels+40(FP), CX
	MOVQ d+48(FP), R10

panel:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	MOVQ DX, BX
	MOVQ R9, R12
	MOVQ R10, R11

column:
	VBROADCASTSD (BX), Y8
	VBROADCASTSD (R12), Y9
	ROWS(0, Y0, Y4)
	ROWS(32, Y1, Y5)
	ROWS(64, Y2, Y6)
	ROWS(96, Y3, Y7)
	ADDQ $128, SI
	ADDQ $8, BX
	ADDQ $8, R12
	DECQ R11
	JNZ  column

	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 0(R8)
	VMOVUPD Y5, 32(R8)
	VMOVUPD Y6, 64(R8)
	VMOVUPD Y7, 96(R8)
	ADDQ $128, DI
	ADDQ $128, R8
	DECQ CX
	JNZ  panel
	VZEROUPPER
	RET

// WALLS takes four walls along: Y0 to Y3 hold cos, sin, versine and c, Y15 zeros.
#define WALLS(off) \
	VMOVUPD off(DI), Y4; \
	VMOVUPD off(SI), Y5; \
	VMOVUPD off(DX), Y6; \
	VSUBPD Y4, Y6, Y7; \
	VMULPD Y7, Y1, Y7; \
	VMULPD Y5, Y0, Y8; \
	VSUBPD Y7, Y8, Y8; \
	VMULPD off(R8), Y3, Y9; \
	VSUBPD Y9, Y8, Y8; \
	VMOVUPD Y8, off(SI); \
	VMULPD Y4, Y0, Y4; \
	VMULPD Y6, Y2, Y6; \
	VADDPD Y6, Y4, Y4; \
	VMULPD Y5, Y1, Y5; \
	VSUBPD Y5, Y4, Y4; \
	VMAXPD Y15, Y4, Y4; \
	VMOVUPD Y4, off(DI)

// func advanceAVX(slack, rate, h, row *float64, n int, cos, sin, versine, c float64)
TEXT ·advanceAVX(SB), NOSPLIT, $0-72
	MOVQ slack+0(FP), DI
	MOVQ rate+8(FP), SI
	MOVQ h+16(FP), DX
	MOVQ row+24(FP), R8
	MOVQ n+32(FP), CX
	VBROADCASTSD cos+40(FP), Y0
	VBROADCASTSD sin+48(FP), Y1
	VBROADCASTSD versine+56(FP), Y2
	VBROADCASTSD c+64(FP), Y3
	VXORPD Y15, Y15, Y15

walls:
	WALLS(0)
	WALLS(32)
	ADDQ $64, DI
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, R8
	SUBQ $8, CX
	JNZ  walls
	VZEROUPPER
	RET

// NEAR notes in acc which of four walls may be hit: Y0 holds twice the time left.
#define NEAR(off, acc, tmp) \
	VMOVUPD off(DI), tmp; \
	VMULPD off(SI), Y0, acc; \
	VCMPPD $1, acc, tmp, acc; \
	VMOVUPD off(DX), Y6; \
	VADDPD Y6, Y6, Y6; \
	VCMPPD $1, tmp, Y6, Y6; \
	VORPD Y6, acc, acc

// func nearAVX(slack, rate, h *float64, i, n int, twice float64) int
TEXT ·nearAVX(SB), NOSPLIT, $0-56
	MOVQ slack+0(FP), DI
	MOVQ rate+8(FP), SI
	MOVQ h+16(FP), DX
	MOVQ i+24(FP), AX
	MOVQ n+32(FP), CX
	VBROADCASTSD twice+40(FP), Y0
	LEAQ (DI)(AX*8), DI
	LEAQ (SI)(AX*8), SI
	LEAQ (DX)(AX*8), DX

block:
	CMPQ AX, CX
	JGE  done
	NEAR(0, Y1, Y3)
	NEAR(32, Y2, Y4)
	VORPD Y2, Y1, Y1
	VMOVMSKPD Y1, BX
	TESTL BX, BX
	JNZ  done
	ADDQ $64, DI
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $8, AX
	JMP  block

done:
	MOVQ AX, ret+48(FP)
	VZEROUPPER
	RET
