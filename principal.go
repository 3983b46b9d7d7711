package kaijutsu

// PrincipalKind says what sort of actor a principal is.
type PrincipalKind string

// The kinds of principals.
const (
	Person  PrincipalKind = "person"
	Agent   PrincipalKind = "agent"
	Service PrincipalKind = "service"
)

// Principal is who acts: a required argument of every mutation. It is
// comparable; the zero value is nobody and may do nothing.
type Principal struct {
	// Name is unique on a server, at most 64 bytes.
	Name string
	Kind PrincipalKind
}

// IsZero reports whether p is nobody.
func (p Principal) IsZero() bool { return p.Name == "" }

// String returns the kind and name, as logs show them: "person:amy".
func (p Principal) String() string { return string(p.Kind) + ":" + p.Name }
