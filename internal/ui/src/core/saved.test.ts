import assert from "node:assert/strict"
import * as A from "@automerge/automerge/slim"
import type { StorageId } from "@automerge/automerge-repo/slim"
import { test } from "vitest"
import { Acknowledged } from "./acknowledged"
import type { Link } from "./link"
import { ContextModel } from "./model"
import { lightOf, watchLight, type Light } from "./saved"
import { contextOf } from "./testing/contexts"

const server = "server" as StorageId

/** A link whose connection the test makes and breaks. */
function testLink() {
  const listeners = new Set<() => void>()
  const link = { connected: true, server: server as StorageId | null, refusal: "", onChange: (fn: () => void) => (listeners.add(fn), () => listeners.delete(fn)) }
  return { link: link as unknown as Link, set: (change: Partial<typeof link>) => (Object.assign(link, change), listeners.forEach(fn => fn())) }
}

function open() {
  const { handle, ids } = contextOf("text")
  const model = new ContextModel(handle)
  const { link, set } = testLink()
  const shown: Light[] = []
  watchLight(model, link, light => shown.push(light))
  const path = [...model.block(ids[0]!)!.path, "text"]
  return {
    model,
    link,
    set,
    shown,
    type: () => handle.change(doc => A.splice(doc, path, 0, 0, "x")),
    acknowledge: () => {
      handle.setSyncInfo(server, { lastHeads: handle.heads(), lastSyncTimestamp: Date.now() })
    },
    until: async (state: Light["state"]) => {
      while (shown.at(-1)?.state !== state) await new Promise(resolve => setTimeout(resolve, 5))
      return shown.at(-1)!
    },
  }
}

test("what is written is being typed, then sent, then saved", async () => {
  const { type, acknowledge, until, shown } = open()
  acknowledge()
  await until("saved")
  type()
  assert.deepEqual(shown.at(-1), { state: "typing", text: "typing…", unsent: 1 }) // at once
  assert.equal((await until("sending")).unsent, 1)
  acknowledge()
  assert.deepEqual(await until("saved"), { state: "saved", text: "saved", unsent: 0 })
})

test("offline, what is not sent is counted", async () => {
  const { type, acknowledge, until, set, shown } = open()
  acknowledge()
  await until("saved")
  set({ connected: false })
  assert.deepEqual(shown.at(-1), { state: "offline", text: "offline (0 unsent)", unsent: 0 })
  type()
  type()
  assert.deepEqual(shown.at(-1), { state: "offline", text: "offline (2 unsent)", unsent: 2 })
  set({ connected: true })
  assert.notEqual(shown.at(-1)?.state, "saved") // connected is not yet saved
  acknowledge()
  await until("saved")
})

test("what the server refuses is not called saved", async () => {
  const { type, set, shown } = open()
  set({ refusal: "no right" })
  assert.deepEqual([shown.at(-1)?.state, shown.at(-1)?.text], ["refused", "refused: no right"])
  type()
  assert.notEqual(shown.at(-1)?.state, "saved")
})

test("without a context the light is the connection's", () => {
  const { link, set } = testLink()
  assert.equal(lightOf(null, link).state, "connected")
  set({ connected: false })
  assert.equal(lightOf(null, link).state, "offline")
})

test("a document that was left with unsent changes is remembered", () => {
  const kept = new Map<string, string>()
  const storage = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v), removeItem: (k: string) => void kept.delete(k), key: (n: number) => [...kept.keys()][n] ?? null, get length() { return kept.size } } as Storage
  const before = new Acknowledged(storage)
  before.mark("one", true)
  before.mark("two", true)
  before.mark("two", false)
  assert.deepEqual(new Acknowledged(storage).marked(), ["one"])
  kept.set("kj.acknowledged.one", "nonsense")
  assert.deepEqual(new Acknowledged(storage).of("one"), [])
})
