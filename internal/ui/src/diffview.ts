// A unified diff on the page: what went and what came, in words, signs and
// colours.

import { h } from "./dom"

/** Shows a unified diff without its file names. */
export function diffView(unified: string): HTMLElement {
  const lines = unified.replace(/\n$/, "").split("\n")
  if (lines[0]?.startsWith("--- ") && lines[1]?.startsWith("+++ ")) lines.splice(0, 2)
  return h("pre", { class: "diff", tabindex: "0", role: "group", "aria-label": "Changes: minus is what it said, plus is what stands there now" }, ...lines.map(lineView))
}

function lineView(line: string): HTMLElement {
  const text = line + "\n"
  switch (line[0]) {
    case "+":
      return h("ins", {}, text)
    case "-":
      return h("del", {}, text)
    case "@":
    case "\\":
      return h("span", { class: "hunk" }, text)
  }
  return h("span", {}, text)
}
