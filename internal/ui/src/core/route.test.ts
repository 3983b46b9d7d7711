import assert from "node:assert/strict"
import { test } from "vitest"
import { format, parse, type Route } from "./route"

const url = "automerge:2j9knpCseyhnK8izDmLpGP5WMdZQ"
const block = "0198c0de-2222-7000-8000-00000000000b"

test("addresses are read, and written so that they read the same", () => {
  const cases: [string, Route][] = [
    ["#/", { view: "home" }],
    [`#${url}`, { view: "context", url }],
    [`#${url}/${block}`, { view: "context", url, block }],
    [`#/cite/plan/${block}%231-3`, { view: "cite", handle: `plan/${block}#1-3` }],
    [`#/history/${url}`, { view: "history", url }],
    [`#/history/${url}?at=ab,cd&to=ef`, { view: "history", url, at: "ab,cd", to: "ef" }],
    ["#/graph", { view: "graph" }],
    ["#/inbox", { view: "inbox" }],
    ["#/queue", { view: "queue" }],
    ["#/git", { view: "git" }],
    ["#/git/srv/a%20b%23c/d%C3%A9", { view: "git", mount: "srv/a b#c/dé" }],
    ["#/status", { view: "status" }],
    ["#/requests", { view: "requests" }],
  ]
  for (const [hash, route] of cases) {
    assert.deepEqual(parse(hash), route, hash)
    assert.deepEqual(parse(format(route)), route, format(route))
    assert.equal(format(route), hash)
  }
})

test("what is no address is somebody's mistake, not a failure", () => {
  for (const hash of ["", "#"]) assert.deepEqual(parse(hash), { view: "home" })
  for (const hash of ["#nonsense", "#/nonsense", "#/graph/more", "#%", "#/git/%", "#/history/", "#/history", "#//", "#/cite"]) assert.ok(parse(hash).view, hash)
  assert.deepEqual(parse("#nonsense"), { view: "context", url: "nonsense" })
})
