// Contexts of blocks, made by the server's operations and by stock clients.
import { createHash, randomUUID } from "node:crypto"
import * as A from "@automerge/automerge"
import { equal, ok, sameHeads } from "../lib/check.mjs"
import { find, saved, serverStorage } from "../lib/client.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("context")

const scalar = text => new A.ImmutableString(text)
const pageOf = id => (createHash("sha256").update(id).digest()[0] % 64).toString(16).padStart(2, "0")

/** The recipe for stock clients: a new text block. */
function putTextBlock(doc, { id = randomUUID(), order, text, parent }) {
  const block = { kind: scalar("text"), role: scalar("user"), status: scalar("done"), order: scalar(order), text }
  if (parent) block.parent = scalar(parent)
  doc.pages[pageOf(id)][id] = block
  return id
}

const blockIn = (doc, id) => doc.pages[pageOf(id)][id]

/** A block's content, in whichever form. */
const contentOf = block => block.text ?? block.body?.toString() ?? (block.chunks ?? []).map(String).join("")

test("a context made by the server opens in a stock client", { kj: true }, async t => {
  const made = await t.server.op("context_create", { title: "Plan é😀" })
  ok(made.url.startsWith("automerge:"), `url is ${made.url}`)
  const handle = await find(await t.client("amy"), made.url)
  equal([handle.doc().title, Number(handle.doc().schema), Object.keys(handle.doc().pages).length], ["Plan é😀", 1, 64], "title, schema and pages")
  const [genesis] = A.getAllChanges(handle.doc()).map(c => A.decodeChange(c))
  equal([Buffer.from(genesis.actor, "hex").toString(), genesis.seq, genesis.time, genesis.deps], ["kaijutsu-genesis", 1, 0, []], "the first change")
})

test("two contexts start from the same change", { kj: true }, async t => {
  const amy = await t.client("amy")
  const firsts = []
  for (const title of ["one", "two"]) {
    const { url } = await t.server.op("context_create", { title })
    firsts.push(A.decodeChange(A.getAllChanges((await find(amy, url)).doc())[0]).hash)
  }
  equal(firsts[1], firsts[0], "hash of the first change")
})

test("what a stock client writes by the recipe, the server reads", { kj: true }, async t => {
  const { url } = await t.server.op("context_create", { title: "Recipe" })
  const amy = await t.client("amy")
  const handle = await find(amy, url)
  let first, child
  handle.change(d => (first = putTextBlock(d, { order: "a5aaaaa1", text: "second" })))
  handle.change(d => putTextBlock(d, { order: "a1aaaaa1", text: "first é😀" }))
  handle.change(d => (child = putTextBlock(d, { order: "a0aaaaa1", text: "below the second", parent: first })))
  handle.change(d => A.splice(d, ["pages", pageOf(first), first, "text"], 0, 0, "the "))
  handle.change(d => A.splice(d, ["title"], 0, 6, "Written"))
  await until(() => saved(handle, serverStorage(amy)), "the server to have it")
  const { block_list: list, title } = await t.server.op("context_get", { context: url })
  equal(title, "Written", "title")
  equal(
    list.map(b => [b.content, b.kind, b.role, b.status, b.parent ?? ""]),
    [
      ["first é😀", "text", "user", "done", ""],
      ["the second", "text", "user", "done", ""],
      ["below the second", "text", "user", "done", first],
    ],
    "blocks",
  )
  equal(list[2].id, child, "id")
  ok(list.every(b => b.author), "a block without an author")
})

test("what the server writes, a stock client reads, in all three forms", { kj: true }, async t => {
  const { url } = await t.server.op("context_create", { title: "Forms" })
  const handle = await find(await t.client("amy"), url)
  const ids = {}
  for (const form of ["text", "body", "chunks"]) {
    const { id } = await t.server.op("block_create", { context: url, kind: form === "text" ? "text" : "tool_result", role: form === "text" ? "user" : "tool", form, content: `as ${form} é😀` })
    ids[form] = id
    await until(() => blockIn(handle.doc(), id), `the block of form ${form}`)
    const block = blockIn(handle.doc(), id)
    equal(contentOf(block), `as ${form} é😀`, `content of form ${form}`)
    ok(form in block, `block has no field ${form}`)
    for (const field of ["kind", "role", "order"]) ok(A.isImmutableString(block[field]), `${field} of form ${form} is not a scalar`)
  }
  await t.server.op("block_append", { context: url, block: ids.text, text: ", more" })
  await t.server.op("block_append", { context: url, block: ids.chunks, text: ", more" })
  for (const form of ["text", "chunks"]) await until(() => contentOf(blockIn(handle.doc(), ids[form])) === `as ${form} é😀, more`, `the appended ${form}`)
})

