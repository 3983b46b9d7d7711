package blocks

import "kaijutsu/internal/amfile"

// field is one key of a block's map.
type field uint8

// The fields of a block, by the order in which a block holds them.
const (
	fieldKind field = iota
	fieldRole
	fieldParent
	fieldOrder
	fieldStatus
	fieldText
	fieldBody
	fieldChunks
	fieldMeta
	fieldDeleted
	fieldCollapsed
	fieldExcluded
	fieldEphemeral
	fieldCount
)

// The keys of the root map.
const (
	keySchema  = "schema"
	keyTitle   = "title"
	keyPages   = "pages"
	keyContext = "context"
)

// schemaVersion is the value of ROOT.schema: the only one this package knows.
const schemaVersion = 1

var fieldKeys = [fieldCount]string{
	"kind", "role", "parent", "order", "status", "text", "body", "chunks", "meta",
	"deleted", "collapsed", "excluded", "ephemeral",
}

var fieldTouches = [fieldCount]Touch{
	TouchMeta, TouchMeta, TouchMoved, TouchMoved, TouchStatus, TouchContent, TouchContent, TouchContent, TouchMeta,
	0, TouchFlags, TouchFlags, TouchFlags, // whether it is deleted is settled when the change is over
}

// key returns the map key of a field.
func (f field) key() string { return fieldKeys[f] }

// fieldOf returns the field of a map key, false for a key that is not ours.
func fieldOf(key string) (field, bool) {
	for f, k := range fieldKeys {
		if k == key {
			return field(f), true
		}
	}
	return 0, false
}

// valueKind is what the model distinguishes in a value.
type valueKind uint8

const (
	valueOther  valueKind = iota // anything the schema has no use for
	valueString                  // a scalar string
	valueTrue                    // the boolean true
	valueOne                     // a number equal to the schema version
	valueObject                  // a Text or list that the model follows
)

// entry is one visible operation of a block's field, or of an element of a
// sequence: one that no other operation has superseded. Several in one field
// are a conflict.
type entry struct {
	id    opID
	field field
	kind  valueKind
	str   string
	seq   *sequence
}

// scalar reads a value of an operation. The string is a copy: the value may
// alias a chunk that is much larger.
func scalar(v amfile.Value) (valueKind, string) {
	switch v.Type {
	case amfile.String:
		return valueString, string(v.Raw)
	case amfile.True:
		return valueTrue, ""
	}
	if isOne(v) {
		return valueOne, ""
	}
	return valueOther, ""
}

// isOne reports whether a value is the number 1, in any of the types in which
// clients write it.
func isOne(v amfile.Value) bool {
	if n, ok := v.Uint(); ok {
		return n == schemaVersion
	}
	if n, ok := v.Int(); ok {
		return n == schemaVersion
	}
	n, ok := v.Float()
	return ok && n == schemaVersion
}
