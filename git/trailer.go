package git

import (
	"slices"
	"strings"
	"unicode"
)

// Trailer is a line "Key: Value" in the last paragraph of a message.
type Trailer struct{ Key, Value string }

// AddTrailers returns the cleaned message with the trailers at the end of its
// last paragraph, if that is one of trailers, else in a paragraph of their own.
// Trailers that are there already are not added again. Keys keep only letters,
// digits and "-"; a value becomes one line; what is empty then is left out. An
// empty message stays empty: trailers alone are no message.
func AddTrailers(msg string, trailers []Trailer) string {
	msg = CleanMessage(msg)
	if msg == "" {
		return ""
	}
	there := make(map[string]bool)
	msg, comments := cutComments(msg)
	block := trailerBlock(msg)
	for _, line := range block {
		there[line] = true
	}
	var b strings.Builder
	b.WriteString(msg)
	sep := "\n"
	if len(block) > 0 {
		sep = ""
	}
	for _, t := range trailers {
		line, ok := t.line()
		if !ok || there[line] {
			continue
		}
		there[line] = true
		b.WriteString(sep + line + "\n")
		sep = ""
	}
	b.WriteString(comments)
	return b.String()
}

// cutComments parts a message before the lines that begin with "#" at its end,
// which git does not take for a part of the last paragraph.
func cutComments(msg string) (body, comments string) {
	body = msg
	for body != "" {
		line := body[strings.LastIndexByte(body[:len(body)-1], '\n')+1:]
		if line != "\n" && line[0] != '#' {
			break
		}
		body = body[:len(body)-len(line)]
	}
	if body == "" {
		return msg, ""
	}
	return body, msg[len(body):]
}

func (t Trailer) line() (string, bool) {
	key := strings.Map(func(r rune) rune {
		if !isKeyRune(r) {
			return -1
		}
		return r
	}, t.Key)
	value := strings.Join(strings.FieldsFunc(t.Value, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
	return key + ": " + value, key != "" && value != ""
}

func isKeyRune(r rune) bool {
	return r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// Trailers returns the trailers of a message, as git interpret-trailers
// --parse prints them: continued lines joined by a space.
func Trailers(msg string) []Trailer {
	var out []Trailer
	open := false // the line before was a trailer, or went on with one
	body, _ := cutComments(CleanMessage(msg))
	for _, line := range trailerBlock(body) {
		if line[0] == ' ' || line[0] == '\t' {
			if n := len(out); open {
				out[n-1].Value = strings.TrimSpace(out[n-1].Value + " " + strings.TrimSpace(line))
			}
			continue
		}
		var key, value string
		if key, value, open = cutTrailer(line); open {
			out = append(out, Trailer{key, strings.TrimSpace(value)})
		}
	}
	return out
}

// trailerBlock returns the lines of the last paragraph of a cleaned message if
// git takes it for trailers: it is not the first paragraph, and all its lines
// are trailers, or a quarter of them with one that git itself writes. See
// git-interpret-trailers(1).
func trailerBlock(msg string) []string {
	msg = strings.TrimSuffix(msg, "\n")
	at := strings.LastIndex(msg, "\n\n")
	if at < 0 {
		return nil
	}
	lines := slices.DeleteFunc(strings.Split(msg[at+2:], "\n"), func(line string) bool { return line[0] == '#' })
	trailers, others, own, after := 0, 0, false, false
	for _, line := range lines {
		_, _, ok := cutTrailer(line)
		switch {
		case isOwnTrailer(line):
			trailers, own, after = trailers+1, true, true
		case line[0] == ' ' || line[0] == '\t':
			if !after {
				others++
			}
		case ok:
			trailers, after = trailers+1, true
		default:
			others, after = others+1, false
		}
	}
	if trailers > 0 && others == 0 || own && trailers*3 >= others {
		return lines
	}
	return nil
}

func isOwnTrailer(line string) bool {
	return strings.HasPrefix(line, "Signed-off-by: ") || strings.HasPrefix(line, "(cherry picked from commit ")
}

func cutTrailer(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	key = strings.TrimRight(key, " \t")
	return key, value, ok && key != "" && strings.IndexFunc(key, func(r rune) bool { return !isKeyRune(r) }) < 0
}
