import assert from "node:assert/strict"
import { test } from "vitest"
import { readMeta } from "./meta"

const handle = "plan/0198c0de-2222-7000-8000-00000000000b#3"

test("what a drift says of itself", () => {
  const meta = readMeta("drift", JSON.stringify({ drift_kind: "pull", source_kernel: "main", source_context: "c", source_title: "Plan", principal: { name: "amy", kind: "agent" }, model: "m", distiller: "d", act: "asked", citations: [{ ref: 1, handle, quote: "q" }], stale: [{ ref: 1, reason: "deleted", diff: "-q" }], other: 7 }))
  assert.deepEqual(meta.drift, { kind: "pull", kernel: "main", context: "c", title: "Plan", sender: "amy", model: "m", distiller: "d", act: "asked" })
  assert.deepEqual([meta.citations, meta.stale], [[{ ref: 1, handle, quote: "q" }], [{ ref: 1, reason: "deleted", diff: "-q" }]])
})

test("any block may cite, but only a drift has drifted", () => {
  const meta = readMeta("text", JSON.stringify({ drift_kind: "push", citations: [{ ref: 1, handle }] }))
  assert.deepEqual([meta.drift, meta.citations], [null, [{ ref: 1, handle, quote: "" }]])
})

test("a file has a path, and nothing else has", () => {
  assert.equal(readMeta("file", `{"path":"src/a.go"}`).path, "src/a.go")
  assert.deepEqual([readMeta("text", `{"path":"src/a.go"}`).path, readMeta("file", `{"path":7}`).path], ["", ""])
})

test("nonsense reads as nothing", () => {
  const nothing = { drift: null, citations: [], stale: [], path: "" }
  for (const meta of ["", "{", "[]", "7", "null", '"x"', `{"citations":7,"stale":{}}`, `{"citations":[7,null,{"ref":0,"handle":"${handle}"},{"ref":1,"handle":"no"},{"ref":"1"}],"stale":[{"ref":-1}]}`, `{"x":"${"a".repeat(70_000)}"}`]) assert.deepEqual(readMeta("text", meta), nothing, meta.slice(0, 60))
  const fields = readMeta("drift", `{"drift_kind":7,"principal":[],"source_context":{"a":1},"model":null}`).drift
  assert.ok(fields && Object.values(fields).every(v => v === ""))
  const many = JSON.stringify({ citations: Array.from({ length: 300 }, (_, n) => ({ ref: n + 1, handle })) })
  assert.equal(readMeta("text", many).citations.length, 128)
})
