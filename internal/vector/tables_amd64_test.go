package vector

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// tables are the plain path and the kernels that this processor can run.
func tables() map[string]*table {
	t := map[string]*table{"plain": {}}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		t["avx2"] = &avx2
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		t["avx512"] = &avx512
	}
	return t
}

// What GODEBUG switches off is not taken.
func TestChoice(t *testing.T) {
	was := cpu.X86
	defer func() { cpu.X86 = was }()
	x := &cpu.X86
	x.HasAVX512F, x.HasAVX512DQ, x.HasAVX2, x.HasFMA = true, true, true, true
	if choice() != &avx512 {
		t.Error("AVX-512 is not taken")
	}
	if x.HasAVX512F = false; choice() != &avx2 {
		t.Error("AVX2 is not taken")
	}
	if x.HasFMA = false; choice().exp != nil {
		t.Error("AVX2 is taken without FMA")
	}
}
