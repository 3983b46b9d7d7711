import { expect, test } from "vitest"
import { commitText } from "./commit"
import { provenanceOf } from "./provenance"
import { staleWords } from "./stale"

const head = "a".repeat(64)

test("provenance is read where it is as it should be", () => {
  const p = provenanceOf(JSON.stringify({ heads: [head, "x", 3, head.toUpperCase()], chain: ["main:0198c0de-1111-7000-8000-00000000000a", "javascript:alert(1)"], number: 4, principal: { kind: "agent" }, commit: { hash: "0123abc", branch: "main", mount: "/mnt/app", files: 3 } }))
  expect(p).toEqual({ heads: [head], chain: ["main:0198c0de-1111-7000-8000-00000000000a"], number: 4, senderKind: "agent", commit: { hash: "0123abc", branch: "main", mount: "/mnt/app", files: 3 } })
})

test("hostile meta reads as absent", () => {
  const none = { heads: [], chain: [], number: 0, senderKind: "", commit: null }
  for (const bad of ["", "x", "[]", "null", "7", '"x"', "{", "x".repeat(70_000), '{"__proto__": {"heads": ["x"]}}', '{"heads": "x", "chain": {}, "number": "1", "principal": [], "commit": "x"}', '{"commit": {"hash": "<img>"}}']) expect(provenanceOf(bad), bad.slice(0, 40)).toEqual(none)
  expect(provenanceOf(JSON.stringify({ heads: Array(10_000).fill(head).slice(0, 900) })).heads.length).toBeLessThanOrEqual(64)
})

const told = `Commit 0123456789ab on main of /mnt/app

feat: thumbnails at ingest

Three sizes.
Author: nobody, this is the message

Author: Amy Adams <amy@example.org>

- thumbs.go +12 −3: amy 300, claude 100
- a - b.md +4 (new): claude 40
- old.bin (binary)
- gone.go (deleted)
- and 7 more files
`

test("the text of a commit is taken apart", () => {
  const c = commitText(told)!
  expect(c.message).toBe("feat: thumbnails at ingest\n\nThree sizes.\nAuthor: nobody, this is the message")
  expect(c.author).toBe("Amy Adams <amy@example.org>")
  expect(c.more).toBe(7)
  expect(c.files).toEqual([
    { path: "thumbs.go", change: "+12 −3", shares: [{ name: "amy", chars: 300 }, { name: "claude", chars: 100 }] },
    { path: "a - b.md", change: "+4 (new)", shares: [{ name: "claude", chars: 40 }] },
    { path: "old.bin", change: "(binary)", shares: [] },
    { path: "gone.go", change: "(deleted)", shares: [] },
  ])
})

test("a text of another shape is shown as it is", () => {
  for (const text of ["", "Commit", told.replace("Commit", "Comet"), told.replace("\n- thumbs", "\nthumbs"), told.replace(/Author/g, "By"), "Commit 0123456 on a of b\n\n" + "\n".repeat(100_000)]) expect(commitText(text), text.slice(0, 30)).toBeNull()
})

test("stale marks are said in words", () => {
  expect(staleWords([], 2)).toBe("")
  expect(staleWords([{ ref: 1, reason: "changed", diff: "" }], 2)).toBe("Stale: the lines that [1] cites are not as they were")
  expect(staleWords([{ ref: 1, reason: "__proto__", diff: "" }], 1)).toBe("Stale: [1]: __proto__")
  expect(staleWords([{ ref: 1, reason: "deleted", diff: "" }, { ref: 2, reason: "changed", diff: "" }], 1)).toBe("Stale: 2 of 2 citations no longer stand")
})
