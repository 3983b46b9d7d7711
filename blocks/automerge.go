package blocks

// The functions of automerge-c 0.5.0 that the engine needs, declared by hand:
// automerge-go carries the library, and its header cannot be included from
// another module. The Go API is not used: it frees nothing before a garbage
// collection, has no rollback, and writes milliseconds into a field of seconds.

/*
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct AMactorId AMactorId;
typedef struct AMchange AMchange;
typedef struct AMdoc AMdoc;
typedef struct AMitem AMitem;
typedef struct AMobjId AMobjId;
typedef struct AMresult AMresult;
typedef struct AMbyteSpan { const uint8_t *src; size_t count; } AMbyteSpan;
typedef struct AMitems { uint8_t detail[8+8+8]; } AMitems;

AMresult *AMactorIdFromBytes(const uint8_t *src, size_t count);
AMbyteSpan AMchangeRawBytes(const AMchange *change);
AMresult *AMcommit(AMdoc *doc, AMbyteSpan message, const int64_t *timestamp);
AMresult *AMcreate(const AMactorId *actor_id);
AMresult *AMgetChangeByHash(AMdoc *doc, const uint8_t *src, size_t count);
AMresult *AMgetHeads(AMdoc *doc);
AMresult *AMlistPutStr(AMdoc *doc, const AMobjId *obj_id, size_t pos, bool insert, AMbyteSpan value);
AMresult *AMlistRange(const AMdoc *doc, const AMobjId *obj_id, size_t begin, size_t end, const AMitems *heads);
AMresult *AMloadIncremental(AMdoc *doc, const uint8_t *src, size_t count);
AMresult *AMmapDelete(AMdoc *doc, const AMobjId *obj_id, AMbyteSpan key);
AMresult *AMmapGet(const AMdoc *doc, const AMobjId *obj_id, AMbyteSpan key, const AMitems *heads);
AMresult *AMmapGetAll(const AMdoc *doc, const AMobjId *obj_id, AMbyteSpan key, const AMitems *heads);
AMresult *AMmapPutObject(AMdoc *doc, const AMobjId *obj_id, AMbyteSpan key, uint8_t obj_type);
AMresult *AMmapPutStr(AMdoc *doc, const AMobjId *obj_id, AMbyteSpan key, AMbyteSpan value);
size_t AMobjSize(const AMdoc *doc, const AMobjId *obj_id, const AMitems *heads);
uint8_t AMobjObjType(const AMdoc *doc, const AMobjId *obj_id);
size_t AMpendingOps(const AMdoc *doc);
size_t AMrollback(AMdoc *doc);
AMresult *AMsetActorId(AMdoc *doc, const AMactorId *actor_id);
AMresult *AMspliceText(AMdoc *doc, const AMobjId *obj_id, size_t pos, ptrdiff_t del, AMbyteSpan text);
AMresult *AMtext(const AMdoc *doc, const AMobjId *obj_id, const AMitems *heads);

const AMobjId *AMitemObjId(const AMitem *item);
bool AMitemToActorId(const AMitem *item, const AMactorId **value);
bool AMitemToChange(AMitem *item, AMchange **value);
bool AMitemToChangeHash(const AMitem *item, AMbyteSpan *value);
bool AMitemToDoc(AMitem *item, AMdoc **value);
bool AMitemToStr(const AMitem *item, AMbyteSpan *value);
uint32_t AMitemValType(const AMitem *item);
AMitem *AMitemsNext(AMitems *items, ptrdiff_t n);
AMbyteSpan AMresultError(const AMresult *result);
void AMresultFree(AMresult *result);
AMitem *AMresultItem(AMresult *result);
AMitems AMresultItems(AMresult *result);
uint8_t AMresultStatus(const AMresult *result);

enum { objList = 1, objMap = 2, objText = 3 };
enum { valVoid = 1 << 0, valObject = 1 << 12, valString = 1 << 13 };

// Byte strings come as pointer and length, so that no Go pointer is inside
// what is passed.
static AMbyteSpan span(const uint8_t *s, size_t n) { AMbyteSpan b = { s, n }; return b; }

static AMresult *kjGet(AMdoc *d, const AMobjId *o, const uint8_t *k, size_t nk) { return AMmapGet(d, o, span(k, nk), NULL); }
static AMresult *kjGetAll(AMdoc *d, const AMobjId *o, const uint8_t *k, size_t nk) { return AMmapGetAll(d, o, span(k, nk), NULL); }
static AMresult *kjPutStr(AMdoc *d, const AMobjId *o, const uint8_t *k, size_t nk, const uint8_t *s, size_t ns) {
	return AMmapPutStr(d, o, span(k, nk), span(s, ns));
}
static AMresult *kjPutObject(AMdoc *d, const AMobjId *o, const uint8_t *k, size_t nk, uint8_t kind) {
	return AMmapPutObject(d, o, span(k, nk), kind);
}
static AMresult *kjDelete(AMdoc *d, const AMobjId *o, const uint8_t *k, size_t nk) { return AMmapDelete(d, o, span(k, nk)); }
static AMresult *kjSplice(AMdoc *d, const AMobjId *o, size_t pos, ptrdiff_t del, const uint8_t *s, size_t ns) {
	return AMspliceText(d, o, pos, del, span(s, ns));
}
static AMresult *kjPush(AMdoc *d, const AMobjId *o, const uint8_t *s, size_t ns) {
	return AMlistPutStr(d, o, SIZE_MAX, true, span(s, ns));
}
static AMresult *kjList(AMdoc *d, const AMobjId *o) { return AMlistRange(d, o, 0, SIZE_MAX, NULL); }
static AMresult *kjCommit(AMdoc *d, const uint8_t *s, size_t ns, int64_t at) { return AMcommit(d, span(s, ns), &at); }

// kjSpan reads the bytes of an item: a string, a change hash or a change.
static AMbyteSpan kjSpan(AMitem *item) {
	AMbyteSpan b = { NULL, 0 };
	AMchange *c;
	if (AMitemToStr(item, &b) || AMitemToChangeHash(item, &b)) return b;
	if (AMitemToChange(item, &c)) return AMchangeRawBytes(c);
	return b;
}
static AMdoc *kjDoc(AMitem *item) { AMdoc *d = NULL; AMitemToDoc(item, &d); return d; }
static AMresult *kjSetActor(AMdoc *d, AMitem *item) {
	const AMactorId *a = NULL;
	AMitemToActorId(item, &a);
	return AMsetActorId(d, a);
}

// kjTrim gives freed memory back to the system: glibc keeps it otherwise.
static void kjTrim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
*/
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
	loaded  int           // bytes
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
	if a.loaded >= trimBytes {
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
	a.loaded += len(chunks)
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
	return slices.Clone(view(C.kjSpan(item))), nil
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
