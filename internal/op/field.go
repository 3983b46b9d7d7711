package op

import (
	"errors"
	"slices"
	"strings"
)

// fielded is an error with the parameter that it is about.
type fielded struct {
	error
	field string
}

func (e *fielded) Unwrap() error { return e.error }

// contents are the parameters that hold what is written, in the order in which
// an error about content means them.
var contents = []string{"content", "text", "insert", "patch", "operations"}

// name finds out which parameter an error is about, when it says so: by a
// method Field that returns the name of a parameter, or of content, or by
// beginning with it.
func (o *Op) name(err error) error {
	if field := fieldOf(err); field != "" {
		return err
	}
	var about interface{ Field() string }
	if errors.As(err, &about) {
		if field, ok := o.parameter(about.Field()); ok {
			return &fielded{err, field}
		}
	}
	head, _, _ := strings.Cut(err.Error(), ": ")
	if field, ok := o.parameter(head); ok {
		return &fielded{err, field}
	}
	return err
}

// parameter returns a field that an error names by its own name, when it is
// one of the operation's.
func (o *Op) parameter(field string) (string, bool) {
	head := field
	if i := strings.IndexAny(field, "[."); i > 0 {
		head = field[:i]
	}
	if name := o.Aliases[head]; name != "" {
		field, head = name+field[len(head):], name
	}
	if head == "content" {
		if i := slices.IndexFunc(contents, func(name string) bool { return o.In.Properties[name] != nil }); i >= 0 {
			field, head = contents[i], contents[i]
		}
	}
	return field, o.In.Properties[head] != nil
}

// fieldOf returns the parameter that an error says it is about, "" for none.
func fieldOf(err error) string {
	var wrong *FieldError
	if errors.As(err, &wrong) {
		return wrong.Field
	}
	var named *fielded
	if errors.As(err, &named) {
		return named.field
	}
	return ""
}
