import { expect, test } from "vitest"
import { spansOf } from "./highlight"
import { languageOf, loadLanguage } from "./languages"

const samples: Record<string, string> = {
  "a.css": "a { color: #fff } /* c */",
  "a.go": 'func f(a int) string { return "hi" } // c',
  "a.html": '<p class="x">hi</p><!-- c -->',
  "a.json": '{"a": 1, "b": "x"}',
  "a.md": "# Title\n\n```js\nlet a = 1\n```\n\n`x` and **y**",
  "a.py": 'def f(x):\n  return "a" # c',
  "a.rs": 'fn main() -> u32 { let x = "a"; 5 } // c',
  "a.sql": "SELECT a FROM b WHERE c = 'x' -- c",
  "a.ts": 'const a: string = "x" // c',
  "a.tsx": 'const a = <b title="x">hi</b> // c',
  "a.xml": '<p class="x">hi</p>',
  "a.yml": 'a: 1\nb: "x" # c',
}

test.each(Object.entries(samples))("%s has its colours and keeps its text", async (name, text) => {
  const language = await loadLanguage(name)
  const spans = spansOf(text, language!)!
  expect(spans.map(s => s.text).join("")).toBe(text)
  if (name !== "a.md") expect(spans.filter(s => s.className).length).toBeGreaterThan(1)
})

test("a name that is none of ours has no language", async () => {
  expect(languageOf("constructor")).toBeNull()
  expect(await loadLanguage("no such")).toBeNull()
})
