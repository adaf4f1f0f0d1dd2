package vector

import "golang.org/x/sys/cpu"

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
