import assert from "node:assert/strict"
import * as A from "@automerge/automerge/slim"
import { Repo, type DocHandle } from "@automerge/automerge-repo/slim"
import { test } from "vitest"
import { ContextModel } from "./model"
import { newBlockID, pageOf, type Block, type ContextDoc } from "./schema"
import { chance, contextOf, emptyContext, putRaw, str } from "./testing/contexts"

/** Everything that a model says of a document. */
const said = (model: ContextModel) => ({ title: model.title, rows: model.rows, all: model.everything().map(b => [b.id, model.parentOf(b.id), model.children(b.id)]), deleted: model.deleted() })

/** Lets what others wrote into a document, as it comes from the network. */
const receive = (handle: DocHandle<ContextDoc>, other: A.Doc<ContextDoc>) => handle.update(doc => A.merge(doc, other))

function watched(model: ContextModel) {
  const told: string[] = []
  model.subscribe("rows", () => told.push("rows"))
  model.subscribe("title", () => told.push("title"))
  for (const { id } of model.rows) model.subscribe({ block: id }, () => told.push(id))
  return told
}

const quiet = (model: ContextModel) => new Promise<void>(resolve => model.subscribe("any", resolve))

test("typing reads one block anew and tells one subscriber, at once", () => {
  const { handle, ids } = contextOf("one", "two", "three")
  const model = new ContextModel(handle)
  const told = watched(model)
  const { rows } = model
  const before = ids.map(id => model.block(id))
  handle.change(doc => A.splice(doc, [...before[1]!.path, "text"], 3, 0, "!"))
  assert.deepEqual(told, [ids[1]])
  assert.equal(model.block(ids[1]!)?.content, "two!")
  assert.deepEqual([model.block(ids[0]!), model.block(ids[2]!)], [before[0], before[2]])
  assert.equal(model.rows, rows)
})

test("what others do is told together", async () => {
  const { handle, ids } = contextOf("one", "two")
  const model = new ContextModel(handle)
  const told = watched(model)
  let other = A.clone(handle.doc() as A.Doc<ContextDoc>)
  for (const letter of "abc") {
    other = A.change(other, doc => A.splice(doc, ["pages", pageOf(ids[0]!), ids[0]!, "text"], 0, 0, letter))
    receive(handle, other)
  }
  assert.deepEqual(told, [])
  assert.equal(model.block(ids[0]!)?.content, "cbaone") // who asks hears the truth
  await quiet(model)
  assert.deepEqual(told, [ids[0]])
})

test("patches are told as they come, with whose they are", () => {
  const { handle, ids } = contextOf("one")
  const model = new ContextModel(handle)
  const told: [string, boolean][] = []
  model.onPatches((patches, { local }) => told.push([patches[0]!.action, local]))
  receive(handle, A.change(A.clone(handle.doc() as A.Doc<ContextDoc>), doc => A.splice(doc, ["title"], 0, 0, "x")))
  handle.change(doc => void (doc.pages[pageOf(ids[0]!)]![ids[0]!]!.collapsed = true))
  assert.deepEqual(told, [["splice", false], ["put", true]])
})

test("a title is told", () => {
  const { handle } = contextOf("one")
  const model = new ContextModel(handle)
  const told = watched(model)
  handle.change(doc => A.updateText(doc, ["title"], "Plan"))
  assert.deepEqual([model.title, told], ["Plan", ["title"]])
})

test("a place is found", () => {
  const { handle, ids } = contextOf("one", "two", "three")
  const model = new ContextModel(handle)
  handle.change(doc => void (doc.pages[pageOf(ids[0]!)]![ids[0]!]!.deleted = true))
  assert.deepEqual(ids.map(id => model.indexOf(id)), [-1, 0, 1])
  assert.deepEqual(model.deleted().map(b => b.id), [ids[0]])
  assert.equal(model.size, 2)
})

test("what streams grows piece by piece", () => {
  const { handle } = contextOf()
  const model = new ContextModel(handle)
  const id = newBlockID()
  const path = ["pages", pageOf(id), id]
  handle.change(doc => putRaw(doc, id, { status: str("running"), chunks: [] }))
  const block = (doc: ContextDoc) => doc.pages[pageOf(id)]![id]!
  for (const piece of ["a", "b"]) handle.change(doc => void block(doc).chunks!.push(str(piece)))
  assert.equal(model.block(id)?.content, "ab")
  handle.change(doc => void block(doc).chunks!.push(str("c"), str("d")))
  handle.change(doc => void (block(doc) as { chunks: unknown[] }).chunks.push({}, 7, str("e")))
  handle.change(doc => void A.insertAt(block(doc).chunks!, 0, str("!")))
  assert.equal(model.block(id)?.content, "!abcde")
  handle.change(doc => {
    block(doc).chunks!.push(str("f"))
    block(doc).status = str("done")
  })
  assert.deepEqual([model.block(id)?.content, model.block(id)?.status], ["!abcdef", "done"])
  handle.change(doc => {
    block(doc).body = str("all of it")
    delete block(doc).chunks
  })
  assert.deepEqual([model.block(id)?.content, model.block(id)?.form, model.block(id)?.path], ["all of it", "body", path])
})

