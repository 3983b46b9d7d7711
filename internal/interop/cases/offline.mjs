// Cut off and back again, and clients that start anew from their own storage.
import * as A from "@automerge/automerge"
import { Repo } from "@automerge/automerge-repo"
import { NodeFSStorageAdapter } from "@automerge/automerge-repo-storage-nodefs"
import { equal, headsOf, ok, sameHeads } from "../lib/check.mjs"
import { connected, disconnected, find, saved, serverStorage } from "../lib/client.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("offline")

test("both sides write while one is cut off", {}, async t => {
  const proxy = await t.proxy()
  const amy = await t.client("amy", { via: proxy })
  const ben = await t.client("ben")
  const a = amy.create({ text: "middle", list: [1] })
  const b = await find(ben, a.url)
  proxy.offline()
  await disconnected(amy)
  for (let n = 0; n < 20; n++) {
    a.change(d => A.splice(d, ["text"], 0, 0, "a"))
    b.change(d => A.splice(d, ["text"], d.text.length, 0, "b"))
  }
  a.change(d => d.list.push("amy"))
  b.change(d => d.list.push("ben"))
  ok(!b.doc().text.includes("a"), "something travelled while cut off")
  proxy.online()
  await until(() => sameHeads(a, b), "equal heads")
  equal(a.doc().text, "a".repeat(20) + "middle" + "b".repeat(20), "text")
  equal([...a.doc().list].map(String).sort(), ["1", "amy", "ben"], "list")
})

test("both clients are cut off and write into the same words", {}, async t => {
  const proxy = await t.proxy()
  const [amy, ben] = [await t.client("amy", { via: proxy }), await t.client("ben", { via: proxy })]
  const a = amy.create({ text: "The cat sat." })
  const b = await find(ben, a.url)
  proxy.offline()
  await disconnected(amy, ben)
  a.change(d => A.splice(d, ["text"], 4, 3, "dog"))
  b.change(d => A.splice(d, ["text"], 8, 3, "slept"))
  proxy.online()
  await until(() => sameHeads(a, b), "equal heads")
  equal(a.doc().text, "The dog slept.", "text")
})

test("a document made while cut off is uploaded", {}, async t => {
  const proxy = await t.proxy()
  proxy.offline()
  const amy = t.offlineClient("amy", { via: proxy })
  const a = amy.create({ made: "offline" })
  for (let n = 0; n < 50; n++) a.change(d => (d.n = n))
  proxy.online()
  await connected(amy)
  const b = await find(await t.client("ben"), a.url)
  await until(() => sameHeads(a, b), "equal heads")
  equal(b.doc(), { made: "offline", n: 49 }, "document")
})

test("a client started anew from its own storage brings what it wrote offline", {}, async t => {
  const storage = t.dir()
  const ben = await t.client("ben")
  const first = await t.client("amy", { storage })
  const a = first.create({ log: ["online"] })
  const b = await find(ben, a.url)
  await first.flush()
  first.adapter.disconnect()

  const alone = new Repo({ storage: new NodeFSStorageAdapter(storage), saveDebounceRate: 10 })
  const offline = await alone.find(a.url)
  offline.change(d => d.log.push("offline"))
  await alone.flush()
  b.change(d => d.log.unshift("elsewhere"))

  const again = await t.client("amy", { storage })
  const back = await find(again, a.url)
  await until(() => sameHeads(back, b) && b.doc().log.length === 3, "everything everywhere")
  equal(b.doc().log, ["elsewhere", "online", "offline"], "log")
  const late = await find(await t.client("late"), a.url)
  equal(late.doc(), b.doc(), "what a late joiner sees")
})

test("a client that lost its storage gets everything back", {}, async t => {
  const storage = t.dir()
  const first = await t.client("amy", { storage })
  const a = first.create({ keep: "me" })
  await until(() => saved(a, serverStorage(first)), "the server to have it")
  first.adapter.disconnect()
  const again = await t.client("amy", { storage: t.dir() })
  equal((await find(again, a.url)).doc(), { keep: "me" }, "document")
})

// The server's answers vanish on the way and then the connection breaks: a
// server that remembers what it had sent would never send it again.
test("changes lost on the way with the connection come again", { strict: true }, async t => {
  const proxy = await t.proxy()
  const amy = await t.client("amy", { via: proxy })
  const ben = await t.client("ben")
  const a = amy.create({ n: 0 })
  const b = await find(ben, a.url)
  for (let round = 1; round <= 4; round++) {
    proxy.swallowing = true
    b.change(d => (d.n = round))
    await until(() => saved(b, serverStorage(ben)), "the server to have ben's edit")
    b.change(d => (d.m = round))
    await until(() => saved(b, serverStorage(ben)), "the server to have ben's second edit")
    proxy.cut()
    await disconnected(amy)
    proxy.swallowing = false
    await connected(amy)
    await until(() => a.doc().n === round && a.doc().m === round, `round ${round} to arrive`)
    a.change(d => (d.echo = round))
    await until(() => b.doc().echo === round, `the echo of round ${round}`)
  }
})

test("a connection that breaks twenty times in a row stays in step", { ms: 240_000 }, async t => {
  const proxy = await t.proxy()
  const amy = await t.client("amy", { via: proxy, retry: 30 })
  const ben = await t.client("ben")
  const a = amy.create({ log: [] })
  const b = await find(ben, a.url)
  for (let n = 0; n < 20; n++) {
    proxy.cut()
    ;(n % 2 ? a : b).change(d => d.log.push(n))
    await until(() => a.doc().log.length === n + 1 && b.doc().log.length === n + 1, `entry ${n}`)
  }
  await until(() => sameHeads(a, b), "equal heads")
})

test("Repo-level disconnect and reconnect resume", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ n: 0 })
  const b = await find(ben, a.url)
  amy.networkSubsystem.disconnect()
  await disconnected(amy)
  a.change(d => (d.n = 1))
  b.change(d => (d.m = 1))
  amy.networkSubsystem.reconnect()
  await until(() => sameHeads(a, b) && b.doc().n === 1 && a.doc().m === 1, "both edits on both sides")
  equal(headsOf(a), headsOf(b), "heads")
})
