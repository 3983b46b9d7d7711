import assert from "node:assert/strict"
import { test } from "node:test"
import { shownOf } from "../src/diffview"

test("a diff is shown without what only a program needs", () => {
  const end = "\\ No newline at end of file"
  const names = ["--- a/x", "+++ b/x"]
  const cases: [string, string[], string[]][] = [
    ["names and one position", [...names, "@@ -1,2 +1,2 @@", "-two", "+TWO", " three"], ["-two", "+TWO", " three"]],
    ["two positions", [...names, "@@ -1 +1 @@", "-a", "+b", "@@ -9 +9 @@", "-c", "+d"], ["@@ -1 +1 @@", "-a", "+b", "@@ -9 +9 @@", "-c", "+d"]],
    ["neither ends in a newline", ["@@ -1 +1 @@", "-a", end, "+b", end], ["-a", "+b"]],
    ["the end is not of the change", ["@@ -1,2 +1,2 @@", "-a", "+b", " c", end], ["-a", "+b", " c"]],
    ["a newline came", ["@@ -1 +1 @@", "-a", end, "+a"], ["-a", end, "+a"]],
    ["lines that look like names", ["@@ -1,2 +1,2 @@", "--- a", "+++ b"], ["--- a", "+++ b"]],
  ]
  for (const [name, lines, want] of cases) assert.deepEqual(shownOf(lines), want, name)
})