test("a model after any changes is the model built anew", () => {
  for (let seed = 1; seed <= 15; seed++) {
    const random = chance(seed)
    const { handle } = contextOf()
    const model = new ContextModel(handle)
    model.subscribe("rows", () => {})
    let others = [A.clone(handle.doc() as A.Doc<ContextDoc>), A.clone(handle.doc() as A.Doc<ContextDoc>)]
    const ids = Array.from({ length: 10 }, () => newBlockID())
    const seen: Block[] = []
    for (let round = 0; round < 40; round++) {
      const edit = (doc: ContextDoc) => disturb(doc, ids[random(ids.length)]!, ids[random(ids.length)]!, random)
      if (random(2)) handle.change(edit)
      else others = others.map((doc, n) => (n === random(2) ? A.change(doc, edit) : doc))
      if (random(3) === 0) receive(handle, others[random(2)]!)
      if (random(5) === 0) others = others.map(doc => A.merge(doc, A.clone(handle.doc() as A.Doc<ContextDoc>)))
      if (random(2)) continue // several changes are taken in at once
      const anew = new ContextModel(handle)
      assert.deepEqual(said(model), said(anew), `seed ${seed}, round ${round}`)
      for (const id of ids) assert.deepEqual(model.block(id), anew.block(id), `seed ${seed}, round ${round}`)
      anew.close()
      seen.push(...model.everything())
    }
    assert.ok(seen.length > 0)
    model.close()
  }
})

/** Does something to a block, as a sound or a hostile client might. */
function disturb(doc: ContextDoc, id: string, other: string, random: (below: number) => number): void {
  const page = doc.pages[pageOf(id)]!
  const block = page[id] as Record<string, any> | undefined
  if (!block || typeof block !== "object") return putRaw(doc, id, { text: "new", order: str("a" + random(4)), ...(random(2) ? { parent: str(other) } : {}) })
  const acts: (() => void)[] = [
    () => (block.parent = str(other)),
    () => (block.parent = str("")),
    () => (block.order = str("a" + random(4))),
    () => (block.status = str(["pending", "running", "done", "error", "cancelled", "odd"][random(6)]!)),
    () => (block.status = [7, null, true, "running"][random(4)]),
    () => (block.deleted = random(2) === 0),
    () => (block.collapsed = [true, false, "yes"][random(3)]),
    () => (block.excluded = true),
    () => typeof block.text === "string" && A.splice(doc as any, ["pages", pageOf(id), id, "text"], 0, random(2), "typed"),
    () => (block.text = "another"),
    () => delete block.text,
    () => (block.chunks = [str("c")]),
    () => Array.isArray(block.chunks) && block.chunks.push(str("+"), random(3) ? str("-") : {}),
    () => Array.isArray(block.chunks) && block.chunks.length > 0 && block.chunks.splice(0, 1),
    () => (block.body = random(2) ? str("body") : 5),
    () => (block.kind = random(2) ? str("comment") : 9),
    () => (block.meta = str("{}")),
    () => delete page[id],
    () => (doc.pages[pageOf(id)] = random(2) ? ({} as never) : (7 as never)),
    () => (doc.pages[pageOf(id)] = { [id]: { text: "put back" } } as never),
    () => ((doc as any).pages.zz = { [id]: { text: "wrong page" } }),
    () => (doc.title = String(random(9))),
    () => ((page as any)[id] = random(2) ? "no block" : null),
  ]
  const usual = random(4) > 0
  acts[random(usual ? 13 : acts.length)]!()
}

test("what is no context any more leaves the model as it was, until it is one again", () => {
  const { handle, ids } = contextOf("one")
  const model = new ContextModel(handle)
  handle.change(doc => void ((doc as { schema: unknown }).schema = 2))
  assert.equal(model.block(ids[0]!)?.content, "one")
  model.close()
})

test("ten thousand blocks: a keystroke touches one, a new block no others", () => {
  const handle = new Repo().import<ContextDoc>(A.save(emptyContext()))
  const ids = Array.from({ length: 10_000 }, () => newBlockID())
  handle.change(doc => ids.forEach((id, n) => putRaw(doc, id, { order: str("b" + String(n).padStart(5, "0")), body: str(`block ${n}`) })))
  const model = new ContextModel(handle)
  assert.equal(model.rows.length, 10_000)
  const at = ids[5000]!
  const { rows } = model
  const path = ["pages", pageOf(at), at]
  handle.change(doc => void (doc.pages[pageOf(at)]![at]!.text = "x"))
  const spent = (what: () => void) => {
    const from = process.cpuUsage().user
    what()
    return (process.cpuUsage().user - from) / 1000
  }
  const typing = spent(() => {
    for (let n = 0; n < 50; n++) handle.change(doc => A.splice(doc, [...path, "text"], 0, 0, "y"))
  })
  assert.equal(model.rows, rows)
  const folding = spent(() => {
    for (let n = 0; n < 20; n++) {
      handle.change(doc => putRaw(doc, newBlockID(), { order: str("b05000" + n), body: str("new") }))
      assert.equal(model.rows.length, 10_001 + n)
    }
  })
  console.log(`10,000 blocks: ${(typing / 50).toFixed(2)} ms of CPU for a keystroke with the engine, ${(folding / 20).toFixed(2)} ms for a new block`)
})
