#!/usr/bin/env node
// How the page feels with a large context, beside BlockNote on Yjs with as many
// paragraphs, in one run: opening it cold, scrolling, typing while five others
// write, and what an hour of streaming leaves in memory.
//
//   npm ci --prefix rivals/blocknote
//   node pagebench.mjs --kj PATH [--blocks 10000] [--live 10] [--writers 5] [--rounds 3] [--keys 200] [--stream SECONDS]
//
// Both pages are in the same Chromium, one after the other, several rounds, each
// in a fresh profile, over the loopback, from a server that holds the document.
// The texts are the same, and so are the writers: as many, as fast, at the end
// of the same blocks, all of them in sight.
//
//   first  the first text of the document on the screen. Ours comes as a preview,
//          BlockNote's with the document.
//   open   the document itself is there and can be edited.
//   key    from keydown to behind the paint that shows it; frames come as fast as
//          they can for it (--disable-frame-rate-limit), so that waiting for the
//          screen is not in it. A page that falls behind is cut off after a while;
//          what was typed has to be there in the end.
//   frame  between frames while scrolling, at 60 a second; late: those that missed one.
//   heap   JavaScript's, collected, and with it WebAssembly's memory, apart.
//
// What is not the same: our page has a kernel about it (list, presence, saved
// light), of the blocks only every tenth (--live) can be typed into, the rest
// are records, as what agents write is; and it shows those in sight alone, where
// BlockNote puts all paragraphs in the page. With --live 1 all can be typed into.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as A from "@automerge/automerge"
import { ImmutableString } from "@automerge/automerge-repo"
import { chromium } from "playwright-core"
import { findChromium } from "./lib/browser.mjs"
import { client, connected, find, saved, serverStorage } from "./lib/client.mjs"
import { firstSeen, held, keyTimes, loaded, quantiles, scroll, watchFirst, watchKeys, watchWasm } from "./lib/paint.mjs"
import { pageOf } from "./lib/pages.mjs"
import { Server, kinds } from "./lib/server.mjs"
import { pace, until } from "./lib/wait.mjs"
import { rival } from "./rivals/blocknote/server.mjs"

const { values: flags } = parseArgs({
  options: { kj: { type: "string" }, blocks: { type: "string", default: "10000" }, live: { type: "string", default: "10" }, writers: { type: "string", default: "5" }, rounds: { type: "string", default: "3" }, stream: { type: "string", default: "0" }, alone: { type: "boolean" }, keys: { type: "string", default: "200" } },
})
if (!flags.kj) {
  console.error("usage: pagebench.mjs --kj PATH [--blocks N] [--live N] [--writers N] [--rounds N] [--keys N] [--stream SECONDS]")
  process.exit(2)
}
const [blocks, live, writers, rounds, keys, stream] = [flags.blocks, flags.live, flags.writers, flags.rounds, flags.keys, flags.stream].map(Number)
const log = console.error
console.log = () => {} // the repo logs what it catches

