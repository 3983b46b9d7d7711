package drift

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kaijutsu"
)

// object is a JSON object taken apart. Its methods read a key exactly as it is
// written, in a type and up to a bound; a key that is absent or null reads as
// the zero value. The first thing wrong stays in bad.
type object struct {
	keys map[string]json.RawMessage
	path string // where it stands, for errors
	bad  *error // shared by an object and what is inside it
}

// parseObject takes a JSON object apart.
func parseObject(raw []byte) (object, error) {
	o := object{bad: new(error)}
	if !utf8.Valid(raw) {
		return o, fmt.Errorf("want UTF-8: %w", kaijutsu.ErrInvalid)
	}
	if err := json.Unmarshal(raw, &o.keys); err != nil || o.keys == nil {
		return o, fmt.Errorf("want a JSON object: %w", kaijutsu.ErrInvalid)
	}
	return o, nil
}

// refuse notes what is wrong with a key, if nothing was before.
func (o object) refuse(key string, kind error, format string, args ...any) {
	if *o.bad == nil {
		name := o.path + key
		*o.bad = kaijutsu.About(name, fmt.Errorf("%s: %s: %w", name, fmt.Sprintf(format, args...), kind))
	}
}

// value reads a key as encoding/json does; false: it is absent, or of another
// type, which is noted.
func (o object) value(key, want string, v any) bool {
	raw, there := o.keys[key]
	if !there || string(raw) == "null" {
		return false
	}
	if err := json.Unmarshal(raw, v); err != nil {
		o.refuse(key, kaijutsu.ErrInvalid, "want %s", want)
		return false
	}
	return true
}

// text reads a string of at most max bytes.
func (o object) text(key string, max int) string {
	s, plain := plainText(o.keys[key])
	if (plain || o.value(key, "a string", &s)) && len(s) > max {
		o.refuse(key, kaijutsu.ErrTooLarge, "%d bytes: at most %d", len(s), max)
		return ""
	}
	return s
}

// plainText reads a string without escapes. That it is one of UTF-8 was seen
// when the object was taken apart; this saves most of the time that reading
// an item takes.
func plainText(raw json.RawMessage) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		return "", false
	}
	return string(raw[1 : len(raw)-1]), true
}

// number reads a whole number from 0 to max.
func (o object) number(key string, max uint64) uint64 {
	n, err := strconv.ParseUint(string(o.keys[key]), 10, 64)
	if err != nil {
		n = 0
		o.value(key, "a whole number from 0", &n)
	}
	if n > max {
		o.refuse(key, kaijutsu.ErrTooLarge, "%d: at most %d", n, max)
		return 0
	}
	return n
}

// texts reads a list of at most most strings of at most max bytes each.
func (o object) texts(key string, most, max int) []string {
	var list []string
	if !o.value(key, "a list of strings", &list) {
		return nil
	}
	if len(list) > most {
		o.refuse(key, kaijutsu.ErrTooLarge, "%d of them: at most %d", len(list), most)
		return nil
	}
	for i, s := range list {
		if len(s) > max {
			o.refuse(fmt.Sprintf("%s[%d]", key, i), kaijutsu.ErrTooLarge, "%d bytes: at most %d", len(s), max)
			return nil
		}
	}
	return list
}

// time reads a time of RFC 3339.
func (o object) time(key string) time.Time {
	var t time.Time
	if o.value(key, "a time as 2006-01-02T15:04:05Z", &t) && (t.UTC().Year() < 1 || t.UTC().Year() > maxYear) {
		o.refuse(key, kaijutsu.ErrInvalid, "want a year from 1 to %d", maxYear)
		return time.Time{}
	}
	return t.UTC()
}

// object reads an object inside; false: it is absent.
func (o object) object(key string) (object, bool) {
	in := object{path: o.path + key + ".", bad: o.bad}
	return in, o.value(key, "an object", &in.keys)
}

// objects reads a list of at most most objects.
func (o object) objects(key string, most int) []object {
	var list []map[string]json.RawMessage
	if !o.value(key, "a list of objects", &list) {
		return nil
	}
	if len(list) > most {
		o.refuse(key, kaijutsu.ErrTooLarge, "%d of them: at most %d", len(list), most)
		return nil
	}
	in := make([]object, len(list))
	for i, keys := range list {
		in[i] = object{keys, fmt.Sprintf("%s%s[%d].", o.path, key, i), o.bad}
	}
	return in
}

// entries reads those of a list that are objects, none of them if it has more
// than most entries. What is wrong in one of them is noted in it alone.
func (o object) entries(key string, most int) []object {
	var list []json.RawMessage
	if json.Unmarshal(o.keys[key], &list) != nil || len(list) > most {
		return nil
	}
	var in []object
	for i, raw := range list {
		if entry, err := parseObject(raw); err == nil {
			entry.path = fmt.Sprintf("%s%s[%d].", o.path, key, i)
			in = append(in, entry)
		}
	}
	return in
}

// principal reads who somebody is; nobody, if the key is absent.
func (o object) principal(key string) kaijutsu.Principal {
	in, ok := o.object(key)
	if !ok {
		return kaijutsu.Principal{}
	}
	in.only("name", "kind")
	p := kaijutsu.Principal{Name: in.text("name", maxNameBytes), Kind: kaijutsu.PrincipalKind(in.text("kind", maxNameBytes))}
	if why := wrongPrincipal(p); why != "" {
		o.refuse(key, kaijutsu.ErrInvalid, "%s", why)
	}
	return p
}

// only refuses every key but these.
func (o object) only(known ...string) {
	left := len(o.keys)
	for _, key := range known {
		if _, there := o.keys[key]; there {
			left--
		}
	}
	if left > 0 {
		o.refuse(o.unknown(known), kaijutsu.ErrInvalid, "no such key; want %s", strings.Join(known, ", "))
	}
}

// unknown returns the first key, in order, that is not among those known.
func (o object) unknown(known []string) string {
	first := ""
	for key := range o.keys {
		if !slices.Contains(known, key) && (first == "" || key < first) {
			first = key
		}
	}
	return fmt.Sprintf("%.64s", first)
}

// wrongPrincipal says what is wrong with a principal that somebody named.
func wrongPrincipal(p kaijutsu.Principal) string {
	switch {
	case p.Name == "" || len(p.Name) > maxNameBytes || !utf8.ValidString(p.Name):
		return fmt.Sprintf("want a name of 1 to %d bytes", maxNameBytes)
	case p.Kind != kaijutsu.Person && p.Kind != kaijutsu.Agent && p.Kind != kaijutsu.Service:
		return fmt.Sprintf("kind %.64q: want person, agent or service", p.Kind)
	}
	return ""
}
