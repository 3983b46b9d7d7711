// @vitest-environment jsdom
import assert from "node:assert/strict"
import { act } from "react"
import { createRoot } from "react-dom/client"
import { beforeAll, test } from "vitest"
import type { ContextModel } from "../core/model"
import Editor from "./Editor"
import { measurable, pair, until } from "./testing/pair"

const id = "01990000-0000-7000-8000-000000000001"
const path = ["pages", "00", id]
beforeAll(() => {
  measurable()
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
})

test("an editor opens, shows what it is, and closes", async () => {
  const both = await pair({ pages: { "00": { [id]: { text: "# A\n\nwords\n\n```go\nfunc f() {}\n```\n" } } } })
  const model = { handle: both.amy, id: "", url: both.amy.url, block: () => ({ path, content: "x" }) } as unknown as ContextModel
  const place = document.body.appendChild(document.createElement("div"))
  const root = createRoot(place)
  let gone = 0
  await act(async () => root.render(<Editor model={model} id={id} label="Words" onGone={() => gone++} />))
  assert.equal(place.querySelector(".cm-content")?.getAttribute("aria-label"), "Words")
  await until(() => place.querySelectorAll(".cm-emptyline").length === 2 && place.querySelectorAll(".cm-codeline").length === 3, "the lines of Markdown", 15_000)
  await act(async () => both.ben.change((d: any) => void delete d.pages["00"][id].text))
  await act(async () => until(() => gone > 0, "the text to go"))
  assert.equal(place.querySelector("pre")?.textContent, "x")
  await act(async () => root.unmount())
  assert.equal(place.childElementCount, 0)
  both.close()
})
