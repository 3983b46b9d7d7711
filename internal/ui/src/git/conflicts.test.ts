import { expect, it } from "vitest"
import { placesIn } from "./conflicts"

it("reads both sides of each place", () => {
  const text = "a.txt was changed on the disk and in its block.\n\n<<<<<<< block\nmine\n||||||| agreed\nold\n=======\ntheirs\nmore\n>>>>>>> disk\n\n<<<<<<< block\n||||||| agreed\ngone\n=======\nstays\n>>>>>>> disk\n"
  expect(placesIn(text)).toEqual([
    { block: "mine\n", agreed: "old\n", disk: "theirs\nmore\n" },
    { block: "", agreed: "gone\n", disk: "stays\n" },
  ])
})

it("reads none out of a text that was cut, or of another", () => {
  expect(placesIn("<<<<<<< block\nmine\n||||||| agreed\nold\n")).toEqual([])
  expect(placesIn("=======\n>>>>>>> disk\n")).toEqual([])
})
