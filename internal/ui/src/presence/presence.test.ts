// @vitest-environment jsdom
import assert from "node:assert/strict"
import * as A from "@automerge/automerge/slim"
import { Presence } from "@automerge/automerge-repo/slim"
import { EditorState } from "@codemirror/state"
import { EditorView } from "@codemirror/view"
import { afterEach, beforeAll, expect, test, vi } from "vitest"
import type { ContextModel } from "../core/model"
import { bind } from "../editor/binding"
import { measurable, pair, together, until, type Pair } from "../editor/testing/pair"
import { shownCarets } from "./carets"
import { cursorsIn } from "./cursors"
import { peopleAt, type People } from "./people"
import { ServerSeats } from "./server"
import { cleanNick, toldOf } from "./wire"

const id = "01990000-0000-7000-8000-000000000001"
const path = ["pages", "00", id]
const closing: (() => void)[] = []
beforeAll(measurable)
afterEach(() => closing.splice(0).reverse().forEach(fn => fn()))

/** What presence needs of a model. */
const modelOf = (handle: Pair["amy"]) => ({ handle, id: "", url: handle.url, block: (b: string) => (b === id ? { path, content: "" } : undefined) }) as unknown as ContextModel

async function two(text: string) {
  const both = await pair({ pages: { "00": { [id]: { text } } } })
  closing.push(both.close)
  return both
}

function join(handle: Pair["amy"], peer: string): { model: ContextModel; people: People } {
  const model = modelOf(handle)
  const people = peopleAt(model, peer)
  closing.push(people.use())
  return { model, people }
}

function viewOf(model: ContextModel): EditorView {
  const { text, extension } = bind(model.handle, [...path, "text"], () => {})!
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions: [extension, cursorsIn(model, id)] }), parent: document.body })
  closing.push(() => view.destroy())
  return view
}

const other = (people: People, key: string) => people.seats.find(s => s.key === key)

test("a caret stays at its character while others type, and goes with its holder", async () => {
  const both = await two("hello world")
  const [amy, ben] = [join(both.amy, "amy"), join(both.ben, "ben")]
  const view = viewOf(ben.model)
  amy.people.place(id, 6, 11, true)
  await until(() => view.state.field(shownCarets).length === 1, "amy's caret")
  const caret = () => view.state.field(shownCarets)[0]!
  assert.deepEqual([caret().anchor, caret().head], [6, 11])
  assert.equal(other(ben.people, "amy")!.block, id)
  assert.equal(other(ben.people, "amy")!.typing, true)
  assert.deepEqual(ben.people.here(id).map(s => s.key), ["amy"])
  view.dispatch({ changes: { from: 0, insert: "oh, " }, userEvent: "input.type" })
  assert.deepEqual([caret().anchor, caret().head], [10, 15])
  await until(() => other(ben.people, "amy")!.typing === false, "amy to rest")
  amy.people.leave(id)
  await until(() => view.state.field(shownCarets).length === 0 && ben.people.here(id).length === 0, "amy to go")
})

test("a caret at what has not arrived is found when it does", async () => {
  const both = await two("abc")
  const [amy, ben] = [join(both.amy, "amy"), join(both.ben, "ben")]
  const view = viewOf(ben.model)
  const ahead = A.change(A.clone(both.amy.doc()), d => A.splice(d, [...path, "text"], 3, 0, "defg"))
  const at = { block: id, anchor: { pos: 3, cursor: A.getCursor(ahead, [...path, "text"], 5) }, head: { pos: 3, cursor: A.getCursor(ahead, [...path, "text"], 5) }, typing: false }
  both.amy.broadcast({ __presence: { type: "update", channel: "at", value: at } })
  await until(() => view.state.field(shownCarets)[0]?.early === true, "the early caret")
  both.amy.update(() => ahead)
  await until(() => view.state.field(shownCarets)[0]?.early === false, "the character")
  assert.equal(view.state.field(shownCarets)[0]!.head, 5)
  void amy
})

