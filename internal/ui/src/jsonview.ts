// Any other Automerge document on the page: its value as JSON, live.

import * as A from "@automerge/automerge/slim"
import type { DocHandle } from "@automerge/automerge-repo/slim"
import type { View } from "./contextview"
import { h, oncePerFrame, setText } from "./dom"

/** How much of a document is shown, in UTF-16 units. */
const maxShown = 500_000

export class JSONView implements View {
  readonly el: HTMLElement
  readonly #handle: DocHandle<unknown>
  readonly #text = h("code", {})
  #show = oncePerFrame(() => setText(this.#text, this.#handle.isReady() ? pretty(this.#handle.doc()) : ""))

  constructor(handle: DocHandle<unknown>) {
    this.#handle = handle
    this.el = h(
      "section",
      { class: "json", "aria-label": "Document" },
      h("h1", {}, "Document"),
      h("p", { class: "address" }, h("code", {}, handle.url)),
      h("p", { class: "hint" }, "Not a context of blocks; shown as it is."),
      h("pre", { tabindex: "0", "aria-label": "The document as JSON" }, this.#text),
    )
    setText(this.#text, pretty(handle.doc()))
    handle.on("change", this.#show)
  }

  close(): void {
    this.#handle.off("change", this.#show)
  }
}

/** The document as indented JSON, with a readable form for what JSON lacks. */
export function pretty(doc: unknown): string {
  const text = JSON.stringify(doc, readable, 2) ?? ""
  return text.length > maxShown ? text.slice(0, maxShown) + "\n… and more" : text
}

function readable(this: any, key: string, value: unknown): unknown {
  const raw = this[key] // before toJSON
  if (raw instanceof Uint8Array) return `bytes(${raw.length}) ${[...raw.subarray(0, 32)].map(b => b.toString(16).padStart(2, "0")).join("")}${raw.length > 32 ? "…" : ""}`
  if (raw instanceof Date) return isNaN(raw.getTime()) ? "invalid date" : raw.toISOString()
  if (typeof raw === "bigint") return raw.toString()
  if (A.isImmutableString(raw)) return raw.toString()
  if (A.isCounter(raw)) return Number(raw.value)
  return value
}
