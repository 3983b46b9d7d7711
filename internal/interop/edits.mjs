import * as A from "@automerge/automerge"

const alphabet = [
  ..."abcdefghijklmnopqrstuvwxyz      \n\t.,",
  "é", "ß", "日", "本", "ع", "e\u0301", "n\u0303", "\u200d", "\u0000",
  "😀", "👍🏼", "👩‍👩‍👧‍👦", "🇩🇪", "𝒳", "\ud800", "\udc00", "\uffff", "\u{10ffff}",
]

// text makes up to n characters: letters, combining marks, emoji, lone surrogates.
export function text(random, n) {
  let s = ""
  for (let k = random.between(1, n); k > 0; k--) s += random.chance(0.8) ? alphabet[random.below(36)] : random.pick(alphabet)
  return s
}

const names = ["a", "b", "B", "z", "", "\u0000", "key", "é", "\uffff", "\u{10000}", "日本", "long key ".repeat(20), "__proto", "0", "1"]

function scalar(random) {
  return random.pick([
    () => null, () => true, () => false, () => 0, () => random.below(100), () => -random.below(1e6),
    () => Number.MAX_SAFE_INTEGER, () => Number.MIN_SAFE_INTEGER, () => random.next() * 1e6, () => -1.5, () => 1e300,
    () => NaN, () => Infinity, () => -Infinity, () => -0, () => 5e-324,
    () => 2n ** 62n, () => -(2n ** 63n), () => 2n ** 64n - 1n, () => BigInt(random.below(1e9)),
    () => new A.Int(random.below(1000) - 500), () => new A.Uint(random.below(1000)), () => new A.Float64(random.below(9)),
    () => new Date(random.below(2e9) * 1000 - 1e11), () => new Date(0), () => new Date(-1),
    () => random.bytes(random.below(40)), () => new Uint8Array(0), () => random.bytes(random.pick([1, 300, 3000])),
    () => new A.Counter(random.below(1e6) - 1000), () => new A.ImmutableString(text(random, 30)), () => new A.ImmutableString(""),
  ])()
}

function value(random, depth = 0) {
  const kind = random.weighted([[10, "scalar"], [3, "text"], [depth < 3 ? 2 : 0, "map"], [depth < 3 ? 2 : 0, "list"]])
  if (kind === "scalar") return scalar(random)
  if (kind === "text") return random.chance(0.2) ? "" : text(random, 20)
  if (kind === "list") return Array.from({ length: random.below(5) }, () => value(random, depth + 1))
  return Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.pick(names), value(random, depth + 1)]))
}

// An edit gets the document open for change, the random source, and the
// document as it was before the change: looking around in that is cheap.

const isObject = (v) => Array.isArray(v) || isMap(v)
const isMap = (v) => v !== null && typeof v === "object" && Object.getPrototypeOf(v) === Object.prototype
const isCounter = (v) => A.isCounter(v)
const isText = (v) => typeof v === "string"

// some walks down from the root at random until it stands on a value that
// fits, and returns [parent, key, value, path] of it in the open document.
function some(d, random, was, fits) {
  for (let tries = 0; tries < 6; tries++) {
    let node = was
    for (const path = []; isObject(node); ) {
      const keys = Array.isArray(node) ? node.length : Object.keys(node)
      const key = Array.isArray(node) ? random.below(keys) : random.pick(keys)
      if (key === undefined || (Array.isArray(node) && keys === 0)) break
      node = node[key]
      path.push(key)
      if (fits(node) && (!isObject(node) || random.chance(0.4))) return at(d, path, fits)
    }
  }
}

function at(d, path, fits) {
  const parent = path.slice(0, -1).reduce((node, key) => node?.[key], d)
  const key = path[path.length - 1]
  const value = parent?.[key]
  return value !== undefined && fits(value) ? [parent, key, value, path] : undefined
}

const someMap = (d, random, was) => (random.chance(0.3) ? d : (some(d, random, was, (v) => isObject(v) && !Array.isArray(v))?.[2] ?? d))
const someList = (d, random, was) => {
  const list = some(d, random, was, Array.isArray)?.[2]
  if (list !== undefined) return list
  if (!Array.isArray(d.list)) d.list = []
  return d.list
}

// someText returns [path, characters] of a text, made when there is none.
function someText(d, random, was) {
  const hit = some(d, random, was, isText)
  if (hit !== undefined) return [hit[3], hit[2]]
  if (!isText(d.text)) d.text = "new"
  return [["text"], d.text]
}

function someRange(random, s) {
  const start = random.below(s.length + 1)
  return [start, Math.min(s.length, start + random.below(8))]
}

// put and its neighbours: one edit each, of a document open for change.
const put = (d, random, was) => {
  someMap(d, random, was)[random.pick(names)] = value(random)
}
const remove = (d, random, was) => {
  const map = someMap(d, random, was)
  const keys = Object.keys(map)
  if (keys.length > 0) delete map[random.pick(keys)]
}
const insert = (d, random, was) => {
  const list = someList(d, random, was)
  list.insertAt(random.below(list.length + 1), ...Array.from({ length: random.between(1, 3) }, () => value(random, 2)))
}
const append = (d, random, was) => someList(d, random, was).push(value(random, 2))
const removeAt = (d, random, was) => {
  const list = someList(d, random, was)
  if (list.length > 0) list.deleteAt(random.below(list.length), Math.min(list.length, 1 + random.below(2)))
}
const replaceAt = (d, random, was) => {
  const list = someList(d, random, was)
  if (list.length > 0) list[random.below(list.length)] = value(random, 2)
}
const replaceMany = (d, random, was) => {
  const list = someList(d, random, was)
  list.splice(random.below(list.length + 1), random.below(4), ...Array.from({ length: random.below(4) }, () => value(random, 3)))
}