const lorem = "The grid asks for three sizes of every picture that comes in, and waits for none of them. ".repeat(4)
const texts = Array.from({ length: blocks }, (_, n) => `${n}. ${lorem.slice(0, 40 + ((n * 37) % 280))}`)
const blockID = n => `01900000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

/** A context with all the blocks: some can be typed into, the rest are records. */
async function fill(server) {
  const { url } = await server.op("context_create", { title: "Ten thousand" })
  const repo = client("filler", server.ws)
  await connected(repo)
  const handle = await find(repo, url)
  const str = s => new ImmutableString(s)
  for (let from = 0; from < blocks; from += 500) {
    handle.change(d => {
      for (let n = from; n < Math.min(blocks, from + 500); n++) {
        const id = blockID(n)
        d.pages[pageOf(id)][id] = { kind: str("text"), role: str(n % 3 ? "model" : "user"), status: str("done"), order: str(`b${n.toString().padStart(6, "0")}`), ...(n % live === 0 || n < 12 ? { text: texts[n] } : { body: str(texts[n]) }) }
      }
    })
  }
  await until(() => saved(handle, serverStorage(repo)), "the blocks to be saved", 120_000)
  repo.adapter.disconnect()
  return url
}

const launch = (...more) => chromium.launch({ executablePath: findChromium(), args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", ...more] })

/** So long is typed at most: a page that is behind is not waited for. */
const typingMillis = 15_000 + keys * 100
const patience = 120_000
const steps = Math.min(300, Math.ceil(blocks / 10))

/** Fails rather than waiting for a page that hangs. */
const within = (what, ms, promise) => Promise.race([promise, new Promise((_, fail) => setTimeout(() => fail(new Error(`${what} took more than ${ms / 1000} s`)), ms).unref())])

async function openTab(browser, page) {
  const tab = await (await browser.newContext({ viewport: { width: 1180, height: 800 } })).newPage()
  tab.setDefaultTimeout(patience)
  await watchWasm(tab)
  await watchFirst(tab, "first", page.first)
  await watchFirst(tab, "open", page.open)
  await tab.goto(page.url)
  return tab
}

/** Types into block 2 while the others write into those below it. */
async function type(tab, { block, write }) {
  await block(tab, 2).click()
  await tab.waitForFunction(() => document.activeElement?.isContentEditable)
  await tab.keyboard.press("End")
  await watchKeys(tab)
  let on = true
  const others = Array.from({ length: writers }, async (_, w) => {
    for (let n = 0; on; n++) {
      await write(3 + w, "abcdefgh"[n % 8])
      await pace(100)
    }
  }).map(writer => writer.catch(err => log(`a writer stopped: ${err.message}`)))
  let typed = ""
  const ends = performance.now() + typingMillis
  try {
    while (typed.length < keys && performance.now() < ends) {
      const key = "typing-"[typed.length % 7]
      await tab.keyboard.type(key)
      typed += key
      await pace(60)
    }
  } finally {
    on = false
    await Promise.all(others)
  }
  const times = await within("what was typed", patience, keyTimes(tab))
  await until(async () => (await block(tab, 2).textContent()).includes(typed), "what was typed to be there", patience)
  return { ...quantiles(times), cut: typed.length < keys }
}

/** One page measured: `first` and `open` are selectors, `block(tab, n)` is where a click begins to edit block n, `write(n, letter)` somebody else's letter at its end. */
async function measure(page) {
  const result = {}
  let browser = await launch("--disable-frame-rate-limit", "--disable-gpu-vsync")
  try {
    const tab = await openTab(browser, page)
    await page.block(tab, 2).waitFor()
    result.keys = await type(tab, page)
    result.held = await held(tab)
    await browser.close()
    browser = await launch()
    const calm = await openTab(browser, page)
    result.first = await firstSeen(calm, "first")
    result.open = await firstSeen(calm, "open")
    await page.block(calm, 2).waitFor()
    result.scripts = await loaded(calm, ".js")
    result.wasmFile = await loaded(calm, ".wasm")
    const frames = await within("scrolling", patience, scroll(calm, steps, 400))
    result.frames = { ...quantiles(frames), late: frames.filter(ms => ms > 25).length / frames.length }
    return result
  } finally {
    await browser.close()
  }
}

const tmp = mkdtempSync(join(tmpdir(), "kj-pagebench-"))
const server = await new Server(kinds.kj(flags.kj), tmp).start()
const context = await fill(server)
/** How many characters each of the others' blocks has. */
const lengths = new Map()
const other = await rival(texts)
const ours = {
  url: `${server.http}/#${context}`,
  first: "[data-preview], [data-block] .content",
  open: "[data-block] .content",
  block: (tab, n) => tab.locator(`[data-block="${blockID(n)}"] .content`),
  // By an operation: writers with documents of their own would take the processor from the page.
  write: (n, letter) => {
    const offset = lengths.get(n) ?? texts[n].length
    lengths.set(n, offset + 1)
    return server.op("block_splice", { context, block_id: blockID(n), offset, delete_count: 0, insert: letter })
  },
}
const theirs = { url: other.url, first: ".bn-block-content", open: ".bn-block-content", block: (tab, n) => tab.locator(`[data-id="block-${n}"] .bn-inline-content`).first(), write: other.write }

