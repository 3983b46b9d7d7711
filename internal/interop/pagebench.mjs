#!/usr/bin/env node
// How the page feels with a large context, beside BlockNote on Yjs with as many
// paragraphs, in one run: opening it cold, scrolling, typing while five others
// write, and what an hour of streaming leaves in memory.
//
//   npm ci --prefix rivals/blocknote
//   node pagebench.mjs --kj PATH [--blocks 10000] [--writers 5] [--rounds 3] [--stream SECONDS]
//
// Both pages are in the same Chromium, one after the other, several rounds. A
// key's time is from keydown to behind the paint that shows it; frames come as
// fast as they can for it (--disable-frame-rate-limit), so that waiting for the
// screen is not in it. Scrolling is measured at 60 frames a second.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import * as A from "@automerge/automerge"
import { ImmutableString } from "@automerge/automerge-repo"
import { chromium } from "playwright-core"
import { findChromium } from "./lib/browser.mjs"
import { client, connected, find, saved, serverStorage } from "./lib/client.mjs"
import { firstSeen, heap, keyTimes, quantiles, scroll, watchFirst, watchKeys } from "./lib/paint.mjs"
import { pageOf } from "./lib/pages.mjs"
import { Server, kinds } from "./lib/server.mjs"
import { pace, until } from "./lib/wait.mjs"
import { rival } from "./rivals/blocknote/server.mjs"

const { values: flags } = parseArgs({
  options: { kj: { type: "string" }, blocks: { type: "string", default: "10000" }, writers: { type: "string", default: "5" }, rounds: { type: "string", default: "3" }, stream: { type: "string", default: "0" }, keys: { type: "string", default: "200" } },
})
if (!flags.kj) {
  console.error("usage: pagebench.mjs --kj PATH [--blocks N] [--writers N] [--rounds N] [--keys N] [--stream SECONDS]")
  process.exit(2)
}
const [blocks, writers, rounds, keys, stream] = [flags.blocks, flags.writers, flags.rounds, flags.keys, flags.stream].map(Number)
const log = console.error
console.log = () => {} // the repo logs what it catches

const lorem = "The grid asks for three sizes of every picture that comes in, and waits for none of them. ".repeat(4)
const texts = Array.from({ length: blocks }, (_, n) => `${n}. ${lorem.slice(0, 40 + ((n * 37) % 280))}`)
const blockID = n => `01900000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

/** A context with all the blocks: every tenth can be edited, the rest are records. */
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
        d.pages[pageOf(id)][id] = { kind: str("text"), role: str(n % 3 ? "model" : "user"), status: str("done"), order: str(`b${n.toString().padStart(6, "0")}`), ...(n % 10 < 1 || n < 12 ? { text: texts[n] } : { body: str(texts[n]) }) }
      }
    })
  }
  await until(() => saved(handle, serverStorage(repo)), "the blocks to be saved", 120_000)
  repo.adapter.disconnect()
  return url
}

const launch = (...more) => chromium.launch({ executablePath: findChromium(), args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", ...more] })

/** One page measured. `block(n)` is where a click begins to edit block n; `write(n, letter)` is somebody else's letter. */
async function measure({ url, first, block, write }) {
  const result = {}
  const fast = await launch("--disable-frame-rate-limit", "--disable-gpu-vsync")
  const even = await launch()
  try {
    const tab = await (await fast.newContext({ viewport: { width: 1180, height: 800 } })).newPage()
    await watchFirst(tab, first)
    await tab.goto(url)
    result.open = await firstSeen(tab)
    await block(tab, 2).waitFor()
    await block(tab, 2).click({ timeout: 120_000 })
    await tab.keyboard.press("End")
    await watchKeys(tab)
    let on = true
    const others = Array.from({ length: writers }, async (_, w) => {
      for (let n = 0; on; n++) {
        await write(3 + w, "abcdefgh"[n % 8])
        await pace(100)
      }
    })
    for (let n = 0; n < keys; n++) {
      await tab.keyboard.type("typing "[n % 7])
      await pace(60)
    }
    on = false
    await Promise.all(others)
    result.keys = quantiles(await keyTimes(tab))
    result.heap = await heap(tab)
    await tab.close()

    const calm = await (await even.newContext({ viewport: { width: 1180, height: 800 } })).newPage()
    await calm.goto(url)
    await block(calm, 2).waitFor({ timeout: 120_000 })
    const frames = await scroll(calm, 300, 400)
    result.frames = { ...quantiles(frames), late: frames.filter(ms => ms > 25).length / frames.length }
    return result
  } finally {
    await fast.close()
    await even.close()
  }
}

const tmp = mkdtempSync(join(tmpdir(), "kj-pagebench-"))
const server = await new Server(kinds.kj(flags.kj), tmp).start()
const context = await fill(server)
const authors = []
for (let w = 0; w < writers; w++) {
  const repo = client(`writer${w}`, server.ws)
  await connected(repo)
  authors.push(await find(repo, context))
}
const other = await rival(texts)
const ours = {
  url: `${server.http}/#${context}`,
  first: "[data-block] .content",
  block: (tab, n) => tab.locator(`[data-block="${blockID(n)}"] .content`),
  write: (n, letter) => authors[n - 3].change(d => {
    const id = blockID(n)
    A.splice(d, ["pages", pageOf(id), id, "text"], 0, 0, letter)
  }),
}
const theirs = { url: other.url, first: ".bn-block-content", block: (tab, n) => tab.locator(`[data-id="block-${n}"] .bn-inline-content`).first(), write: other.write }

