package main

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// TestTidyMemory leaves garbage behind and comes to rest.
func TestTidyMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); tidyMemory(ctx) }()
		runtime.GC()
		junk := make([][]byte, 0, 64)
		for range cap(junk) {
			junk = append(junk, make([]byte, 1<<20))
		}
		left := readHeap()
		if len(junk) == 0 || left.objects < 64<<20 {
			t.Fatalf("the heap holds %d bytes of objects, want the 64 MiB", left.objects)
		}
		junk = nil
		for range 5 { // looks
			time.Sleep(tidyEvery)
			synctest.Wait()
		}
		if now := readHeap(); now.objects > left.objects-(48<<20) || now.waste() > 16<<20 {
			t.Errorf("at rest the heap holds %d bytes of objects and %d of waste, want the garbage gone", now.objects, now.waste())
		}
		stop()
		<-done
	})
}