test("many moves are few messages, and the last one counts", async () => {
  const both = await two("x".repeat(500))
  const [amy, ben] = [join(both.amy, "amy"), join(both.ben, "ben")]
  await until(() => !!other(ben.people, "amy"), "amy")
  let heard = 0
  both.ben.on("ephemeral-message", () => heard++)
  const start = Date.now()
  for (let n = 0; n <= 400; n++) {
    amy.people.place(id, n, n, false)
    if (n % 10 === 0) await new Promise(resolve => setTimeout(resolve, 1))
  }
  await until(() => ben.people.carets(id)[0]?.at.head.pos === 400, "the last place")
  expect(heard).toBeLessThanOrEqual(Math.ceil((Date.now() - start) / 50) + 2)
})

test("a stock presence is heard, and hears", async () => {
  const both = await two("abc")
  const { people } = join(both.amy, "amy")
  const stock = new Presence<any>({ handle: both.ben })
  stock.start({ initialState: { name: "Ben\u202e of stock", at: 5 } })
  await until(() => other(people, "ben")?.nick === "Ben of stock", "ben at amy")
  await until(() => "amy" in stock.getPeerStates().value, "amy at ben")
  people.place(id, 1, 1, false)
  await until(() => (stock.getPeerStates().value as any).amy.value.at?.block === id, "amy's place at ben")
  stock.stop()
  await until(() => !other(people, "ben"), "ben's goodbye")
})

test("what is no presence, or a hostile one, is left aside", async () => {
  const both = await two("abc")
  const { model, people } = join(both.amy, "amy")
  const view = viewOf(model)
  await until(() => people.seats.length >= 0, "amy")
  const say = (said: unknown) => both.ben.broadcast(said)
  const spot = { pos: 1 }
  for (const said of ["ping", 7, null, [], { __presence: null }, { __presence: 5 }, { __presence: { type: "update", channel: "__proto__", value: { polluted: 1 } } }, { __presence: { type: "snapshot", state: null } }, { __presence: { type: "snapshot", state: { nick: "x".repeat(9000) } } }]) say(said)
  for (const at of [5, "x", { block: "../etc", anchor: spot, head: spot }, { block: id, anchor: { pos: -1 }, head: spot }, { block: id, anchor: { pos: 1e300 }, head: spot }, { block: id.replace("1", "2"), anchor: spot, head: spot }])
    say({ __presence: { type: "update", channel: "at", value: at } })
  say({ __presence: { type: "update", channel: "at", value: { block: id, anchor: { pos: 9e9, cursor: "" }, head: { pos: 2, cursor: "9@zz\0" }, typing: "yes" } } })
  say({ __presence: { type: "update", channel: "nick", value: "ben" } })
  await until(() => other(people, "ben")?.nick === "ben" && view.state.field(shownCarets).length === 1, "what can be shown")
  const [caret] = view.state.field(shownCarets)
  assert.deepEqual([caret!.anchor, caret!.head], [3, 2])
  assert.equal(({} as any).polluted, undefined)
  await together(both)
})

test("nicks are one short line of what shows", () => {
  const cases: [unknown, string][] = [
    ["amy", "amy"], ["  a\n\u0000\u202eb  ", "a b"], ["é😀", "é😀"], [7, ""], ["x".repeat(5000), "x".repeat(40)], ["😀".repeat(100), "😀".repeat(40)], ["e" + "\u0301".repeat(50), "e"], ["\u3164\u200b", ""],
  ]
  for (const [nick, want] of cases) assert.equal(cleanNick(nick), want, JSON.stringify(nick).slice(0, 30))
  assert.deepEqual(toldOf(null), { nick: "", status: "active", at: null })
})

test("seats that the server lists are read with care", async () => {
  const seats = [
    { nick: "codex", instance: "i1", principal: "codex", kind: "agent", status: "idle" },
    { nick: { evil: 1 }, instance: 5, kind: "god", status: "??" },
    null,
  ]
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ seats })))
  closing.push(() => vi.unstubAllGlobals())
  let told = 0
  const server = new ServerSeats("c", () => told++)
  closing.push(() => server.close())
  await until(() => told > 0, "the list")
  const list = [...server.seats.values()]
  assert.deepEqual(list[0], { nick: "codex", instance: "i1", principal: "codex", kind: "agent", status: "idle", at: null })
  assert.deepEqual(list[1], { nick: "", instance: "", principal: "", kind: "unknown", status: "active", at: null })
  assert.equal(list.length, 2)
})