const type = (d, random, was) => {
  const [path, s] = someText(d, random, was)
  A.splice(d, path, random.chance(0.7) ? s.length : random.below(s.length + 1), 0, text(random, 1))
}
const write = (d, random, was) => {
  const [path, s] = someText(d, random, was)
  A.splice(d, path, random.below(s.length + 1), 0, text(random, 15))
}
const erase = (d, random, was) => {
  const [path, s] = someText(d, random, was)
  const [start, end] = someRange(random, s)
  A.splice(d, path, start, end - start, random.chance(0.3) ? text(random, 3) : "")
}
const rewrite = (d, random, was) => {
  const [path, s] = someText(d, random, was)
  const [start, end] = someRange(random, s)
  A.updateText(d, path, (s.slice(0, start) + text(random, 5) + s.slice(end)).toWellFormed().replaceAll("\ufffc", ""))
}

const markNames = ["bold", "link", "comment:1", "comment:2", "日本", "b"]
const markValue = (random) => random.pick([true, false, null, 1, -7, 2.5, "https://example.org", "", new Date(5), random.bytes(3), 2n ** 60n])
const mark = (d, random, was) => {
  const [path, s] = someText(d, random, was)
  const [start, end] = someRange(random, s)
  A.mark(d, path, { start, end, expand: random.pick(["before", "after", "both", "none"]) }, random.pick(markNames), markValue(random))
}
const unmark = (d, random, was) => {
  const [path, s] = someText(d, random, was)
  const [start, end] = someRange(random, s)
  A.unmark(d, path, { start, end, expand: random.pick(["before", "after", "both", "none"]) }, random.pick(markNames))
}

const block = (random) => ({
  type: random.pick([new A.ImmutableString("paragraph"), new A.ImmutableString("heading"), "plain"]),
  parents: random.chance(0.3) ? [new A.ImmutableString("quote"), "list"] : [],
  attrs: random.chance(0.5) ? { level: random.below(6), src: new A.ImmutableString("x"), nested: { on: true } } : {},
})
const split = (d, random, was) => {
  const [path, s] = someText(d, random, was)
  A.splitBlock(d, path, random.below(s.length + 1), block(random))
}
const someBlock = (d, random, was) => {
  const [path, s] = someText(d, random, was)
  const at = [...s.matchAll(/\ufffc/g)].map((m) => m.index)
  return at.length === 0 ? undefined : [path, random.pick(at)]
}
const join = (d, random, was) => {
  const hit = someBlock(d, random, was)
  if (hit !== undefined) A.joinBlock(d, ...hit)
}
const update = (d, random, was) => {
  const hit = someBlock(d, random, was)
  if (hit !== undefined) A.updateBlock(d, ...hit, block(random))
}
const respan = (d, random, was) => {
  const [path] = someText(d, random, was)
  A.updateSpans(d, path, [
    { type: "text", value: text(random, 9), marks: random.chance(0.5) ? { bold: true } : {} },
    { type: "block", value: { type: new A.ImmutableString("p"), parents: [], attrs: {} } },
    { type: "text", value: text(random, 9) },
  ])
}

const increment = (d, random, was) => {
  const hit = some(d, random, was, isCounter)
  if (hit === undefined) d.hits = new A.Counter(random.below(10))
  else if (random.chance(0.5)) hit[0][hit[1]].increment(random.pick([1, 2, 1000, 0, -4]))
  else hit[0][hit[1]].decrement(random.between(1, 9))
}
const replaceCounter = (d, random, was) => {
  const hit = some(d, random, was, isCounter)
  if (hit !== undefined) hit[0][hit[1]] = random.chance(0.7) ? new A.Counter(random.below(100)) : scalar(random)
}
const removeCounter = (d, random, was) => {
  const hit = some(d, random, was, isCounter)
  if (hit === undefined) return
  if (Array.isArray(hit[0])) hit[0].deleteAt(hit[1])
  else delete hit[0][hit[1]]
}
const listCounter = (d, random, was) => someList(d, random, was).push(new A.Counter(random.below(50)))

const contend = (d, random) => {
  d.map[random.pick(["a", "b", "c"])] = value(random, 2)
}
const withdraw = (d, random) => {
  delete d.map[random.pick(["a", "b", "c"])]
}

const flip = (d, random) => {
  d.map[random.pick(["a", "b", "c"])] = scalar(random)
}

const lists = [[4, insert], [3, append], [3, removeAt], [4, replaceAt], [3, replaceMany]]
const prose = [[4, write], [3, erase], [2, rewrite]]
const rich = [...prose, [4, mark], [3, unmark], [3, split], [2, join], [2, update], [1, respan]]
const counters = [[8, increment], [2, replaceCounter], [1, removeCounter], [2, listCounter]]

// edits are weighted choices, for History.change.
export const edits = {
  typing: [[12, type], [2, erase]],
  rich,
  lists,
  counters,
  fields: [[1, flip]],
  conflicts: [[6, contend], [2, withdraw], [1, increment], [1, type]],
  deep: [[4, put], [2, remove], [2, insert], [2, write]],
  all: [[6, put], [3, remove], ...lists, ...rich, ...counters],
}
