// What the server says is saved is on its disk. SIGKILL gives it no chance to
// tidy up, and no client is left to heal it.
import * as A from "@automerge/automerge"
import { equal, headsOf, ok, random, sameHeads } from "../lib/check.mjs"
import { client, connected, disconnected, find, saved, serverStorage } from "../lib/client.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { pace, until } from "../lib/wait.mjs"

inGroup("durable")

test("what was acknowledged survives SIGKILL with no client left", { own: true, strict: true, ms: 240_000 }, async t => {
  const rounds = 12
  const kept = new Map() // url → what was acknowledged last
  for (let round = 0; round < rounds; round++) {
    const amy = client("amy", t.server.ws)
    await connected(amy)
    const storage = serverStorage(amy)
    const handle = kept.size && random(2) ? await find(amy, [...kept.keys()][random(kept.size)]) : amy.create({ log: [], text: "" })
    for (let n = 0; n <= random(25); n++) {
      handle.change(d => {
        d.log.push(`${round}.${n}`)
        A.splice(d, ["text"], random(d.text.length + 1), 0, "x")
      })
      if (random(3) === 0) await pace(random(4))
    }
    await until(() => saved(handle, storage), "the acknowledgement")
    await t.server.kill() // at once
    kept.set(handle.url, { heads: headsOf(handle), doc: handle.doc() })
    amy.adapter.disconnect()
    await t.server.start()
    const reader = client("reader", t.server.ws)
    await connected(reader)
    for (const [url, want] of kept) {
      const got = await find(reader, url)
      await until(() => headsOf(got) === want.heads, `the acknowledged heads of ${url} after kill ${round + 1}`)
      equal(got.doc(), want.doc, `the document after kill ${round + 1}`)
    }
    reader.adapter.disconnect()
  }
  return `${rounds} kills, ${kept.size} documents`
})

test("a kill in the middle of a stream of edits loses nothing that was acknowledged", { own: true, strict: true, ms: 240_000 }, async t => {
  const rounds = 8
  let acknowledgements = 0
  for (let round = 0; round < rounds; round++) {
    const amy = client("amy", t.server.ws)
    await connected(amy)
    const storage = serverStorage(amy)
    const handle = amy.create({ log: [] })
    let acknowledged = [] // the newest acknowledged heads
    handle.on("remote-heads", e => {
      if (e.storageId === storage) acknowledgements++, (acknowledged = e.heads)
    })
    const killAfter = 15 + random(60)
    for (let n = 0; n < killAfter; n++) {
      handle.change(d => d.log.push(n))
      await pace(random(6))
    }
    await until(() => acknowledged.length > 0, "a first acknowledgement")
    await t.server.kill()
    const want = acknowledged
    amy.adapter.disconnect()
    await t.server.start()
    const reader = client("reader", t.server.ws)
    await connected(reader)
    const found = await find(reader, handle.url)
    const history = new Set(found.history().flat())
    for (const head of want) ok(history.has(head), `round ${round}: acknowledged change ${head} is gone`)
    reader.adapter.disconnect()
  }
  return `${rounds} kills, ${acknowledgements} acknowledgements`
})

test("people go on writing while the server is killed and started again", { own: true, ms: 240_000 }, async t => {
  const proxy = await t.proxy()
  const repos = [await t.client("amy", { via: proxy }), await t.client("ben", { via: proxy })]
  const a = repos[0].create({ text: "", log: [] })
  const handles = [a, await find(repos[1], a.url)]
  let writing = true
  const writers = handles.map(async (handle, who) => {
    let n = 0
    for (; writing; n++) {
      handle.change(d => {
        d.log.push(`${who}.${n}`)
        A.splice(d, ["text"], d.text.length, 0, who ? "b" : "a")
      })
      await pace(8)
    }
    return n
  })
  for (let kill = 0; kill < 3; kill++) {
    await until(() => sameHeads(...handles) || a.doc().log.length > (kill + 1) * 60, "some writing")
    await t.server.kill()
    await disconnected(...repos)
    await t.server.start()
    await connected(...repos)
  }
  writing = false
  const wrote = await Promise.all(writers)
  await until(() => sameHeads(...handles), "equal heads", 30_000)
  equal(a.doc().log.length, wrote[0] + wrote[1], "entries")
  equal(a.doc().text.split("a").length - 1, wrote[0], "amy's characters")
  return `${wrote[0] + wrote[1]} edits, 3 kills`
})

test("the saved light is dark while the server has not answered", { own: true }, async t => {
  const proxy = await t.proxy()
  const amy = await t.client("amy", { via: proxy })
  const ben = await t.client("ben")
  const storage = serverStorage(amy)
  const a = amy.create({ n: 0 })
  const b = await find(ben, a.url)
  await until(() => saved(a, storage), "the light")

  proxy.swallowing = true // the edit arrives, the answer does not
  a.change(d => (d.n = 1))
  ok(!saved(a, storage), "the light stays on over an edit")
  await until(() => b.doc().n === 1, "the edit at ben's")
  ok(!saved(a, storage), "the light is on without an answer")
  proxy.offline()
  await disconnected(amy)
  a.change(d => (d.n = 2))
  ok(!saved(a, storage), "the light is on while cut off")
  proxy.swallowing = false
  proxy.online()
  await until(() => saved(a, storage), "the light after coming back")
  await until(() => b.doc().n === 2, "the second edit at ben's")

  t.server.child.kill("SIGSTOP") // a server that does nothing acknowledges nothing
  try {
    a.change(d => (d.n = 3))
    for (let n = 0; n < 20; n++) {
      await pace(10) // the client's own frame leaves within this
      ok(!saved(a, storage), "the light is on while the server stands still")
    }
  } finally {
    t.server.child.kill("SIGCONT")
  }
  await until(() => saved(a, storage), "the light when the server goes on")
})

test("a client with nothing to send learns that all is saved", {}, async t => {
  const storage = t.dir()
  const first = await t.client("amy", { storage })
  const a = first.create({ n: 1 })
  const server = serverStorage(first)
  await until(() => saved(a, server), "the light")
  await first.flush()
  first.adapter.disconnect()
  const again = await t.client("amy", { storage })
  equal(serverStorage(again), server, "the server's storage id")
  const handle = await find(again, a.url)
  await until(() => saved(handle, server), "the light of a client that is in step")
})

test("the server keeps its storage id and its documents over a restart", { own: true }, async t => {
  const amy = await t.client("amy")
  const storage = serverStorage(amy)
  const handles = []
  for (let n = 0; n < 5; n++) {
    const handle = amy.create({ n })
    handle.change(d => (d.marked = new A.Counter(n)), { message: `document ${n}` })
    handles.push(handle)
  }
  await until(() => handles.every(h => saved(h, storage)), "the light of each")
  amy.adapter.disconnect()
  await t.server.kill("SIGTERM")
  await t.server.start()
  const ben = await t.client("ben")
  equal(serverStorage(ben), storage, "storage id")
  for (const [n, handle] of handles.entries()) {
    const found = await find(ben, handle.url)
    equal(headsOf(found), headsOf(handle), "heads")
    equal(A.getHistory(found.doc()).at(-1).change.message, `document ${n}`, "message")
  }
})
