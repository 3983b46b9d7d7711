import assert from "node:assert/strict"
import { test } from "vitest"
import { toMarkdown } from "./markdown"
import type { Block } from "./schema"

const block = (kind: string, content: string, fields: Partial<Block> = {}): Block => ({ id: content, kind, role: "user", status: "done", parent: "", order: "a", form: "text", content, meta: "", deleted: false, collapsed: false, excluded: false, path: ["pages", "00", content], actor: "", madeAt: null, ...fields })

test("blocks read as Markdown", () => {
  const cases: [string, Block[], string][] = [
    ["nothing", [], ""],
    ["empty ones are left out", [block("text", "  \n"), block("text", "a")], "a\n"],
    ["texts as they are", [block("text", "# A\n\n*b*\n"), block("text", "c")], "# A\n\n*b*\n\nc\n"],
    ["tasks are a list", [block("task", "one"), block("task", "two\nmore", { status: "pending" }), block("text", "end")], "- [x] one\n- [ ] two\n  more\n\nend\n"],
    ["thoughts are quoted", [block("thinking", "hm\n\nwell")], "> **Thinking**\n>\n> hm\n>\n> well\n"],
    ["output is fenced", [block("shell_output", "a ```` b")], "**Output**\n\n`````\na ```` b\n`````\n"],
    ["a file has its path and language", [block("file", "x = 1", { meta: '{"path":"src/a.py"}' })], "**src/a.py**\n\n```py\nx = 1\n```\n"],
    ["a meta that is none", [block("file", "x", { meta: "{" })], "```\nx\n```\n"],
    ["unknown kinds are quoted", [block("poem", "a\nb")], "> a\n> b\n"],
    ["line ends are as here", [block("text", "a\r\nb")], "a\nb\n"],
  ]
  for (const [name, blocks, want] of cases) assert.equal(toMarkdown(blocks), want, name)
  assert.equal(toMarkdown([block("text", "a")], { title: "The\nplan" }), "# The plan\n\na\n")
})
