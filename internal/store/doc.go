// Package store keeps documents and small server records durably, on Badger,
// which no other package imports.
//
// # What holds
//
// Durable, then visible: when Commit returns nil the write is on disk, and no
// reader sees it before. A write is there in full or not at all, whatever
// ends the process or the machine. What is read is what was written, or an
// error that names the key: every value carries a checksum over its key and
// itself, every log of a document is counted, and so are documents, records
// and outbox entries, because Badger skips what it finds damaged.
//
// # Group commit
//
// One goroutine, the committer, writes. It takes what queued while it waited
// for the disk (at most 1000 rows or 448 KiB), puts it into one transaction,
// and waits for the disk once (where Badger would sync its value log as well,
// see allocate_linux.go). There is no timer: an idle store commits at once.
//
// Anything larger than 128 KiB goes ahead in parts of 192 KiB, under a blob
// number that nothing refers to; the row that makes it visible comes last. A
// chore row promises to delete the parts and goes with the first of them; the
// last transaction deletes the chore.
//
// # Rows
//
// Numbers in keys are 8 bytes, most significant first; <id> is a length byte
// and the raw document id.
//
//	!kaijutsu/state     format version, commit counter, how many documents,
//	                    records and outbox entries there are, next numbers
//	d <id>              document: counts, heads, first live row, snapshot blob;
//	                    anchor; what comes before its log, and in which other
//	                    document while no snapshot holds it (a fork)
//	c <id> <index>      change: hash unless derived, bytes; or a segment:
//	                    many changes in a blob
//	a <id> <position>   actor: principal, via, time; or a segment
//	b <number> <part>   part of a blob (part: 4 bytes)
//	o <sequence>        outbox entry, or the blob that holds it; those that are
//	                    there are the last so many
//	r <name>            record; the store's own are "store/storage_id" and
//	                    "store/deleted/" with a raw document id
//	x <number>          chore: rows to delete
//
// A value is a format byte, a kind byte, the payload's length, the payload,
// and a CRC-32C over key and value. Rows behind a document's counts, and
// blobs without a row that refers to them, do not exist for readers.
//
// Outbox entries are numbered without gaps, and only the oldest are ever
// deleted: by one number in the state row, and a chore for the rows. So reading
// begins where there is something, wherever that is.
//
// # Files
//
// DIR/badger is Badger's. DIR/lock is held while the store is open. DIR/hwm
// is the high-water mark: the commit counter, written and synced once a
// second and by Close, off the path of acknowledgement. Open refuses a
// database that is behind it, and one whose log holds writes behind the point
// where Badger would stop replaying. It looks before Badger does, which would
// cut the log and delete tables; when the loss is accepted, what is cut or
// deleted is kept in DIR/lost. Single wrong bits in the manifest and in the
// headers of logs are corrected first, by their checksums. Damage in the very last write of a log, within
// a second of a crash, cannot be told from the crash.
//
// # Damage
//
// A table in which a checksum does not match, found by a lookup, by the reading
// of all tables after Open or by Scrub, is replaced while the database is
// reopened: a single wrong bit is corrected; of a block in which more is wrong
// those rows remain whose own checksums match. The table as it was goes to
// DIR/lost, with a file beside it that says between which keys rows are gone.
// Rows there that were written before and may be stale are made unreadable (kind
// 10), and what is counted is counted anew. A document that lost rows is
// damaged, and that costs nobody else anything: Damaged lists it, SetAside moves
// its rows to a file in DIR/lost, and it can be filled again.
//
// # Disk
//
// Before each batch the free space is compared with a reserve (64 MiB unless
// said otherwise). Below it writes fail with ErrUnavailable and reads go on;
// when space returns, so do writes, within a second and without anybody's
// trying. After a failed write or fsync, also of Badger's own goroutines, Badger
// is reopened before it writes again, and its manifest is written anew; before
// that a file is written, synced and given as much space as reopening takes.
// DIR/ballast is a file that is deleted when there is no room to close, or to
// open after a crash, and made again when there is.
//
// Badger writes to files it has mapped, and when the disk has no room for a
// page the kernel ends the process (SIGBUS). On Linux its files get their
// space before they are mapped, and tables wait for it; see allocate_linux.go.
// Elsewhere there is only the reserve.
//
// # Goroutines
//
// The committer; the keeper, once a second, for the mark; the sweeper, for
// chores; one that reads every table once after Open. Close ends them all. Scrub
// runs in its caller's.
//
// # What it does not do
//
// It does not know what a change means: order, dependencies and hashes are
// the caller's. It does not follow a fork to its base. It has no caches of
// documents, no time-to-live and no value log. Its durability is that of fsync:
// on macOS that does not reach the platter (Badger does not ask for
// F_FULLFSYNC), so there it holds for crashes of the process, not for power
// loss. Windows is not supported.
package store
