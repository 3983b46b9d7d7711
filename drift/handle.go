package drift

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
)

// The bounds of a handle.
const (
	maxHandleBytes  = 8 << 10
	maxAddressBytes = 4 << 10 // a title is one
	maxHandleHeads  = 64
	minHeadDigits   = 8
	headDigits      = 64
	maxLine         = 1<<31 - 1
	uuidChars       = 36
	maxKernelBytes  = 32
)

// Handle names lines of a block as they were at some heads of its context. As
// text it is
//
//	context/block@heads#first-last
//
// where the canonical context is a UUID, and any other address is read too;
// "kernel:" may stand before it. Without heads it is what the block says now,
// without lines it is the whole block.
type Handle struct {
	// Kernel is empty for our own.
	Kernel string
	// Context is a UUID or any other address: a label, a title, ".parent".
	Context string
	Block   string // its UUID
	// Heads are full hashes, or unique beginnings of at least eight digits,
	// ascending and each once.
	Heads []string
	// First and Last are lines, from 1 and inclusive; both 0 for the whole block.
	First, Last int
}

// ParseHandle reads the text of a handle: what String writes, and also ranges
// such as #L3-L7 and #L3, heads in any order, and hexadecimal digits in upper
// case. Without a kernel, an address that holds a colon begins with one. The
// error wraps kaijutsu.ErrInvalid.
func ParseHandle(s string) (Handle, error) {
	var h Handle
	if len(s) > maxHandleBytes || !utf8.ValidString(s) {
		return h, badHandle(s, fmt.Sprintf("want at most %d bytes of UTF-8", maxHandleBytes))
	}
	slash := strings.LastIndexByte(s, '/')
	if slash < 0 || len(s)-slash-1 < uuidChars {
		return h, badHandle(s, "want context/block@heads#first-last, the block as a UUID")
	}
	rest := s[slash+1:]
	h.Block, rest = strings.ToLower(rest[:uuidChars]), rest[uuidChars:]
	rest, lines, ranged := strings.Cut(rest, "#")
	if rest != "" && (rest[0] != '@' || rest == "@") {
		return Handle{}, badHandle(s, "want @ and the heads, or # and the lines, behind the block")
	}
	if rest != "" {
		h.Heads = strings.Split(strings.ToLower(rest[1:]), ",")
		slices.Sort(h.Heads)
		h.Heads = slices.Compact(h.Heads)
	}
	if ranged {
		var ok bool
		if h.First, h.Last, ok = parseLines(lines); !ok {
			return Handle{}, badHandle(s, "want lines as #3 or #3-7, from 1")
		}
	}
	h.Kernel, h.Context = splitAddress(s[:slash])
	if err := h.Check(); err != nil {
		return Handle{}, err
	}
	return h, nil
}

// String returns the handle's canonical text, which ParseHandle reads back. Of
// a handle that Check refuses it is for the eyes only.
func (h Handle) String() string {
	var b strings.Builder
	if h.Kernel != "" || strings.Contains(withoutScheme(h.Context), ":") {
		b.WriteString(h.Kernel + ":")
	}
	b.WriteString(h.Context + "/" + h.Block)
	if len(h.Heads) > 0 {
		b.WriteString("@" + strings.Join(h.Heads, ","))
	}
	if h.First != 0 {
		b.WriteString("#" + strconv.Itoa(h.First))
	}
	if h.Last != h.First {
		b.WriteString("-" + strconv.Itoa(h.Last))
	}
	return b.String()
}

// Check returns an error that wraps kaijutsu.ErrInvalid and says what is wrong
// with the handle, if anything is.
func (h Handle) Check() error {
	_, blockErr := blocks.ParseID(h.Block)
	switch {
	case h.Kernel != "" && !isKernelName(h.Kernel):
		return badHandle(h.Kernel, "want a kernel's name before the colon: a to z, 0 to 9 and -")
	case !utf8.ValidString(h.Context) || len(h.Context) > maxAddressBytes || strings.TrimSpace(h.Context) != h.Context || h.Context == "":
		return badHandle(h.Context, "want the address of a context before the /")
	case isUpperUUID(h.Context):
		return badHandle(h.Context, "want the context's UUID in lower case")
	case strings.ContainsAny(h.Context, "\r\n") || strings.Contains(h.Context, "]]"):
		return badHandle(h.Context, "want an address of one line without ]]")
	case blockErr != nil:
		return badHandle(h.Block, "want the block's UUID behind the /")
	case len(h.Heads) > maxHandleHeads:
		return badHandle(h.Block, fmt.Sprintf("it has %d heads: want at most %d", len(h.Heads), maxHandleHeads))
	case h.First == 0 && h.Last != 0 || h.First < 0 || h.Last < h.First || h.Last > maxLine:
		return badHandle(fmt.Sprintf("#%d-%d", h.First, h.Last), "want lines as #3 or #3-7, from 1")
	}
	for i, head := range h.Heads {
		if len(head) < minHeadDigits || len(head) > headDigits || !isHex(head) {
			return badHandle(head, fmt.Sprintf("want each of the heads as %d to %d hexadecimal digits", minHeadDigits, headDigits))
		}
		if i > 0 && h.Heads[i-1] >= head {
			return badHandle(head, "want the heads ascending and each once")
		}
	}
	return nil
}

func badHandle(what, want string) error {
	return kaijutsu.About("handle", fmt.Errorf("handle %.100q: %s: %w", what, want, kaijutsu.ErrInvalid))
}

// splitAddress takes the kernel off an address. The scheme of an automerge URL
// is none; a colon at the very beginning says that there is none.
func splitAddress(s string) (kernel, context string) {
	if withoutScheme(s) != s {
		return "", s
	}
	kernel, context, found := strings.Cut(s, ":")
	if !found {
		return "", lowerUUID(s)
	}
	return kernel, lowerUUID(context)
}

func withoutScheme(s string) string { return strings.TrimPrefix(s, "automerge:") }

// lowerUUID puts a UUID into lower case and leaves everything else.
func lowerUUID(s string) string {
	if isUpperUUID(s) {
		return strings.ToLower(s)
	}
	return s
}

// isUpperUUID reports whether s is a UUID with a digit in upper case.
func isUpperUUID(s string) bool {
	if len(s) != uuidChars {
		return false
	}
	lower := strings.ToLower(s)
	_, err := blocks.ParseID(lower)
	return err == nil && lower != s
}

// parseLines reads 3, 3-7, L3 and L3-L7.
func parseLines(s string) (first, last int, ok bool) {
	from, to, ranged := strings.Cut(s, "-")
	if first, ok = parseLine(from); !ok || !ranged {
		return first, first, ok
	}
	last, ok = parseLine(to)
	return first, last, ok && first <= last
}

func parseLine(s string) (int, bool) {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "L"), "l")
	if s == "" || len(s) > 10 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && n <= maxLine
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// isKernelName reports whether s may name a kernel.
func isKernelName(s string) bool {
	return s != "" && len(s) <= maxKernelBytes && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
