// A unified diff on the page: what went and what came, in words, signs and
// colours.

import { h } from "./dom"

/** Shows a unified diff without what only a program needs of it. */
export function diffView(unified: string): HTMLElement {
  const lines = shownOf(unified.replace(/\n$/, "").split("\n"))
  return h("pre", { class: "diff", tabindex: "0", role: "group", "aria-label": "Changes: minus is what it said, plus is what stands there now" }, ...lines.map(lineView))
}

/**
 * Leaves out the names of files, where there is one place of change its
 * position, and that a text has no newline at its end unless that has changed.
 */
export function shownOf(lines: string[]): string[] {
  const names = lines[0]?.startsWith("--- ") && lines[1]?.startsWith("+++ ") ? 2 : 0
  const list = lines.slice(names)
  const ends = list.flatMap((line, n) => (line.startsWith("\\") ? [list[n - 1]?.[0]] : []))
  const endChanged = ends.includes("-") !== ends.includes("+")
  const places = list.filter(line => line.startsWith("@@ ")).length
  return list.filter(line => !(line.startsWith("\\") && !endChanged) && !(line.startsWith("@@ ") && places === 1))
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
