package drift

// fieldError says what of a value is wrong: "citations", "content", "heads".
type fieldError struct {
	field string
	err   error
}

// about names the field that an error is about; no error stays none.
func about(field string, err error) error {
	if err == nil {
		return nil
	}
	return &fieldError{field, err}
}

func (e *fieldError) Error() string { return e.err.Error() }

func (e *fieldError) Unwrap() error { return e.err }

// Field returns the name of the field.
func (e *fieldError) Field() string { return e.field }
