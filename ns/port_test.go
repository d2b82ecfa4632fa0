package ns

import (
	"testing"
	"unsafe"
)

// TestPortsShareNoCacheLine: what a goroutine of a worker writes for each batch begins with
// a cache line and ends with one, or has room behind it.
func TestPortsShareNoCacheLine(t *testing.T) {
	const line = 64
	for _, size := range []uintptr{unsafe.Sizeof(Port{}), 8 * unsafe.Sizeof(int(0))} {
		if size%line != 0 {
			t.Errorf("%d octets are no whole lines", size)
		}
	}
	var all []*Port // on the heap, as those of workers are
	for range 64 {
		all = append(all, newPort(nil, nil, 0))
	}
	for _, p := range all {
		if free := uintptr(cap(p.outs)-2) * unsafe.Sizeof(outBatch{}); free < line { // behind those of two binds
			t.Errorf("%d octets behind the batches", free)
		}
		used := append(p.used, 0)
		for what, at := range map[string]uintptr{"the Port": uintptr(unsafe.Pointer(p)), "its list of slots": uintptr(unsafe.Pointer(&used[0]))} {
			if at%line != 0 {
				t.Errorf("%s begins at %#x", what, at)
			}
		}
	}
}
