package blocks

// The library of automerge-go is called directly. Its Go API frees nothing
// before a garbage collection, has no rollback, and writes milliseconds into a
// field of seconds.

// #include "libautomerge.h"
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	_ "github.com/automerge/automerge-go" // links the library

	"kaijutsu"
)

// automergeEngine is the engine of automerge-go: automerge-rs 0.5.0 in a static
// library. A panic inside ends the process.
type automergeEngine struct {
	doc     *C.AMdoc
	owner   *C.AMresult   // holds doc
	results []*C.AMresult // hold the objects handed out since the last commit
	held    int           // bytes of the changes in it
}

// trimBytes is how large a document has to be for its memory to be given back
// to the system, which takes a millisecond or more.
const trimBytes = 64 << 10

// newAutomerge returns an empty document. It must be freed.
func newAutomerge() (*automergeEngine, error) {
	r := C.AMcreate(nil)
	item, err := check(r)
	if err != nil {
		C.AMresultFree(r)
		return nil, err
	}
	return &automergeEngine{doc: C.kjDoc(item), owner: r}, nil
}

func (a *automergeEngine) free() {
	a.release()
	C.AMresultFree(a.owner)
	a.doc, a.owner = nil, nil
	if a.held >= trimBytes {
		C.kjTrim()
	}
}

// release frees the results that objects live in.
func (a *automergeEngine) release() {
	for _, r := range a.results {
		C.AMresultFree(r)
	}
	a.results = a.results[:0]
}

func (a *automergeEngine) load(chunks []byte) error {
	if len(chunks) == 0 {
		return nil
	}
	a.held += len(chunks)
	return done(C.AMloadIncremental(a.doc, bytePtr(chunks), C.size_t(len(chunks))))
}

func (a *automergeEngine) heads() (kaijutsu.Heads, error) {
	r := C.AMgetHeads(a.doc)
	defer C.AMresultFree(r)
	if _, err := check(r); err != nil {
		return nil, err
	}
	var hashes []kaijutsu.ChangeHash
	for item := range items(r) {
		hashes = append(hashes, kaijutsu.ChangeHash(view(C.kjSpan(item))))
	}
	return kaijutsu.NewHeads(hashes...), nil
}

func (a *automergeEngine) setActor(id kaijutsu.ActorID) error {
	r := C.AMactorIdFromBytes(strPtr(string(id)), C.size_t(len(id)))
	defer C.AMresultFree(r)
	item, err := check(r)
	if err != nil {
		return err
	}
	return done(C.kjSetActor(a.doc, item))
}

func (a *automergeEngine) pending() int { return int(C.AMpendingOps(a.doc)) }

func (a *automergeEngine) commit(message string, at time.Time) ([]byte, error) {
	defer a.release()
	// The field holds seconds; nothing in the library converts it.
	r := C.kjCommit(a.doc, strPtr(message), C.size_t(len(message)), C.int64_t(at.Unix()))
	defer C.AMresultFree(r)
	item, err := check(r)
	if err != nil {
		return nil, err
	}
	hash := C.kjSpan(item)
	change := C.AMgetChangeByHash(a.doc, hash.src, hash.count)
	defer C.AMresultFree(change)
	if item, err = check(change); err != nil {
		return nil, err
	}
	raw := slices.Clone(view(C.kjSpan(item)))
	a.held += len(raw)
	return raw, nil
}

func (a *automergeEngine) rollback() {
	a.release()
	C.AMrollback(a.doc)
}

func (a *automergeEngine) get(m engineObject, key string) (engineValue, error) {
	r := C.kjGet(a.doc, pointer(m), strPtr(key), C.size_t(len(key)))
	item, err := check(r)
	if err != nil || item == nil {
		C.AMresultFree(r)
		return engineValue{}, err
	}
	v := a.value(item)
	if v.obj != nil {
		a.results = append(a.results, r)
	} else {
		C.AMresultFree(r)
	}
	return v, nil
}

func (a *automergeEngine) all(m engineObject, key string) ([]engineValue, error) {
	r := C.kjGetAll(a.doc, pointer(m), strPtr(key), C.size_t(len(key)))
	a.results = append(a.results, r)
	if _, err := check(r); err != nil {
		return nil, err
	}
	var values []engineValue
	for item := range items(r) {
		values = append(values, a.value(item))
	}
	return values, nil
}

