package limit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"kaijutsu"
)

// Parse reads "name=value", with a value as ParseValue takes it.
func Parse(text string) (Name, int64, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return "", 0, fmt.Errorf("limit %.64q: %w: want name=value, as %s=100", text, kaijutsu.ErrInvalid, Operations)
	}
	if _, ok := indexOf(Name(name)); !ok {
		return "", 0, unknown(Name(name))
	}
	n, err := ParseValue(value)
	if err != nil {
		return "", 0, fmt.Errorf("limit %s: %w", name, err)
	}
	return Name(name), n, nil
}

// suffixes are what a number may end with.
var suffixes = []struct {
	text   string
	factor int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"k", 1000}, {"M", 1_000_000}}

// ParseValue reads a whole number, which may end with k, M, KiB, MiB or GiB. "none"
// is 0.
func ParseValue(text string) (int64, error) {
	if text == "none" {
		return 0, nil
	}
	factor := int64(1)
	number := text
	for _, s := range suffixes {
		if rest, ok := strings.CutSuffix(text, s.text); ok {
			number, factor = rest, s.factor
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("value %.64q: %w: want a whole number such as 200, 10k or 64MiB, or none", text, kaijutsu.ErrInvalid)
	}
	return n * factor, nil
}

func unknown(name Name) error {
	names := make([]string, len(rules))
	for i := range rules {
		names[i] = string(rules[i].Name)
	}
	return fmt.Errorf("limit %.64q: %w; there are %s", name, kaijutsu.ErrNotFound, strings.Join(names, ", "))
}
