import { expect, it } from "vitest"
import { filePlace } from "./files"

it.each([
  ["of a mount", "file", '{"path":"src/a.go","mount":"/mnt/app"}', "/mnt/app/src/a.go"],
  ["no file", "text", '{"path":"src/a.go","mount":"/mnt/app"}', ""],
  ["no meta", "file", "", ""],
  ["not JSON", "file", "{", ""],
  ["null", "file", "null", ""],
  ["a path out of the mount", "file", '{"path":"../etc/passwd","mount":"/mnt/app"}', ""],
  ["a whole path", "file", '{"path":"/etc/passwd","mount":"/mnt/app"}', ""],
  ["a mount that is none", "file", '{"path":"a","mount":7}', ""],
])("%s", (_, kind, meta, want) => {
  expect(filePlace({ kind, meta }).full).toBe(want)
})
