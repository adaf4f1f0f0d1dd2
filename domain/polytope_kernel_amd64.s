#include "textflag.h"

// ROWS adds Y4, one coordinate of the point in all quarters, times four coefficients
// to acc. Every product is rounded before it is added, as in Go.
#define ROWS(off, acc) \
	VMULPD off(SI), Y4, Y5; \
	VADDPD Y5, acc, acc

// SLACK writes (b − acc)·inv and notes in Y14 where b − acc is not ≥ 0.
#define SLACK(off, acc) \
	VMOVUPD off(R8), Y5; \
	VSUBPD acc, Y5, Y5; \
	VCMPPD $9, Y15, Y5, Y6; \
	VORPD Y6, Y14, Y14; \
	VMULPD off(R9), Y5, Y5; \
	VMOVUPD Y5, off(DI)

// func panelsAVX(s, a, x, b, inv *float64, panels, d int) (outside int)
TEXT ·panelsAVX(SB), NOSPLIT, $0-64
	MOVQ s+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ b+24(FP), R8
	MOVQ inv+32(FP), R9
	MOVQ panels+40(FP), CX
	MOVQ d+48(FP), R10
	VXORPD Y14, Y14, Y14
	VXORPD Y15, Y15, Y15

panel:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ DX, BX
	MOVQ R10, R11

coordinate:
	VBROADCASTSD (BX), Y4
	ROWS(0, Y0)
	ROWS(32, Y1)
	ROWS(64, Y2)
	ROWS(96, Y3)
	ADDQ $128, SI
	ADDQ $8, BX
	DECQ R11
	JNZ  coordinate

	SLACK(0, Y0)
	SLACK(32, Y1)
	SLACK(64, Y2)
	SLACK(96, Y3)
	ADDQ $128, R8
	ADDQ $128, R9
	ADDQ $128, DI
	DECQ CX
	JNZ  panel

	VMOVMSKPD Y14, AX
	MOVQ AX, outside+56(FP)
	VZEROUPPER
	RET

// STRIDE takes four rows of turn.
#define STRIDE(off) \
	VMOVUPD off(SI), Y3; \
	VMULPD Y3, Y0, Y4; \
	VMOVUPD off(DI), Y5; \
	VSUBPD Y4, Y5, Y5; \
	VMOVUPD Y5, off(DI); \
	VMULPD Y3, Y1, Y3; \
	VMULPD off(DX), Y2, Y4; \
	VSUBPD Y4, Y3, Y3; \
	VMOVUPD Y3, off(SI)

// func turnAVX(s, r, gram *float64, n int, t, rest, c float64)
TEXT ·turnAVX(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ r+8(FP), SI
	MOVQ gram+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSD t+32(FP), Y0
	VBROADCASTSD rest+40(FP), Y1
	VBROADCASTSD c+48(FP), Y2

stride:
	STRIDE(0)
	STRIDE(32)
	ADDQ $64, DI
	ADDQ $64, SI
	ADDQ $64, DX
	SUBQ $8, CX
	JNZ  stride
	VZEROUPPER
	RET

// func nearAVX(s, r *float64, i, n int, t, margin float64) int
TEXT ·nearAVX(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ r+8(FP), SI
	MOVQ i+16(FP), AX
	MOVQ n+24(FP), CX
	VBROADCASTSD t+32(FP), Y0
	VBROADCASTSD margin+40(FP), Y1
	LEAQ (DI)(AX*8), DI
	LEAQ (SI)(AX*8), SI

block:
	CMPQ AX, CX
	JGE  done
	VMULPD (SI), Y0, Y2
	VADDPD Y1, Y2, Y2
	VCMPPD $6, (DI), Y2, Y2
	VMULPD 32(SI), Y0, Y3
	VADDPD Y1, Y3, Y3
	VCMPPD $6, 32(DI), Y3, Y3
	VORPD Y3, Y2, Y2
	VMOVMSKPD Y2, BX
	TESTL BX, BX
	JNZ  done
	ADDQ $64, DI
	ADDQ $64, SI
	ADDQ $8, AX
	JMP  block

done:
	MOVQ AX, ret+48(FP)
	VZEROUPPER
	RET
