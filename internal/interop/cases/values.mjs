// What documents hold: every type, history, marks.
import * as A from "@automerge/automerge"
import { equal, headsOf, ok, sameHeads } from "../lib/check.mjs"
import { disconnected, find } from "../lib/client.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("values")

test("every type of value arrives as it was sent", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const all = {
    text: "plain, é, 👩‍👩‍👧‍👦, e\u0301, \u0000, \uFFFD, \u2028",
    scalar: new A.ImmutableString("scalar é😀"),
    empty: "",
    int: 42,
    negative: -7,
    zero: 0,
    float: 0.1 + 0.2,
    huge: 1.7976931348623157e308,
    tiny: 5e-324,
    beyond: 2n ** 60n,
    belowZero: -(2n ** 60n),
    safe: Number.MAX_SAFE_INTEGER,
    yes: true,
    no: false,
    nothing: null,
    date: new Date(-1),
    later: new Date("2199-12-31T23:59:59.999Z"),
    bytes: new Uint8Array([0, 1, 127, 128, 255]),
    noBytes: new Uint8Array(),
    counter: new A.Counter(-3),
    list: [1, "two", 3.5, null, [true, [new Date(0)]], {}, []],
    map: { "key with é 😀": 1, "a.b": { "/": 1 } },
  }
  const a = amy.create(all)
  const b = await find(ben, a.url)
  equal(b.doc(), a.doc(), "the document")
  equal(headsOf(b), headsOf(a), "heads")
  b.change(d => {
    d.bytes = new Uint8Array(300).fill(9)
    d.date = new Date(1e12)
    d.list[1] = "zwei"
    delete d.yes
    d.counter.increment(10)
  })
  await until(() => a.doc().counter.value === 7, "ben's changes")
  equal(a.doc(), b.doc(), "the document after ben's changes")
})

test("a document nested two hundred deep arrives", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ top: {} })
  a.change(d => {
    let at = d.top
    for (let n = 0; n < 200; n++) {
      at[`level${n}`] = n % 2 ? [{}] : {}
      at = n % 2 ? at[`level${n}`][0] : at[`level${n}`]
    }
    at.bottom = "reached"
  })
  const b = await find(ben, a.url)
  await until(() => sameHeads(a, b), "equal heads")
  ok(JSON.stringify(b.doc()).includes("reached"), "the bottom is missing")
})

test("counters add up whoever counts", {}, async t => {
  const repos = await t.clients("amy", "ben", "cleo", "dan")
  const first = repos[0].create({ counter: new A.Counter(100) })
  const handles = [first, ...(await Promise.all(repos.slice(1).map(repo => find(repo, first.url))))]
  for (let n = 0; n < 40; n++) for (const [who, handle] of handles.entries()) handle.change(d => d.counter.increment(who - 1))
  await until(() => sameHeads(...handles), "equal heads")
  for (const handle of handles) equal(handle.doc().counter.value, 100 + 40 * (-1 + 0 + 1 + 2), "counter")
})

test("both sides of a conflict are kept and the same side wins everywhere", {}, async t => {
  const proxy = await t.proxy()
  const amy = await t.client("amy", { via: proxy })
  const [ben, cleo] = await t.clients("ben", "cleo")
  const a = amy.create({ colour: "none", gone: 1 })
  const b = await find(ben, a.url)
  proxy.offline()
  await disconnected(amy)
  a.change(d => ((d.colour = "red"), (d.gone = 2)))
  b.change(d => ((d.colour = "blue"), delete d.gone))
  proxy.online()
  await until(() => sameHeads(a, b), "equal heads")
  const c = await find(cleo, a.url)
  await until(() => sameHeads(a, c), "equal heads")
  const sides = Object.values(A.getConflicts(a.doc(), "colour")).sort()
  equal(sides, ["blue", "red"], "conflict")
  for (const handle of [b, c]) {
    equal(A.getConflicts(handle.doc(), "colour"), A.getConflicts(a.doc(), "colour"), "conflict elsewhere")
    equal(handle.doc(), a.doc(), "document")
  }
  equal(a.doc().gone, 2, "a value set beside its deletion")
})

test("marks and block markers arrive and merge", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ text: "Heading Bold words and a link" })
  const b = await find(ben, a.url)
  a.change(d => {
    A.mark(d, ["text"], { start: 8, end: 12, expand: "both" }, "bold", true)
    A.splitBlock(d, ["text"], 0, { type: new A.ImmutableString("heading"), parents: [], attrs: { level: 1 } })
  })
  b.change(d => A.mark(d, ["text"], { start: 25, end: 29, expand: "none" }, "link", "https://example.org/"))
  await until(() => sameHeads(a, b), "equal heads")
  b.change(d => {
    A.splitBlock(d, ["text"], 9, { type: new A.ImmutableString("paragraph"), parents: [], attrs: {} })
    A.unmark(d, ["text"], { start: 10, end: 12, expand: "none" }, "bold")
  })
  a.change(d => A.splice(d, ["text"], d.text.length, 0, "!"))
  await until(() => sameHeads(a, b), "equal heads")
  equal(A.spans(b.doc(), ["text"]), A.spans(a.doc(), ["text"]), "spans")
  equal(A.marks(b.doc(), ["text"]), A.marks(a.doc(), ["text"]), "marks")
  equal(A.spans(a.doc(), ["text"]).filter(s => s.type === "block").length, 2, "block markers")
  b.change(d => A.joinBlock(d, ["text"], 9))
  await until(() => A.spans(a.doc(), ["text"]).filter(s => s.type === "block").length === 1, "the joined block")
})

test("history, messages and times are what was written", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ n: 0 })
  const times = [1, 1_700_000_000, 4_000_000_000]
  for (const [n, time] of times.entries()) a.change(d => (d.n = n + 1), { message: `step ${n + 1}: é😀`, time })
  a.update(doc => A.emptyChange(doc, { message: "nothing but a word", time: 5 }))
  const past = a.history()
  const b = await find(ben, a.url)
  await until(() => sameHeads(a, b), "equal heads")
  const told = handle => A.getHistory(handle.doc()).map(s => [s.change.hash, s.change.message, s.change.time, s.change.seq])
  equal(told(b), told(a), "history")
  equal(told(b).slice(-4).map(([, message]) => message), ["step 1: é😀", "step 2: é😀", "step 3: é😀", "nothing but a word"], "messages")
  equal(b.history(), past, "heads of the past")
  for (const heads of past) equal(b.view(heads).doc(), a.view(heads).doc(), "the document as of then")
  const pinned = await ben.find(`${a.url}#${past[1][0]}`)
  equal(pinned.doc().n, 1, "the document opened at heads")
})

test("a document from a file keeps its changes", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  let doc = A.from({ title: "From a file", list: [] }, "aa".repeat(16))
  for (let n = 0; n < 30; n++) doc = A.change(doc, d => d.list.push(n))
  const fork = A.change(A.clone(doc, { actor: "bb".repeat(16) }), d => (d.forked = true))
  doc = A.merge(A.change(doc, d => (d.title = "Changed")), fork)
  const a = amy.import(A.save(doc))
  const b = await find(ben, a.url)
  equal(b.doc(), doc, "document")
  equal(headsOf(b), headsOf(a), "heads")
  equal(A.getAllChanges(b.doc()).length, A.getAllChanges(doc).length, "changes")
})
