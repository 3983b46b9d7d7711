package amfile

import (
	"encoding/binary"
	"math"
	"time"
)

// NullValue is the value null, also that of operations without a value.
func NullValue() Value { return Value{} }

// StringValue returns s as a scalar, which editors show as an immutable string.
func StringValue(s string) Value { return Value{String, []byte(s)} }

// BytesValue returns b as a scalar; it aliases b.
func BytesValue(b []byte) Value { return Value{Bytes, b} }

// UintValue returns v as an unsigned number.
func UintValue(v uint64) Value { return Value{Uint, appendUleb(nil, v)} }

// IntValue returns v as a signed number.
func IntValue(v int64) Value { return Value{Int, appendSleb(nil, v)} }

// CounterValue returns a counter that starts at v.
func CounterValue(v int64) Value { return Value{Counter, appendSleb(nil, v)} }

// TimestampValue returns t, cut to milliseconds.
func TimestampValue(t time.Time) Value { return Value{Timestamp, appendSleb(nil, t.UnixMilli())} }

// FloatValue returns v as a 64-bit float.
func FloatValue(v float64) Value {
	return Value{Float, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))}
}

// BoolValue returns v as a boolean.
func BoolValue(v bool) Value {
	if v {
		return Value{Type: True}
	}
	return Value{Type: False}
}

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.Type == Null }

// Str returns the string that v is; false when it is something else.
func (v Value) Str() (string, bool) {
	if v.Type != String {
		return "", false
	}
	return string(v.Raw), true
}

// Bytes returns the bytes that v is, aliasing it; false when it is something else.
func (v Value) Bytes() ([]byte, bool) { return v.Raw, v.Type == Bytes }

// Bool returns the boolean that v is; false when it is something else.
func (v Value) Bool() (value, ok bool) { return v.Type == True, v.Type == True || v.Type == False }

// Uint returns the number that v is, if it is a Uint, or an Int that is not
// negative.
func (v Value) Uint() (uint64, bool) {
	if v.Type == Uint {
		n, size := uleb(v.Raw)
		return n, size > 0
	}
	n, ok := v.Int()
	return uint64(n), ok && n >= 0
}

// Int returns the number that v is, if it is an Int, or a Uint that fits.
func (v Value) Int() (int64, bool) {
	switch v.Type {
	case Int:
		n, size := sleb(v.Raw)
		return n, size > 0
	case Uint:
		n, size := uleb(v.Raw)
		return int64(n), size > 0 && n <= math.MaxInt64
	}
	return 0, false
}

// Float returns the number that v is: a Float, or an Int or Uint rounded to one.
func (v Value) Float() (float64, bool) {
	switch v.Type {
	case Float:
		if len(v.Raw) != 8 {
			return 0, false
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(v.Raw)), true
	case Int:
		n, size := sleb(v.Raw)
		return float64(n), size > 0
	case Uint:
		n, size := uleb(v.Raw)
		return float64(n), size > 0
	}
	return 0, false
}

// Counter returns the start value of the counter that v is.
func (v Value) Counter() (int64, bool) {
	n, size := sleb(v.Raw)
	return n, size > 0 && v.Type == Counter
}

// Time returns the timestamp that v is, in UTC.
func (v Value) Time() (time.Time, bool) {
	n, size := sleb(v.Raw)
	if size == 0 || v.Type != Timestamp {
		return time.Time{}, false
	}
	return time.UnixMilli(n).UTC(), true
}
