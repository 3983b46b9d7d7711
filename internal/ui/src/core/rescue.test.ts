import * as A from "@automerge/automerge"
import { Repo } from "@automerge/automerge-repo"
import { afterEach, expect, test } from "vitest"
import { bringBack, Rescue } from "./rescue"

const repos: Repo[] = []
afterEach(async () => void (await Promise.all(repos.splice(0).map(r => r.shutdown()))))

function storage(): Storage {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    key: n => [...items.keys()][n] ?? null,
    getItem: key => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: key => void items.delete(key),
    clear: () => items.clear(),
  }
}

function written(on: Storage, text = "begin") {
  const repo = new Repo({ network: [] })
  repos.push(repo)
  const handle = repo.create({ text })
  const before = A.save(handle.doc())
  const rescue = new Rescue(handle, "page", on)
  handle.on("heads-changed", () => rescue.changed(true))
  return { handle, rescue, before }
}

test("what the disk did not get in time comes back", async () => {
  const on = storage()
  const { handle, rescue, before } = written(on)
  for (const letter of "–é😀") handle.change(d => A.splice(d, ["text"], d.text.length, 0, letter))
  rescue.keep(false)
  expect(on.length).toBe(1)

  const repo = new Repo({ network: [] })
  repos.push(repo)
  const again = repo.import<{ text: string }>(before, { docId: handle.documentId })
  await bringBack(repo, on)
  expect(again.doc().text).toBe("begin–é😀")
  expect(A.getHeads(again.doc())).toEqual(A.getHeads(handle.doc()))
  expect(on.length).toBe(0)
  await bringBack(repo, on)
})

test("nothing is put aside of what is saved, and what is not ours is thrown away", async () => {
  const on = storage()
  const { handle, rescue } = written(on)
  rescue.keep(false)
  handle.change(d => A.splice(d, ["text"], 0, 0, "x"))
  rescue.keep(true)
  expect(on.length).toBe(0)
  on.setItem("kj.rescue.nonsense.page", "{")
  await bringBack(new Repo({ network: [] }), on)
  expect(on.length).toBe(0)
})
