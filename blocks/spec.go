package blocks

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// The most that one call writes. What editors write is not bound by it.
const (
	maxRecordBytes = 1 << 20 // a body or chunk
	maxTextRunes   = 50_000  // into a text, in code points
	maxFileRunes   = 600_000 // into one of kind file
	maxMetaBytes   = 64 << 10
	maxTitleBytes  = 4 << 10
	maxTxBytes     = amfile.MaxChunkBytes / 2 // in one transaction
	maxTxOps       = 200_000                  // in one transaction
	maxFileTxOps   = 900_000                  // in one, those on texts of files included
)

// maxText returns how many code points one call may write into a text of a
// block, and how many of a record become one.
func (k Kind) maxText() int {
	if k == KindFile {
		return maxFileRunes
	}
	return maxTextRunes
}

// BlockSpec describes a new block. Its zero fields take the defaults.
type BlockSpec struct {
	ID       ID       // required; never used before
	Parent   ID       // default the root; implied by Before and After
	Position Position // default Last; of a tool_result see Position
	Kind     Kind     // default KindText
	Role     Role     // default that of the kind: RoleModel of thinking and a tool_call, RoleTool of a tool_result, RoleSystem of shell_output and drift, else RoleUser
	Status   Status   // default StatusDone; StatusRunning of a tool_call, StatusError of a tool_result with is_error
	// Form is the field that holds the content; default FormText for what a
	// user writes, FormBody for a tool_call, else FormChunks until the status is
	// terminal, else FormBody.
	Form    Form
	Content string
	// Meta is a JSON object; default none. In that of a tool_result,
	// tool_call_id names the tool_call it hangs below.
	Meta string

	Collapsed, Excluded, Ephemeral bool
}

// withDefaults returns the spec with its defaults filled in, or an error that
// names the field that is wrong.
func (s BlockSpec) withDefaults() (BlockSpec, error) {
	if s.Kind == "" {
		s.Kind = KindText
	}
	if s.Role == "" {
		s.Role = s.Kind.speaker()
	}
	if s.Status == "" {
		s.Status = StatusDone
	}
	if s.Form == "" {
		switch {
		case s.Role == RoleUser:
			s.Form = FormText
		case s.Status.Terminal():
			s.Form = FormBody
		default:
			s.Form = FormChunks
		}
	}
	switch {
	case !isID(string(s.ID)):
		return s, kaijutsu.About("id", fmt.Errorf("id %.64q: want a UUID of %d lower-case characters: %w", s.ID, idChars, kaijutsu.ErrInvalid))
	case s.Parent != "" && !isID(string(s.Parent)):
		return s, kaijutsu.About("parent", fmt.Errorf("parent %.64q: want a UUID of %d lower-case characters: %w", s.Parent, idChars, kaijutsu.ErrInvalid))
	case !s.Kind.valid():
		return s, kaijutsu.About("kind", fmt.Errorf("kind %.64q: want at most %d lower-case letters and underscores: %w", s.Kind, maxKindBytes, kaijutsu.ErrInvalid))
	case !s.Role.valid():
		return s, kaijutsu.About("role", fmt.Errorf("role %.64q: want user, model, system or tool: %w", s.Role, kaijutsu.ErrInvalid))
	case s.Status.rank() == 0:
		return s, statusError(s.Status)
	case s.Form != FormText && s.Form != FormBody && s.Form != FormChunks:
		return s, kaijutsu.About("form", fmt.Errorf("form %.64q: want text, body or chunks: %w", s.Form, kaijutsu.ErrInvalid))
	}
	if err := checkMeta(s.Meta); err != nil {
		return s, err
	}
	return s, checkContent(s.Kind, s.Form, s.Content)
}

// speaker returns the role that a kind has by default.
func (k Kind) speaker() Role {
	switch k {
	case KindThinking, KindToolCall:
		return RoleModel
	case KindToolResult:
		return RoleTool
	case KindShellOutput, KindDrift:
		return RoleSystem
	}
	return RoleUser
}

func statusError(s Status) error {
	return kaijutsu.About("status", fmt.Errorf("status %.64q: want pending, running, done, error or cancelled: %w", s, kaijutsu.ErrInvalid))
}

// checkMeta accepts a JSON object, or nothing.
func checkMeta(meta string) error {
	switch {
	case meta == "":
		return nil
	case len(meta) > maxMetaBytes:
		return kaijutsu.About("meta", fmt.Errorf("meta of %d bytes: at most %d: %w", len(meta), maxMetaBytes, kaijutsu.ErrTooLarge))
	case !utf8.ValidString(meta) || !json.Valid([]byte(meta)) || !strings.HasPrefix(strings.TrimLeft(meta, " \t\r\n"), "{"):
		return kaijutsu.About("meta", fmt.Errorf("meta: want a JSON object: %w", kaijutsu.ErrInvalid))
	}
	return nil
}

// checkContent accepts what one call may write into a field.
func checkContent(kind Kind, form Form, s string) error {
	if !utf8.ValidString(s) {
		return kaijutsu.About("content", fmt.Errorf("content is not UTF-8: %w", kaijutsu.ErrInvalid))
	}
	if form == FormText {
		if n := utf8.RuneCountInString(s); n > kind.maxText() {
			return kaijutsu.About("content", fmt.Errorf("text of %d characters: at most %d at a time: %w", n, kind.maxText(), kaijutsu.ErrTooLarge))
		}
		return nil
	}
	if len(s) > maxRecordBytes {
		return kaijutsu.About("content", fmt.Errorf("content of %d bytes: at most %d at a time: %w", len(s), maxRecordBytes, kaijutsu.ErrTooLarge))
	}
	return nil
}
