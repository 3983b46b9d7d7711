package op

import "kaijutsu"

// Call says who asks, and from where.
type Call struct {
	// By is who acts; required.
	By kaijutsu.Principal
	// Right is what By may do with the kernel as a whole. A context may grant
	// more or less.
	Right kaijutsu.Right
	// Deny names operations that By may not use: names, or families as
	// "block_*".
	Deny []string
	// Bounds narrow Right and what By may do with documents, as the token of the
	// call says; Right is narrowed already. Nil: nothing does.
	Bounds *Bounds
	// Token names the token that the call came with, never its secret; "" when
	// it came with none of a principal's.
	Token string
	// From is the network address of the caller, without a port; "" when it is
	// not known.
	From string

	// Door is the door that the call came through: "http", "mcp", "shell".
	Door string
	// Session names the connection, when the door has such a thing: an MCP
	// session, a command. It is for the audit and for seats.
	Session string
	// Context is the context that is meant where the parameters name none; it
	// may be empty. What names one is the business of the operations.
	Context string
}

// Denied reports whether a list of names and families denies an operation.
func Denied(deny []string, name string) bool {
	for _, d := range deny {
		if d == name || d == "*" {
			return true
		}
		if n := len(d); n > 1 && d[n-1] == '*' && len(name) >= n-1 && name[:n-1] == d[:n-1] {
			return true
		}
	}
	return false
}
