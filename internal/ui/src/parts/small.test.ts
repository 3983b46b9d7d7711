import { afterEach, expect, test } from "vitest"
import { hueClass, initials } from "./Avatar"
import { keysOf } from "./Kbd"
import { ago } from "./TimeAgo"
import { dismiss, toast, toasts } from "./toast"

afterEach(() => toasts.get().forEach(t => dismiss(t.id)))

test("times in words", () => {
  const now = Date.UTC(2026, 10, 22, 12)
  const before = (seconds: number) => ago(now - seconds * 1000, now)
  expect([before(-500), before(3), before(60), before(3599), before(7200), before(3 * 86400)]).toEqual(["just now", "just now", "1 min ago", "1 h ago", "2 h ago", "3 d ago"])
})

test("initials of names in any script, and of none", () => {
  expect(["amy", "Amy Pond", "a-b c", "李 小龙", "", "!!"].map(initials)).toEqual(["A", "AP", "AB", "李小", "?", "?"])
})

test("any number is a hue", () => {
  expect([0, 11, 12, -1, 3.7].map(hueClass)).toEqual(["hue-0", "hue-11", "hue-0", "hue-11", "hue-3"])
})

test("the keys of a combination, plus among them", () => {
  expect(["Mod+K", "Mod++", "+", "Shift+Alt+ArrowUp"].map(keysOf)).toEqual([["Mod", "K"], ["Mod", "+"], ["+"], ["Shift", "Alt", "ArrowUp"]])
})

test("the same words are shown once, and only the newest few", () => {
  for (const text of ["a", "b", "a", "c", "d", "e"]) toast(text)
  expect(toasts.get().map(t => t.text)).toEqual(["a", "c", "d", "e"])
  const back = toast("f")
  back()
  expect(toasts.get().map(t => t.text)).toEqual(["c", "d", "e"])
})
