import { expect, test } from "vitest"
import { Actors } from "./actors"

test("what one wrote in another browser is one's own", () => {
  const actors = new Actors(null)
  actors.note("aa", "amy")
  actors.note("bb", "ben")
  actors.mine("cc")
  expect(actors.principalOf("aa")).toEqual({ kind: "unknown", name: "amy", own: false })
  actors.iAm("amy")
  expect(actors.principalOf("aa")).toEqual({ kind: "person", name: "you", own: true })
  expect(actors.principalOf("cc").own).toBe(true)
  expect(actors.principalOf("bb").own).toBe(false)
  expect(actors.named("amy").name).toBe("you")
  expect(actors.named("").own).toBe(false)
})
