package courier

import (
	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
)

// owns reports whether a caller owns the kernel.
func owns(call op.Call) bool { return call.Right >= kaijutsu.RightOwn }

// mayUse reports whether a caller may show and cancel an item: its stager, who
// may edit where it comes from, and the kernel's owners.
func (c *Courier) mayUse(call op.Call, it *drift.Item) bool {
	return owns(call) || call.By == it.By && call.Bounds.Document(it.From, kaijutsu.RightOwn) > kaijutsu.RightNone || !it.From.IsZero() && c.cfg.Kernel.Right(call, it.From) >= kaijutsu.RightEdit
}

// maySee reports whether an item exists for a caller: one that is held does
// also for who may edit where it goes.
func (c *Courier) maySee(call op.Call, it *drift.Item) bool {
	if call.By.IsZero() {
		return false
	}
	return c.mayUse(call, it) || it.State == drift.StateHeld && c.cfg.Kernel.Right(call, it.Target) >= kaijutsu.RightEdit
}
