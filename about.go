package kaijutsu

// fieldError says what of a value or call is wrong: "content", "citations",
// "operations[2]".
type fieldError struct {
	error
	field string
}

func (e *fieldError) Unwrap() error { return e.error }

// Field returns the name of the field.
func (e *fieldError) Field() string { return e.field }

// About names the field that an error is about, for doors that show it: the
// error that it returns has the kind and text of err, and a method Field. No
// error stays none.
func About(field string, err error) error {
	if err == nil {
		return nil
	}
	return &fieldError{err, field}
}
