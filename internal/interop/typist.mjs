// A stock client at a keyboard, led by lines on its standard input:
//
//   node typist.mjs WS_URL DOCUMENT_URL BLOCK WORD
//
//   type N    puts WORD's letters into the block's text, N changes at places of its own choice
//   saved     waits until the server has all of it
//   await S   waits until the text is the JSON string S
//   text      answers with the text as a JSON string
//
// Each line is answered with one line.
import { createHash } from "node:crypto"
import { createInterface } from "node:readline"
import { splice } from "@automerge/automerge-repo"
import { client, connected, find, saved, serverStorage } from "./lib/client.mjs"
import { until } from "./lib/wait.mjs"

const [ws, url, block, word] = process.argv.slice(2)
const page = (createHash("sha256").update(block).digest()[0] % 64).toString(16).padStart(2, "0")
const path = ["pages", page, block, "text"]

const repo = client("typist", ws)
await connected(repo)
const handle = await find(repo, url)
const text = () => handle.doc().pages[page]?.[block]?.text
await until(() => typeof text() === "string", "the block to be there")
console.log("ready")

let next = 7
const below = n => (next = (next * 1103515245 + 12345) % 2 ** 31) % n

const commands = {
  async type(n) {
    for (let i = 0; i < Number(n); i++) {
      handle.change(doc => splice(doc, path, below(text().length + 1), 0, word[i % word.length]))
      await new Promise(setImmediate)
    }
    return "typed"
  },
  async saved() {
    await until(() => saved(handle, serverStorage(repo)), "the server to have it", 30_000)
    return "saved"
  },
  async await(rest) {
    const want = JSON.parse(rest)
    await until(() => text() === want, "the text to be the same", 30_000)
    return "same"
  },
  text: async () => JSON.stringify(text()),
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...rest] = line.split(" ")
  try {
    console.log(await commands[command](rest.join(" ")))
  } catch (e) {
    console.log(`error: ${e.message}`)
  }
}
process.exit(0)
