package drift

// Found is a handle inside a text: text[Start:End] is what stands for it, with
// its brackets if it has them.
type Found struct {
	Start, End int // bytes
	Handle     Handle
}
