package torture

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"kaijutsu"
)

// historyFormat is the version of the format of histories.
const historyFormat = 1

// What an entry of a history says.
const (
	saysRun     = "run"     // the beginning: seed, nodes, how long
	saysPlanned = "planned" // a strike of the schedule: Node, What, Ms from the beginning of the load
	saysWho     = "who"     // Who joins in, as the principal Name with Role, at Node, through the door What
	saysTry     = "try"     // Who sends an edit: Doc, Hash when it is known, Mark when it leaves one
	saysAck     = "ack"     // it was acknowledged, after Ms; 0: it was noticed later
	saysLate    = "late"    // it was not, over a connection that stood, within Ms
	saysCut     = "cut"     // a connection of Who's was ended from the other side: What
	saysServed  = "served"  // Who was given what only somebody with its rights gets: What
	saysRevoke  = "revoke"  // the rights of the principal Name are being taken away, at Node
	saysRevoked = "revoked" // and were, as the answer says
	saysStrike  = "strike"  // the fault What begins, at Node; N is its number
	saysOver    = "over"    // and is over
	saysDown    = "down"    // Node was killed; What, when by something else than kill -9
	saysUp      = "up"      // Node serves again, after Ms
	saysDied    = "died"    // Node ended by itself: What
	saysLog     = "log"     // Node's log has What
	saysMemory  = "memory"  // Node has N MiB resident
	saysHas     = "has"     // Node exports of Doc what it exported before, and Add, and not Gone; Final at the end
	saysShows   = "shows"   // Node lists Doc, at Heads, as Digest says; its changes up to there add up to Want
	saysText    = "text"    // Node blames a text of Doc: Runs; at the end
	saysWrong   = "wrong"   // what was checked while it ran, and Check found: What
	saysEnd     = "end"     // the history is whole
)

// Entry is one line of a history: what happened, when, to whom. The fields that
// it does not need are absent.
type Entry struct {
	At   float64 `json:"at"` // seconds from the beginning of the history
	Says string  `json:"says"`

	Who  string  `json:"who,omitempty"`  // a writer
	Name string  `json:"name,omitempty"` // a principal
	Role string  `json:"role,omitempty"`
	Node string  `json:"node,omitempty"`
	Doc  string  `json:"doc,omitempty"`
	Hash string  `json:"hash,omitempty"` // of a change, shortened
	Mark string  `json:"mark,omitempty"`
	What string  `json:"what,omitempty"`
	N    int     `json:"n,omitempty"`
	Ms   float64 `json:"ms,omitempty"`

	Heads  string `json:"heads,omitempty"`
	Digest string `json:"digest,omitempty"`
	Want   string `json:"want,omitempty"`
	Final  bool   `json:"final,omitempty"`

	Add  []string `json:"add,omitempty"`
	Gone []string `json:"gone,omitempty"`
	Runs []byWhom `json:"runs,omitempty"`

	Check string `json:"check,omitempty"`

	Format int    `json:"format,omitempty"`
	Seed   uint64 `json:"seed,omitempty"`
	Plant  string `json:"plant,omitempty"` // the bug that is in the servers on purpose
	Rival  bool   `json:"rival,omitempty"` // the server is another one: it has no operations
	Memory int    `json:"memory_limit_mib,omitempty"`
}

// byWhom is a piece of text and who wrote it.
type byWhom struct {
	By   string `json:"by"`
	Via  string `json:"via,omitempty"`
	Text string `json:"text"`
}

// short is a change hash as histories have it.
func short(h kaijutsu.ChangeHash) string { return h.String()[:20] }

// history records what happens, one entry a line. The nil history records
// nothing. It is safe for concurrent use.
type history struct {
	began time.Time

	mu     sync.Mutex
	file   *os.File
	w      *bufio.Writer
	failed error
}

func createHistory(path string) (*history, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &history{began: time.Now(), file: f, w: bufio.NewWriterSize(f, 1<<16)}, nil
}

// note records an entry as of now.
func (h *history) note(e Entry) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e.At = float64(time.Since(h.began).Microseconds()) / 1e6
	line, err := json.Marshal(e)
	if err == nil {
		_, err = h.w.Write(append(line, '\n'))
	}
	h.failed = errors.Join(h.failed, err)
}

// close writes what is left, and says whether all was written.
func (h *history) close() error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return errors.Join(h.failed, h.w.Flush(), h.file.Close())
}

// maxEntryBytes bounds a line of a history.
const maxEntryBytes = 256 << 20

// readHistory reads a history; the error wraps kaijutsu.ErrInvalid when it is
// none. One whose end is missing is read as far as it goes.
func readHistory(r io.Reader) ([]Entry, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), maxEntryBytes)
	var all []Entry
	for lines.Scan() {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d of the history: %w: %w", len(all)+1, kaijutsu.ErrInvalid, err)
		}
		all = append(all, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	if len(all) == 0 || all[0].Says != saysRun {
		return nil, fmt.Errorf("it does not begin as a history: %w", kaijutsu.ErrInvalid)
	}
	if all[0].Format > historyFormat {
		return nil, fmt.Errorf("a history of format %d, this program reads %d: %w: use a newer one", all[0].Format, historyFormat, kaijutsu.ErrInvalid)
	}
	return all, nil
}
