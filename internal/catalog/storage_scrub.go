package catalog

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/store"
)

// Storage is what the operations on the disk work on.
type Storage interface {
	// StartScrub begins to read everything and compare it, and returns at once.
	StartScrub() error
	// Mend sets a damaged document aside and fills it again.
	Mend(context.Context, kaijutsu.DocumentID) (Mended, error)
	// Check returns how the disk's check stands.
	Check() StorageCheck
}

// StorageCheck is what is known of damage on the disk.
type StorageCheck struct {
	Scrub    *ScrubRow    `json:"scrub,omitempty" jsonschema:"The check of everything that is under way. Absent: none is."`
	Last     *ScrubbedRow `json:"last_scrub,omitempty" jsonschema:"The last check that was finished. Absent: there was none yet."`
	Damaged  int          `json:"damaged,omitempty" jsonschema:"Documents that cannot be read as they were written, as far as they were read since the start."`
	Which    []DamagedRow `json:"damaged_documents,omitempty" jsonschema:"At most 100 of them."`
	SetAside uint64       `json:"set_aside,omitempty" jsonschema:"Damaged documents that were set aside since the start, to be filled again."`
	Healed   int64        `json:"healed,omitempty" jsonschema:"Damaged documents that were filled again since the start."`
	Repaired uint64       `json:"repaired_tables,omitempty" jsonschema:"Damaged files that were repaired since the start."`
	Failures uint64       `json:"failures,omitempty" jsonschema:"Writes that the disk failed at since the start."`
	Ballast  int64        `json:"ballast_bytes,omitempty" jsonschema:"Kept to be given up when the disk is full. Absent: it was, or there was no room yet."`
}

// ScrubRow is a check of everything that is under way.
type ScrubRow struct {
	Began         string `json:"began"`
	Tables        int    `json:"tables"`
	TablesDone    int    `json:"tables_done"`
	Documents     uint64 `json:"documents"`
	DocumentsDone uint64 `json:"documents_done"`
	Bytes         int64  `json:"bytes" jsonschema:"Read so far."`
	Damaged       int    `json:"damaged" jsonschema:"What was found damaged so far."`
}

// ScrubbedRow is a check that was finished.
type ScrubbedRow struct {
	Ended     string `json:"ended"`
	TookMS    int64  `json:"took_ms"`
	Documents uint64 `json:"documents"`
	Bytes     int64  `json:"bytes"`
	Damaged   int    `json:"damaged"`
}

// DamagedRow is a document that cannot be read as it was written.
type DamagedRow struct {
	Document string `json:"document"`
	Why      string `json:"why"`
	Since    string `json:"since"`
}

// maxDamagedRows is how many damaged documents are listed.
const maxDamagedRows = 100

// StorageCheckOf says it as the operations do.
func StorageCheckOf(s store.Stats, damaged []store.Damage, healed int64) StorageCheck {
	out := StorageCheck{
		Damaged: len(damaged), SetAside: s.SetAside, Healed: healed, Repaired: s.Repaired, Failures: s.Failures, Ballast: s.BallastBytes,
	}
	if p := s.Scrub; p != nil {
		out.Scrub = &ScrubRow{
			Began: p.Began.Format(time.RFC3339), Tables: p.Tables, TablesDone: p.TablesDone,
			Documents: p.Documents, DocumentsDone: p.DocumentsDone, Bytes: p.Bytes, Damaged: p.Damaged,
		}
	}
	if l := s.Scrubbed; !l.Ended.IsZero() {
		out.Last = &ScrubbedRow{Ended: l.Ended.Format(time.RFC3339), TookMS: l.Took.Milliseconds(), Documents: l.Documents, Bytes: l.Bytes, Damaged: l.Damaged}
	}
	for _, d := range damaged[:min(len(damaged), maxDamagedRows)] {
		out.Which = append(out.Which, DamagedRow{Document: d.Doc.String(), Why: d.Why, Since: d.Since.Format(time.RFC3339)})
	}
	return out
}

type storageScrubIn struct {
	Start *bool `json:"start,omitempty" jsonschema:"False: only tell how the last one or the one that is under way fares. Default true."`
}

func (o *operations) storageScrub() *op.Op {
	return op.Define(op.Spec{
		Name: "storage_scrub", Title: "Check everything on the disk", Command: []string{"storage", "scrub"},
		Summary:     "Read everything on the disk and compare it with its checksums and hashes",
		Description: "It runs in the background and is slow on purpose only when nobody asked for it; start=false and server_status tell how far it is. When one is under way, no other is begun. Damaged documents are listed; where another node holds them they are healed without anybody's doing.",
		Scope:       op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Reads,
		Examples: examplesOf("storage_scrub"),
	}, func(_ context.Context, _ op.Call, in storageScrubIn) (StorageCheck, error) {
		s := o.parts.Storage
		if s == nil {
			return StorageCheck{}, errNoStorage
		}
		if in.Start == nil || *in.Start {
			if err := s.StartScrub(); err != nil {
				return StorageCheck{}, err
			}
		}
		return s.Check(), nil
	})
}

var errNoStorage = fmt.Errorf("nobody tells of the disk: %w", kaijutsu.ErrUnavailable)
