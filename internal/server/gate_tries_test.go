package server

import (
	"fmt"
	"testing"
	"time"
)

func TestTries(t *testing.T) {
	var tries tries
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for n := range maxTries {
		if !tries.allow("a", now) {
			t.Fatalf("try %d is refused", n+1)
		}
		tries.failed("a", now)
	}
	if tries.allow("a", now.Add(triesWindow-1)) {
		t.Error("an address may go on after too many tries")
	}
	if !tries.allow("b", now) {
		t.Error("another address pays for it")
	}
	if !tries.allow("a", now.Add(triesWindow)) {
		t.Error("an address may not try again later")
	}
}

func TestTriesAreBounded(t *testing.T) {
	var tries tries
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for n := range maxTriers + 100 {
		tries.failed(fmt.Sprint(n), now)
	}
	if got := len(tries.from); got > maxTriers+1 {
		t.Errorf("%d addresses are remembered, want at most %d", got, maxTriers+1)
	}
	if tries.allow("one more", now) {
		t.Error("who is not remembered may try without end")
	}
	tries.failed("later", now.Add(triesWindow))
	if got := len(tries.from); got > 1 {
		t.Errorf("%d addresses are remembered after their time, want 1", got)
	}
}