// value reads an item. An object in it lives as long as its result.
func (a *automergeEngine) value(item *C.AMitem) engineValue {
	switch C.AMitemValType(item) {
	case C.valVoid:
		return engineValue{}
	case C.valString:
		return engineValue{kind: engineString, str: string(view(C.kjSpan(item)))}
	case C.valObject:
		id := C.AMitemObjId(item)
		switch C.AMobjObjType(a.doc, id) {
		case C.objMap:
			return engineValue{kind: engineMap, obj: id}
		case C.objList:
			return engineValue{kind: engineList, obj: id}
		case C.objText:
			return engineValue{kind: engineText, obj: id}
		}
	}
	return engineValue{kind: engineScalar}
}

func (a *automergeEngine) putString(m engineObject, key, s string) error {
	return done(C.kjPutStr(a.doc, pointer(m), strPtr(key), C.size_t(len(key)), strPtr(s), C.size_t(len(s))))
}

func (a *automergeEngine) putObject(m engineObject, key string, kind engineKind) (engineObject, error) {
	types := map[engineKind]C.uint8_t{engineMap: C.objMap, engineList: C.objList, engineText: C.objText}
	r := C.kjPutObject(a.doc, pointer(m), strPtr(key), C.size_t(len(key)), types[kind])
	a.results = append(a.results, r)
	item, err := check(r)
	if err != nil {
		return nil, err
	}
	return C.AMitemObjId(item), nil
}

func (a *automergeEngine) remove(m engineObject, key string) error {
	return done(C.kjDelete(a.doc, pointer(m), strPtr(key), C.size_t(len(key))))
}

func (a *automergeEngine) text(t engineObject) (string, error) {
	r := C.AMtext(a.doc, pointer(t), nil)
	defer C.AMresultFree(r)
	item, err := check(r)
	if err != nil {
		return "", err
	}
	return string(view(C.kjSpan(item))), nil
}

func (a *automergeEngine) size(o engineObject) int { return int(C.AMobjSize(a.doc, pointer(o), nil)) }

func (a *automergeEngine) splice(t engineObject, pos, del int, s string) error {
	return done(C.kjSplice(a.doc, pointer(t), C.size_t(pos), C.ptrdiff_t(del), strPtr(s), C.size_t(len(s))))
}

func (a *automergeEngine) strings(l engineObject) ([]string, error) {
	r := C.kjList(a.doc, pointer(l))
	defer C.AMresultFree(r)
	if _, err := check(r); err != nil {
		return nil, err
	}
	var out []string
	for item := range items(r) {
		v := a.value(item)
		switch v.kind {
		case engineString:
			out = append(out, v.str)
		case engineText:
			s, err := a.text(v.obj)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
	return out, nil
}

func (a *automergeEngine) push(l engineObject, s string) error {
	return done(C.kjPush(a.doc, pointer(l), strPtr(s), C.size_t(len(s))))
}

// pointer returns the pointer behind an object; the root map has none.
func pointer(o engineObject) *C.AMobjId {
	id, _ := o.(*C.AMobjId)
	return id
}

// check returns the first item of a result, nil if it has none.
func check(r *C.AMresult) (*C.AMitem, error) {
	if C.AMresultStatus(r) == 0 {
		return C.AMresultItem(r), nil
	}
	reason := strings.ToValidUTF8(string(view(C.AMresultError(r))), "?")
	return nil, fmt.Errorf("automerge: %s: %w", reason, kaijutsu.ErrInvalid)
}

// done checks and frees a result that holds nothing of interest.
func done(r *C.AMresult) error {
	defer C.AMresultFree(r)
	_, err := check(r)
	return err
}

// items yields the items of a result.
func items(r *C.AMresult) func(yield func(*C.AMitem) bool) {
	return func(yield func(*C.AMitem) bool) {
		all := C.AMresultItems(r)
		for {
			item := C.AMitemsNext(&all, 1)
			if item == nil || !yield(item) {
				return
			}
		}
	}
}

// strPtr and bytePtr return where the bytes are, for the time of one call.
func strPtr(s string) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.StringData(s))) }

func bytePtr(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(b))) }

// view returns bytes of the library, good until their result is freed.
func view(b C.AMbyteSpan) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(b.src)), int(b.count))
}
