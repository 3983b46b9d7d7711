// Documents between clients: made, found, edited together.
import * as A from "@automerge/automerge"
import { equal, headsOf, ok, random, sameHeads } from "../lib/check.mjs"
import { find } from "../lib/client.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { pace, until } from "../lib/wait.mjs"

inGroup("sync")

test("a document that one client makes is found by another", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const made = amy.create({ title: "Plan", steps: ["one", "two"], nested: { deep: { n: 1 } } })
  const found = await find(ben, made.url)
  equal(found.doc(), made.doc(), "what ben found")
  equal(headsOf(found), headsOf(made), "heads")
})

test("edits travel both ways", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ turn: 0 })
  const b = await find(ben, a.url)
  for (let n = 1; n <= 12; n++) {
    const [from, to] = n % 2 ? [a, b] : [b, a]
    from.change(d => (d.turn = n))
    await until(() => to.doc().turn === n, `turn ${n}`)
  }
  ok(sameHeads(a, b), "heads differ after the last turn")
})

test("three people typing into one text lose no character", {}, async t => {
  const repos = await t.clients("amy", "ben", "cleo")
  const first = repos[0].create({ text: "" })
  const handles = [first, await find(repos[1], first.url), await find(repos[2], first.url)]
  const letters = ["a", "b", "c"]
  await Promise.all(
    handles.map(async (handle, who) => {
      for (let i = 0; i < 120; i++) {
        handle.change(d => A.splice(d, ["text"], random(d.text.length + 1), 0, letters[who]))
        if (i % 6 === 0) await pace(4)
      }
    }),
  )
  await until(() => sameHeads(...handles), "equal heads")
  const { text } = first.doc()
  for (const handle of handles) equal(handle.doc().text, text, "text")
  for (const letter of letters) equal(text.split(letter).length - 1, 120, `count of ${letter}`)
})

test("typed words stay whole when others type beside them", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ text: "| " })
  const b = await find(ben, a.url)
  const type = async (handle, word, before) => {
    for (const letter of word) {
      // The caret follows its own last letter, as in an editor.
      handle.change(d => {
        const at = before ? d.text.indexOf("|") : d.text.length
        A.splice(d, ["text"], at, 0, letter)
      })
      await pace(2)
    }
  }
  await Promise.all([type(a, "synchronised", true), type(b, "everywhere", false)])
  await until(() => sameHeads(a, b), "equal heads")
  equal(b.doc().text, "synchronised| everywhere", "text")
})

test("concurrent inserts and deletes in a list converge", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ list: [] })
  const b = await find(ben, a.url)
  await Promise.all(
    [a, b].map(async (handle, who) => {
      for (let i = 0; i < 80; i++) {
        handle.change(d => {
          if (d.list.length > 6 && random(3) === 0) d.list.splice(random(d.list.length), 1)
          else d.list.splice(random(d.list.length + 1), 0, { who, i, text: `item ${i}` })
        })
        if (i % 5 === 0) await pace(4)
      }
    }),
  )
  await until(() => sameHeads(a, b), "equal heads")
  equal(b.doc(), a.doc(), "list")
})

test("late joiners see everything while others go on writing", {}, async t => {
  const amy = await t.client("amy")
  const a = amy.create({ log: [] })
  let writing = true
  const writer = (async () => {
    for (let i = 0; writing; i++) {
      a.change(d => d.log.push(i))
      await pace(5)
    }
  })()
  const handles = [a]
  for (let n = 0; n < 6; n++) {
    const late = await find(await t.client(`late${n}`), a.url)
    const had = a.doc().log.length
    await until(() => late.doc().log.length >= had, "what was written before")
    late.change(d => (d[`hello${n}`] = true))
    handles.push(late)
  }
  writing = false
  await writer
  await until(() => sameHeads(...handles), "equal heads")
  for (let n = 0; n < 6; n++) ok(a.doc()[`hello${n}`], `greeting of late joiner ${n} is missing`)
  equal(a.doc().log, [...a.doc().log.keys()], "log")
})

test("sixty documents share one connection", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const made = Array.from({ length: 60 }, (_, n) => amy.create({ n, text: `document ${n}` }))
  const found = await Promise.all(made.map(handle => find(ben, handle.url)))
  for (const [n, handle] of found.entries()) handle.change(d => (d.answer = n * n))
  await until(() => made.every((handle, n) => handle.doc().answer === n * n), "an answer in each document")
  await until(() => made.every((handle, n) => sameHeads(handle, found[n])), "equal heads in each")
})

test("one document's edits do not reach a client that has only another", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const [secret, open] = [amy.create({ n: 0 }), amy.create({ n: 0 })]
  const raw = await t.raw()
  const seen = await find(ben, open.url)
  raw.about(open.documentId, "request", { data: A.generateSyncMessage(A.init(), A.initSyncState())[1] })
  await raw.wait(m => m.type === "sync" && m.documentId === open.documentId, "the open document")
  for (let n = 1; n <= 20; n++) secret.change(d => (d.n = n))
  open.change(d => (d.n = 1))
  await until(() => seen.doc().n === 1, "the edit of the open document")
  await raw.barrier()
  equal(raw.received.filter(m => m.documentId === secret.documentId).length, 0, "frames about the other document")
})

test("a thousand changes open cold with their history", { ms: 240_000 }, async t => {
  const amy = await t.client("amy")
  const a = amy.create({ blocks: {} })
  for (let n = 0; n < 1000; n++) a.change(d => (d.blocks[`b${n}`] = { n, kind: new A.ImmutableString("text"), text: `Block ${n}: the quick brown fox.` }))
  const storage = [...amy.peers].map(peer => amy.getStorageIdOfPeer(peer))[0]
  await until(() => headsOf(a) === [...(a.getSyncInfo(storage)?.lastHeads ?? [])].sort().join(" "), "the server to have everything")
  amy.adapter.disconnect()
  const ben = await t.client("ben")
  const began = performance.now()
  const b = await find(ben, a.url)
  await until(() => sameHeads(a, b), "equal heads")
  const took = Math.round(performance.now() - began)
  equal(Object.keys(b.doc().blocks).length, 1000, "blocks")
  equal(A.getAllChanges(b.doc()).length, A.getAllChanges(a.doc()).length, "changes")
  b.change(d => A.splice(d, ["blocks", "b500", "text"], 0, 0, "edited "))
  return `${took} ms`
})

test("a value of three mebibytes travels both ways", { ms: 240_000 }, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const bytes = seed => Uint8Array.from({ length: 3 << 20 }, () => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 16) & 255)
  const a = amy.create({ from: "amy", bytes: bytes(1) })
  const b = await find(ben, a.url)
  ok(Buffer.compare(b.doc().bytes, bytes(1)) === 0, "amy's bytes arrived changed")
  b.change(d => (d.reply = bytes(2)))
  await until(() => a.doc().reply?.length === 3 << 20, "ben's bytes")
  ok(Buffer.compare(a.doc().reply, bytes(2)) === 0, "ben's bytes arrived changed")
})

test("a hundred connections that come and go leave nothing behind", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ n: 0 })
  const b = await find(ben, a.url)
  for (let round = 0; round < 5; round++) {
    const raws = await Promise.all(Array.from({ length: 20 }, () => t.raw()))
    const data = A.generateSyncMessage(A.init(), A.initSyncState())[1]
    for (const raw of raws) raw.about(a.documentId, "request", { data })
    for (const [i, raw] of raws.entries()) i % 2 ? raw.close() : raw.socket.close()
    b.change(d => (d.n = round + 1))
    await until(() => a.doc().n === round + 1, `the edit of round ${round}`)
  }
})
