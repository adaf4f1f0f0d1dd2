package vector

import "golang.org/x/sys/cpu"

// kernels are those of this processor.
var kernels = choice()

func choice() *table {
	x := &cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512DQ:
		return &avx512
	case x.HasAVX2 && x.HasFMA:
		return &avx2
	}
	return new(table)
}

var avx2 = table{
	add: addAVX2, sub: subAVX2, mul: mulAVX2, div: divAVX2, minimum: minimumAVX2, maximum: maximumAVX2,
	mulAdd: mulAddAVX2, mulSub: mulSubAVX2, subMul: subMulAVX2, mulMulAdd: mulMulAddAVX2, choose: chooseAVX2,
	neg: negAVX2, abs: absAVX2, sqrt: sqrtAVX2, exp: expAVX2, expm1: expm1AVX2, sigmoid: sigmoidAVX2,
	softplus: softplusAVX2, tanh: tanhAVX2, log: logAVX2, log1p: log1pAVX2, sin: sinAVX2, cos: cosAVX2, tan: tanAVX2, erf: erfAVX2, erfc: erfcAVX2, phi: phiAVX2,
	sinCos: sinCosAVX2, softplusSigmoid: softplusSigmoidAVX2, normals: normalsAVX2, uniforms: uniformsAVX2,
	combine: combineAVX2, softplusSum: softplusSumAVX2, program: programAVX2,
	double:   products[float64]{doubleTimes1AVX2, doubleTimes4AVX2, doubleDots1AVX2, doubleDots2AVX2, 2, nil},
	single:   products[float32]{singleTimes1AVX2, singleTimes4AVX2, singleDots1AVX2, singleDots4AVX2, 4, singleRowsAVX2},
	standard: products[float32]{standardTimes1AVX2, standardTimes4AVX2, standardDots1AVX2, standardDots4AVX2, 4, standardRowsAVX2},
	width:    4,
}

var avx512 = table{
	add: addAVX512, sub: subAVX512, mul: mulAVX512, div: divAVX512, minimum: minimumAVX512, maximum: maximumAVX512,
	mulAdd: mulAddAVX512, mulSub: mulSubAVX512, subMul: subMulAVX512, mulMulAdd: mulMulAddAVX512, choose: chooseAVX512,
	neg: negAVX512, abs: absAVX512, sqrt: sqrtAVX512, exp: expAVX512, expm1: expm1AVX512, sigmoid: sigmoidAVX512,
	softplus: softplusAVX512, tanh: tanhAVX512, log: logAVX512, log1p: log1pAVX512, sin: sinAVX512, cos: cosAVX512, tan: tanAVX512, erf: erfAVX512, erfc: erfcAVX512, phi: phiAVX512,
	sinCos: sinCosAVX512, softplusSigmoid: softplusSigmoidAVX512, normals: normalsAVX512, uniforms: uniformsAVX512,
	combine: combineAVX512, softplusSum: softplusSumAVX512, program: programAVX512,
	double:   products[float64]{doubleTimes1AVX512, doubleTimes4AVX512, doubleDots1AVX512, doubleDots2AVX512, 2, nil},
	single:   products[float32]{singleTimes1AVX512, singleTimes4AVX512, singleDots1AVX512, singleDots4AVX512, 4, singleRowsAVX512},
	standard: products[float32]{standardTimes1AVX512, standardTimes4AVX512, standardDots1AVX512, standardDots4AVX512, 4, standardRowsAVX512},
	width:    8,
}
