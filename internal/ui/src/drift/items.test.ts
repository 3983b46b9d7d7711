import { expect, test } from "vitest"
import { bySource, flushedFrom, flushWords, itemFrom, itemsFrom, outcome, stateWords } from "./items"

const to = { id: "a1", title: "Release" }
const item = (more: object) => itemFrom({ drift: "d", number: 3, state: "staged", from: { id: "b2", title: "Gallery" }, to, ...more })!

test("an item says in words what came of it", () => {
  const cases: [object, boolean, string][] = [
    [{ state: "delivered", block_id: "x" }, true, "Delivered to Release."],
    [{ state: "delivered", already: true }, true, "It was delivered to Release before."],
    [{ state: "staged" }, true, "In the queue as #3, for Release."],
    [{ state: "staged", last_error: "it is archived" }, false, "Not delivered to Release: it is archived. It stays in the queue as #3."],
    [{ state: "offered", to: { kernel: "lab", id: "bench" } }, true, "Offered to lab: bench: somebody there has to consent."],
    [{ state: "dead", last_error: "it is archived" }, false, "Not delivered to Release: it is archived. It is among the dead letters."],
    [{ state: "cancelled" }, true, "Taken out of the queue."],
    [{ state: "constructor" }, true, "Release: constructor."],
  ]
  for (const [more, ok, text] of cases) expect(outcome(item(more)), JSON.stringify(more)).toEqual({ ok, text })
})

test("a flush says in words what it did", () => {
  const words = (more: object) => flushWords(flushedFrom({ from: to, ...more })!)
  expect(words({})).toBe("Nothing was waiting.")
  expect(words({ delivered: 1 })).toBe("1 drift delivered.")
  expect(words({ delivered: 2, failed: 1 })).toBe("2 drifts delivered; 1 drift could not be delivered and stays in the queue.")
  expect(words({ dead: 1, held: 2 })).toBe("2 drifts wait for consent in another kernel; 1 drift is a dead letter now.")
  expect(words({ delivered: 100, left: 40, background: true })).toBe("100 drifts delivered; 40 still on the way.")
})

test("items that are none are left out", () => {
  expect(itemsFrom({ items: [null, 3, {}, { drift: 7 }, { drift: "d", number: -3, failures: "x", to: null }] })).toMatchObject([{ drift: "d", number: 0, failures: 0 }])
  for (const bad of [null, [], "x", { items: {} }]) expect(itemsFrom(bad)).toEqual([])
  for (const bad of [null, [], "x"]) expect(flushedFrom(bad)).toBeNull()
})

test("items stand by where they come from", () => {
  const groups = bySource([item({}), item({ drift: "e", from: { id: "c3" } }), item({ drift: "f" })])
  expect(groups.map(g => g.items.map(i => i.drift))).toEqual([["d", "f"], ["e"]])
})

test("a state that is not known is shown as it is", () => {
  expect(stateWords("held")).toBe("waits for your consent")
  expect(stateWords("toString")).toBe("toString")
})
