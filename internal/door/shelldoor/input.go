package shelldoor

import (
	"fmt"
	"os"
	"strings"
)

// TextMark begins an argument that ProtectText has marked; no argument of a
// process can hold a NUL.
const TextMark = "\x00"

// ProtectText marks arguments such as "- one more thing", which begin with a
// dash and cannot be flags, so that they are taken as text.
func ProtectText(args []string) []string {
	marked := make([]string, len(args))
	for i, arg := range args {
		marked[i] = arg
		if len(arg) > 1 && arg[0] == '-' && !strings.ContainsRune("-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", rune(arg[1])) {
			marked[i] = TextMark + arg
		}
	}
	return marked
}

// PlainText takes the marks of ProtectText away.
func PlainText(args []string) {
	for i := range args {
		args[i] = strings.TrimPrefix(args[i], TextMark)
	}
}

// fileText returns the text that an argument means: "@FILE" the file's,
// "@@name" the text "@name", anything else itself.
func fileText(s string) (string, error) {
	name, isFile := strings.CutPrefix(s, "@")
	switch {
	case !isFile:
		return s, nil
	case strings.HasPrefix(name, "@"):
		return name, nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("%w; a text that begins with @ is written @@", err)
	}
	return string(b), nil
}
