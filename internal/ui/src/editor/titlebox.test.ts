// @vitest-environment jsdom
import assert from "node:assert/strict"
import * as A from "@automerge/automerge/slim"
import { afterEach, test } from "vitest"
import { pair, together, until } from "./testing/pair"
import { TitleBox } from "./titlebox"

const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach(fn => fn()))

async function boxes(title: string) {
  const both = await pair({ title })
  closing.push(both.close)
  const open = (handle: typeof both.amy) => {
    const box = document.body.appendChild(document.createElement("input"))
    const bound = new TitleBox(box, handle, ["title"])
    closing.push(() => (bound.close(), box.remove()))
    return box
  }
  return { both, box: open(both.amy), other: open(both.ben) }
}

function type(box: HTMLInputElement, at: number, text: string): void {
  box.value = box.value.slice(0, at) + text + box.value.slice(at)
  box.setSelectionRange(at + text.length, at + text.length)
  box.dispatchEvent(new Event("input"))
}

test("a title is written by two at once, and carets stay", async () => {
  const { both, box, other } = await boxes("Plan")
  box.focus()
  type(box, 4, " B")
  box.setSelectionRange(5, 6)
  type(other, 0, "Our ")
  await together(both)
  await until(() => box.value === "Our Plan B" && other.value === "Our Plan B", "both words")
  assert.deepEqual([box.selectionStart, box.selectionEnd], [9, 10])
})

test("an input method keeps the box while others write", async () => {
  const { both, box, other } = await boxes("abc")
  box.focus()
  box.dispatchEvent(new Event("compositionstart"))
  type(box, 3, "か")
  both.ben.change((d: any) => A.splice(d, ["title"], 0, 0, "12"))
  await together(both)
  assert.equal(box.value, "abcか", "while it is composed")
  box.value = "abc漢"
  box.setSelectionRange(4, 4)
  box.dispatchEvent(new Event("input"))
  box.dispatchEvent(new Event("compositionend"))
  assert.equal(box.value, "12abc漢")
  await until(() => other.value === "12abc漢", "ben to see it")
})

test("a title has no line breaks", async () => {
  const { both, box } = await boxes("Plan")
  const area = document.body.appendChild(document.createElement("textarea"))
  const bound = new TitleBox(area, both.amy, ["title"])
  closing.push(() => (bound.close(), area.remove()))
  area.value = "Plan\r\nB"
  area.setSelectionRange(6, 6)
  area.dispatchEvent(new Event("input"))
  assert.equal(both.amy.doc().title, "Plan B")
  assert.equal(area.value, "Plan B")
  assert.equal(box.value, "Plan B")
})
