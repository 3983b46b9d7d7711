import { describe, expect, it } from "vitest"
import { mountFrom, statusFrom, type Changed, type Line, type Share } from "./answers"
import { changeOf, lineBy, percents, sizeText, stateOf, trailersOf } from "./words"

const changed = (more: Partial<Changed>): Changed => ({ path: "a.txt", oldPath: "", staged: "", unstaged: "", block: "", dirty: false, conflict: false, ...more })

describe("what changed, in words", () => {
  it.each([
    [{ unstaged: "modified" }, "changed", ""],
    [{ staged: "added" }, "new", "staged in git's index"],
    [{ unstaged: "untracked" }, "new", ""],
    [{ staged: "modified", unstaged: "deleted" }, "deleted", "partly staged in git's index"],
    [{ unstaged: "modified", dirty: true }, "changed", "not on the disk yet"],
    [{ staged: "renamed", oldPath: "b.txt" }, "renamed", "was b.txt, staged in git's index"],
    [{ unstaged: "modified", conflict: true }, "conflict", ""],
  ])("%j is %s", (file, word, more) => {
    expect(changeOf(changed(file))).toMatchObject({ word, more })
  })

  it("says how a mount fares", () => {
    const at = (fields: object) => stateOf(mountFrom({ path: "/mnt/app", kind: "git", state: "ready", ...fields })).word
    expect(at({})).toBe("in step")
    expect(at({ dirty: 1 })).toBe("1 file being written")
    expect(at({ conflicts: 2, state: "paused" })).toBe("2 conflicts")
    expect(at({ state: "paused", reason: "a rebase is under way" })).toBe("paused")
    expect(at({ state: "elsewhere" })).toBe("on another server")
  })

  it("reads nonsense as nothing", () => {
    expect(statusFrom({ files: [null, 3, { path: 4 }, { path: "a", staged: {} }], paused: "yes" })).toMatchObject({ paused: false, files: [{ path: "a", staged: "" }] })
    expect(statusFrom("no").files).toEqual([])
  })
})

describe("whom a commit names", () => {
  it("gives everybody at least a per cent", () => {
    const share = (principal: string, characters: number): Share => ({ principal, kind: "person", model: "", characters })
    expect(percents([share("amy", 995), share("ben", 5), share("cleo", 0)]).map(p => `${p.share.principal} ${p.percent}`)).toEqual(["amy 100", "ben 1"])
    expect(percents([])).toEqual([])
  })

  it("tells trailers from the message", () => {
    const { text, trailers } = trailersOf("Say hello\n\nBecause: it is polite.\n\nCo-authored-by: Ben <ben@example.org>\nKaijutsu-Context: 01\n")
    expect(text).toBe("Say hello\n\nBecause: it is polite.")
    expect(trailers.map(t => t.key)).toEqual(["Co-authored-by", "Kaijutsu-Context"])
    expect(trailersOf("fix: one line").trailers).toEqual([])
  })

  it("says how it is known who wrote a line", () => {
    const line = (l: Partial<Line>): Line => ({ line: 1, by: "", kind: "", via: "", model: "", context: "", change: "", time: "", source: "log", commit: "", author: "", ...l })
    expect(lineBy(line({ by: "claude", model: "m1", via: "git" }))).toEqual({ name: "claude", how: "claude on m1 via git: the change log knows", known: true })
    expect(lineBy(line({ source: "git", author: "Cleo <c@example.org>", commit: "0123456789" })).name).toBe("Cleo")
    expect(lineBy(line({ source: "disk", by: "disk" }))).toMatchObject({ name: "on disk", known: false })
  })
})

it("writes sizes for people", () => {
  expect([0, 1023, 1024, 10 * 1024, 3 * 2 ** 30].map(sizeText)).toEqual(["0 B", "1023 B", "1.0 KiB", "10 KiB", "3.0 GiB"])
})
