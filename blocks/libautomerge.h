// The functions of automerge-c 0.5.0 that the engine needs, declared by hand:
// automerge-go carries the library, and its header cannot be included from
// another module; and functions that spare the Go side a call or a struct.

#ifndef KJ_LIBAUTOMERGE_H
#define KJ_LIBAUTOMERGE_H

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

#endif
