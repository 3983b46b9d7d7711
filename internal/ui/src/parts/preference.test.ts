// @vitest-environment jsdom
import { expect, test, vi } from "vitest"
import { preference } from "./preference"

const isNumber = (v: unknown): v is number => typeof v === "number"

test("what was chosen is there after a reload", () => {
  preference("t.a", 1, isNumber).set(5)
  expect(preference("t.a", 1, isNumber).get()).toBe(5)
})

test.each(["no json{", '"five"', "null"])("what is stored as %s reads as not chosen", stored => {
  localStorage.setItem("t.b", stored)
  expect(preference("t.b", 1, isNumber).get()).toBe(1)
})

test("another tab's choice is taken over", () => {
  const p = preference("t.c", 1, isNumber)
  const told = vi.fn()
  p.subscribe(told)
  localStorage.setItem("t.c", "7")
  window.dispatchEvent(new StorageEvent("storage", { key: "t.c" }))
  expect([p.get(), told.mock.calls.length]).toEqual([7, 1])
})