const number = (v, width = 8) => v.toFixed(1).padStart(width)
const mb = bytes => (bytes / 1e6).toFixed(0).padStart(8)
const print = process.stdout
print.write(`${blocks} blocks, ${writers} other writers, ${keys} keys, ${rounds} rounds\n`)
print.write("                     first     open  key p50  key p95  key p99 frame p95 late %  heap MB  wasm MB  nodes\n")
const all = { kj: [], blocknote: [] }
for (let round = 0; round < rounds; round++) {
  for (const [name, page] of flags.alone ? [["kj", ours]] : round % 2 ? [["blocknote", theirs], ["kj", ours]] : [["kj", ours], ["blocknote", theirs]]) {
    const r = await measure(page).catch(err => log(`${name}: ${err.message}`))
    if (!r) continue
    all[name].push(r)
    print.write(`${name.padEnd(17)} ${number(r.first)} ${number(r.open)} ${number(r.keys.p50)} ${number(r.keys.p95)} ${number(r.keys.p99)} ${number(r.frames.p95, 9)} ${number(100 * r.frames.late, 6)} ${mb(r.held.js)} ${mb(r.held.wasm)} ${String(r.held.nodes).padStart(6)}${r.keys.cut ? `  cut off after ${r.keys.n} keys` : ""}\n`)
  }
}
const median = (name, of) => quantiles(all[name].map(of)).p50
if (all.kj.length && all.blocknote.length) {
  for (const [what, of] of [["first", r => r.first], ["open", r => r.open], ["key p95", r => r.keys.p95], ["heap and wasm", r => r.held.js + r.held.wasm]]) print.write(`blocknote / kj, ${what}: ${(median("blocknote", of) / median("kj", of)).toFixed(1)}\n`)
}
for (const name of ["kj", "blocknote"]) {
  if (all[name].length) print.write(`${name}: loaded to open, gzip: ${(median(name, r => r.scripts) / 1024).toFixed(0)} KiB of scripts, ${(median(name, r => r.wasmFile) / 1024).toFixed(0)} KiB of WebAssembly\n`)
}

if (stream > 0) {
  const browser = await launch()
  const tab = await (await browser.newContext({ viewport: { width: 1180, height: 800 } })).newPage()
  await watchWasm(tab)
  const { url } = await server.op("context_create", { title: "Stream" })
  await tab.goto(`${server.http}/#${url}`)
  await tab.locator("section.context").waitFor()
  const ends = performance.now() + stream * 1000
  for (let n = 0; performance.now() < ends; n++) {
    // A model that answers: a block of 40 pieces, then the next; older ones are put away.
    const { id } = await server.op("block_create", { context: url, kind: "text", role: "model", form: "chunks", content: "" })
    for (let piece = 0; piece < 40; piece++) {
      await server.op("block_append", { context: url, block: id, text: `piece ${piece} of what is streamed, `, flush: true })
      await pace(50)
    }
    await server.op("block_status", { context: url, block_id: id, status: "done" })
    if (n % 5 > 0) continue
    const { js, wasm, nodes, listeners } = await held(tab)
    print.write(`streaming, minute ${((stream * 1000 - (ends - performance.now())) / 60_000).toFixed(1)}: heap ${(js / 1e6).toFixed(1)} MB, wasm ${(wasm / 1e6).toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners, ${n + 1} blocks\n`)
  }
  await browser.close()
}
other.close()
await server.kill("SIGTERM")
rmSync(tmp, { recursive: true, force: true, maxRetries: 3 })
process.exit(0)
