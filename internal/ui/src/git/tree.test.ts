import { expect, it } from "vitest"
import { entryFrom, type Entry } from "./answers"
import { flatten, type Folder, type TreeRow } from "./tree"

const entry = (path: string, kind = "file"): Entry => entryFrom({ path, name: path.slice(path.lastIndexOf("/") + 1), kind })
const folder = (entries: Entry[], more: Partial<Folder> = {}): Folder => ({ entries, next: "", loading: false, error: "", ...more })
const shown = (rows: TreeRow[]) => rows.map(r => "  ".repeat(r.depth) + (r.kind === "entry" ? r.entry.name : r.kind === "more" ? "…" : r.text))

const all = new Map([
  ["/m", folder([entry("/m/a.go"), entry("/m/src", "dir"), entry("/m/empty", "dir")], { next: "a.go" })],
  ["/m/src", folder([entry("/m/src/main.go"), entry("/m/src/deep", "dir")])],
  ["/m/empty", folder([])],
])

it("shows what is unfolded, directories first", () => {
  expect(shown(flatten("/m", all, new Set()))).toEqual(["src", "empty", "a.go", "…"])
  expect(shown(flatten("/m", all, new Set(["/m/src", "/m/empty", "/m/src/deep"])))).toEqual(["src", "  deep", "  main.go", "empty", "  empty", "a.go", "…"])
})

it("filters by name, and keeps the folders above", () => {
  expect(shown(flatten("/m", all, new Set(), "MAIN"))).toEqual(["src", "  main.go"])
  expect(shown(flatten("/m", all, new Set(), "nothing"))).toEqual([])
})

it("does not follow a tree that contains itself", () => {
  const loop = new Map([["/m", folder([entry("/m", "dir")])]])
  expect(flatten("/m", loop, new Set(["/m"])).length).toBeLessThan(100)
})
