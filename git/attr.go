package git

import "strings"

// Text says whether git converts line endings of a file.
type Text int

// The answers.
const (
	TextNo Text = iota
	TextYes
	TextAuto // if the content looks like text
)

// Attr is what the attributes and the configuration say of a path. The zero
// value: nothing is converted.
type Attr struct {
	Text     Text
	EOL      string // line endings on disk: "lf" or "crlf"; "" when nothing is converted
	Filter   string // name of a filter driver: the file is not what git stores
	Encoding string // working-tree-encoding: the file is not UTF-8 on disk
	Ident    bool   // $Id$ is expanded on disk
	Binary   bool   // no text by its attributes: binary, -text with -diff
}

// Editable reports whether a block may hold the file's text: what is on disk
// differs from what git stores in line endings only.
func (a Attr) Editable() bool {
	return a.Filter == "" && a.Encoding == "" && !a.Ident && !a.Binary
}

// attrState is the value of an attribute: attrSet, attrUnset, attrUnspecified,
// or a string.
type attrState string

const (
	attrSet         attrState = "\x00set"
	attrUnset       attrState = "\x00unset"
	attrUnspecified attrState = "\x00unspecified"
)

// value returns the string that an attribute has.
func (s attrState) value() (string, bool) {
	return string(s), s != "" && s[0] != 0
}

// The attributes that matter here; those that others look at are not computed.
const (
	attrText     = "text"
	attrCRLF     = "crlf" // what text was called once
	attrEOL      = "eol"
	attrDiff     = "diff"
	attrFilter   = "filter"
	attrIdent    = "ident"
	attrEncoding = "working-tree-encoding"
)

// newAttr computes what convert_attrs in git's convert.c does.
func newAttr(get func(string) attrState, c config) Attr {
	var a Attr
	a.Binary = get(attrText) == attrUnset && get(attrDiff) == attrUnset
	if name, ok := get(attrFilter).value(); ok {
		a.Filter = name
	}
	if name, ok := get(attrEncoding).value(); ok && !strings.EqualFold(name, "utf-8") && !strings.EqualFold(name, "utf8") {
		a.Encoding = name
	}
	a.Ident = get(attrIdent) == attrSet
	a.lineEndings(get, c)
	return a
}

func (a *Attr) lineEndings(get func(string) attrState, c config) {
	specified, text, eol := textAttr(get)
	if specified && text == TextNo {
		return
	}
	if s := get(attrEOL); s == "lf" || s == "crlf" {
		if eol = string(s); !specified {
			text = TextYes
		}
		a.Text, a.EOL = text, eol
		return
	}
	if eol != "" {
		a.Text, a.EOL = text, eol
		return
	}
	auto, _ := c.get("core.autocrlf")
	input := strings.EqualFold(auto, "input")
	convert := !input && c.flag("core.autocrlf", false)
	if !specified {
		if !input && !convert {
			return
		}
		text = TextAuto
	}
	a.Text, a.EOL = text, "lf"
	native, _ := c.get("core.eol")
	if convert || !input && strings.EqualFold(native, "crlf") {
		a.EOL = "crlf"
	}
}

// textAttr reads text, or crlf where text is not there. eol is set by
// crlf=input.
func textAttr(get func(string) attrState) (specified bool, text Text, eol string) {
	for _, name := range []string{attrText, attrCRLF} {
		switch get(name) {
		case attrSet:
			return true, TextYes, ""
		case attrUnset:
			return true, TextNo, ""
		case "auto":
			return true, TextAuto, ""
		case "input":
			return true, TextYes, "lf"
		}
	}
	return false, TextNo, ""
}