test("a streamed block grows in order at every reader", { kj: true }, async t => {
  const { url } = await t.server.op("context_create", { title: "Stream" })
  const handles = await Promise.all((await t.clients("amy", "ben")).map(repo => find(repo, url)))
  const { id } = await t.server.op("block_create", { context: url, kind: "shell_output", role: "tool", form: "chunks", content: "0" })
  const seen = handles.map(handle => {
    const list = []
    handle.on("change", () => list.push(contentOf(blockIn(handle.doc(), id) ?? {})))
    return list
  })
  let want = "0"
  for (let n = 1; n <= 60; n++) {
    await t.server.op("block_append", { context: url, block: id, text: ` ${n}` })
    want += ` ${n}`
  }
  for (const [who, handle] of handles.entries()) {
    await until(() => contentOf(blockIn(handle.doc(), id)) === want, "the end of the stream")
    for (const content of seen[who]) ok(want.startsWith(content), `a reader saw ${JSON.stringify(content)}`)
  }
})

test("a stock client and the server write into one block at once", { kj: true }, async t => {
  const { url } = await t.server.op("context_create", { title: "Together" })
  const amy = await t.client("amy")
  const handle = await find(amy, url)
  const { id } = await t.server.op("block_create", { context: url, kind: "text", role: "user", form: "text", content: "|" })
  await until(() => blockIn(handle.doc(), id)?.text === "|", "the block")
  const path = ["pages", pageOf(id), id, "text"]
  const server = (async () => {
    for (let n = 0; n < 40; n++) await t.server.op("block_append", { context: url, block: id, text: "s" })
  })()
  for (let n = 0; n < 40; n++) {
    handle.change(d => A.splice(d, [...path], 0, 0, "c"))
    await new Promise(next => setImmediate(next))
  }
  await server
  await until(() => blockIn(handle.doc(), id).text === "c".repeat(40) + "|" + "s".repeat(40), "both writers' words")
  await until(() => saved(handle, serverStorage(amy)), "the server to have it")
  const { block_list: list } = await t.server.op("context_get", { context: url })
  equal(list[0].content, blockIn(handle.doc(), id).text, "what the server reads")
})

test("what operations wrote is there after SIGKILL", { kj: true, own: true, ms: 240_000 }, async t => {
  const { url } = await t.server.op("context_create", { title: "Kept" })
  const want = []
  for (let round = 0; round < 4; round++) {
    for (let n = 0; n < 5; n++) {
      await t.server.op("block_create", { context: url, kind: "text", role: "user", form: n % 2 ? "body" : "text", content: `${round}.${n}` })
      want.push(`${round}.${n}`)
    }
    await t.server.restart()
    const { block_list: list, title } = await t.server.op("context_get", { context: url })
    equal([title, list.map(b => b.content)], ["Kept", want], `the context after kill ${round + 1}`)
  }
  const reader = await find(await t.client("reader"), url)
  equal(Object.values(reader.doc().pages).flatMap(p => Object.keys(p)).length, want.length, "blocks at a stock client")
})

test("an operation that is wrong says so and changes nothing", { kj: true }, async t => {
  const { url } = await t.server.op("context_create", { title: "Errors" })
  const wrong = [
    ["block_create", { context: url, kind: "Not A Kind", role: "user", form: "text", content: "x" }, 400],
    ["block_create", { context: url, kind: "text", role: "nobody", form: "text", content: "x" }, 400],
    ["block_create", { context: "no such context", kind: "text", role: "user", form: "text", content: "x" }, 404],
    ["block_append", { context: url, block: randomUUID(), text: "x" }, 404],
    ["block_create", { context: url, colour: "red" }, 400],
    ["no_such_operation", {}, 404],
  ]
  for (const [op, params, status] of wrong) {
    const reply = await fetch(`${t.server.http}/v1/ops/${op}`, { method: "POST", body: JSON.stringify(params) })
    equal(reply.status, status, `status of ${op} ${JSON.stringify(params)}`)
    const { error } = await reply.json()
    ok(error?.message?.length > 10, "no message")
  }
  equal((await t.server.op("context_get", { context: url })).block_list ?? [], [], "blocks")
})

test("blocks that two clients add while cut off are all there, in one order", { kj: true }, async t => {
  const { url } = await t.server.op("context_create", { title: "Order" })
  const proxy = await t.proxy()
  const repos = [await t.client("amy", { via: proxy }), await t.client("ben", { via: proxy })]
  const handles = await Promise.all(repos.map(repo => find(repo, url)))
  proxy.offline()
  await until(() => repos.every(repo => repo.peers.length === 0), "both to be cut off")
  for (let n = 0; n < 10; n++) for (const [who, handle] of handles.entries()) handle.change(d => putTextBlock(d, { order: `a${n}aaaaa1`, text: `${who}.${n}` }))
  proxy.online()
  await until(() => sameHeads(...handles), "equal heads")
  await until(() => saved(handles[0], serverStorage(repos[0])), "the server to have it")
  const { block_list: list } = await t.server.op("context_get", { context: url })
  equal(list.length, 20, "blocks")
  equal(list.map(b => Number(b.content.split(".")[1])), [...list.keys()].map(i => Math.floor(i / 2)), "order")
})
