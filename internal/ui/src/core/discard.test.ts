import { expect, it } from "vitest"
import { discardMarked, markDiscarded } from "./discard"
import { readRefusal, refusedTexts } from "./refused"
import { contextOf } from "./testing/contexts"

function storage(): Storage {
  const map = new Map<string, string>()
  return {
    get length() {
      return map.size
    },
    key: n => [...map.keys()][n] ?? null,
    getItem: key => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
    removeItem: key => void map.delete(key),
    clear: () => map.clear(),
  }
}

it("removes what was marked, with what is noted of it, and nothing else", async () => {
  const on = storage()
  for (const key of ["kj.unsent.one", "kj.rescue.one.x", "kj.acknowledged.one", "kj.unsent.two"]) on.setItem(key, "")
  markDiscarded("one", on)
  const removed: string[][] = []
  await discardMarked(on, () => ({ removeRange: async key => void removed.push(key) }))
  expect(removed).toEqual([["one"]])
  expect(Array.from({ length: on.length }, (_, n) => on.key(n))).toEqual(["kj.unsent.two"])
  await discardMarked(on, () => expect.unreachable())
})

it("keeps the mark when the store does not answer", async () => {
  const on = storage()
  markDiscarded("one", on)
  await discardMarked(on, () => ({ removeRange: () => Promise.reject(new Error("away")) }))
  const removed: string[][] = []
  await discardMarked(on, () => ({ removeRange: async key => void removed.push(key) }))
  expect(removed).toEqual([["one"]])
})

it("says in words what the server refused", () => {
  const of = (why: string) => readRefusal(`document 2KXSsomeDocument1234: change c07781bd (actor a84f, seq 6): ${why}: denied`)
  expect(of("the peer may only read")).toEqual({ document: "2KXSsomeDocument1234", why: "you may only read it" })
  expect(of("principal vic may only comment in this document: it touches more than blocks")?.why).toBe("you may only comment on it")
  expect(of("rule 10: depends on the refused change c0")?.why).toBe("it builds on something that was refused before")
  expect(of("too large")).toBeNull()
  expect(readRefusal("the peer may only read")).toBeNull()
})

it("finds the texts that the server does not have", () => {
  const { handle } = contextOf("one", "two")
  expect(refusedTexts(handle)).toBe("one\n\ntwo\n")
})