const ms = v => v.toFixed(1).padStart(8)
const print = process.stdout
print.write(`${blocks} blocks, ${writers} other writers, ${keys} keys, ${rounds} rounds\n`)
print.write("                      open ms  key p50  key p95  key p99 frame p95 late %  heap MB\n")
const all = { kj: [], blocknote: [] }
for (let round = 0; round < rounds; round++) {
  for (const [name, page] of round % 2 ? [["blocknote", theirs], ["kj", ours]] : [["kj", ours], ["blocknote", theirs]]) {
    const r = await measure(page).catch(err => log(`${name}: ${err.message}`))
    if (!r) continue
    all[name].push(r)
    print.write(`${name.padEnd(20)} ${ms(r.open)} ${ms(r.keys.p50)} ${ms(r.keys.p95)} ${ms(r.keys.p99)} ${ms(r.frames.p95)} ${(100 * r.frames.late).toFixed(1).padStart(6)} ${(r.heap / 1e6).toFixed(0).padStart(8)}\n`)
  }
}
const median = (name, of) => quantiles(all[name].map(of)).p50
if (all.kj.length && all.blocknote.length) {
  for (const [what, of] of [["open", r => r.open], ["key p95", r => r.keys.p95], ["heap", r => r.heap]]) print.write(`blocknote / kj, ${what}: ${(median("blocknote", of) / median("kj", of)).toFixed(1)}\n`)
}

const assets = fileURLToPath(new URL("../ui/dist/assets", import.meta.url))
const gz = ext => readdirSync(assets).filter(f => f.endsWith(ext)).reduce((sum, f) => sum + gzipSync(readFileSync(join(assets, f))).length, 0)
print.write(`scripts, gzip: kj ${(gz(".js") / 1024).toFixed(0)} KB and ${(gz(".wasm") / 1024).toFixed(0)} KB wasm; blocknote ${(other.scriptBytes / 1024).toFixed(0)} KB\n`)

if (stream > 0) {
  const browser = await launch()
  const tab = await (await browser.newContext({ viewport: { width: 1180, height: 800 } })).newPage()
  const { url } = await server.op("context_create", { title: "Stream" })
  await tab.goto(`${server.http}/#${url}`)
  await tab.locator("section.context").waitFor()
  const ends = performance.now() + stream * 1000
  let samples = 0
  for (let n = 0; performance.now() < ends; n++) {
    // A model that answers: a block of 40 pieces, then the next; older ones are put away.
    const { id } = await server.op("block_create", { context: url, kind: "text", role: "model", form: "chunks", content: "" })
    for (let piece = 0; piece < 40; piece++) {
      await server.op("block_append", { context: url, block: id, text: `piece ${piece} of what is streamed, `, flush: true })
      await pace(50)
    }
    await server.op("block_status", { context: url, block_id: id, status: "done" })
    if (n % 15 === 0) print.write(`streaming, minute ${((stream * 1000 - (ends - performance.now())) / 60_000).toFixed(1)}: heap ${((await heap(tab)) / 1e6).toFixed(1)} MB, ${n + 1} blocks, sample ${++samples}\n`)
  }
  await browser.close()
}
other.close()
await server.kill("SIGTERM")
rmSync(tmp, { recursive: true, force: true, maxRetries: 3 })
process.exit(0)
