// The page in Chromium.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as A from "@automerge/automerge"
import { Person, closeBrowser } from "../lib/browser.mjs"
import { equal, ok, random } from "../lib/check.mjs"
import { find, saved, serverStorage } from "../lib/client.mjs"
import { afterAll, inGroup, test } from "../lib/suite.mjs"
import { pace, until } from "../lib/wait.mjs"

inGroup("browser")
afterAll(closeBrowser)

/** A context with one text block in it. */
async function context(t, title, content) {
  const { url } = await t.server.op("context_create", { title })
  const { id } = await t.server.op("block_create", { context: url, kind: "text", role: "user", form: "text", content })
  return { url, id }
}

/** The text of a block in a stock client's document. */
function textOf(handle, id) {
  for (const page of Object.values(handle.doc().pages)) if (id in page) return page[id].text
}

function pathOf(handle, id) {
  const [page] = Object.entries(handle.doc().pages).find(([, blocks]) => id in blocks)
  return ["pages", page, id, "text"]
}

test("the first page says what to do, and makes a context", { kj: true, own: true, ms: 120_000 }, async t => {
  const amy = await (await Person.at(t)).open(t.server.http)
  await amy.lit("connected")
  await amy.tab.getByText("Where people and agents write together").waitFor()
  ok((await amy.tab.locator("main").innerText()).includes("kj ctx new"), "no command to try")
  await amy.tab.getByRole("button", { name: "Make a context" }).click()
  await amy.tab.locator("dialog input[name=title]:focus").waitFor()
  await amy.tab.keyboard.type("Made on the page é😀")
  await amy.tab.keyboard.press("Enter")
  await amy.tab.locator("section.context").waitFor()
  await until(async () => (await amy.tab.getByLabel("Title", { exact: true }).inputValue()) === "Made on the page é😀", "the title")
  await until(async () => (await amy.tab.locator('nav a[aria-current="page"]').innerText()).includes("Made on the page"), "the context in the list")
  await amy.tab.getByLabel("New block", { exact: true }).fill("First line\nand a second é😀")
  await amy.tab.keyboard.press("Enter")
  await amy.lit("saved")
  const url = new URL(amy.tab.url()).hash.slice(1).split("/")[0]
  const { block_list: list } = await t.server.op("context_get", { context: url })
  equal(list.map(b => [b.content, b.kind, b.role, b.form ?? "text"]), [["First line\nand a second é😀", "text", "user", "text"]], "what the server reads")
  amy.satisfied()
})

test("two pages and a stock client write into one block at once", { kj: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Together", "begin middle end")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  const ben = await (await Person.at(t)).open(t.server.http, url)
  const cleo = await t.client("cleo")
  const handle = await find(cleo, url)
  const path = pathOf(handle, id)

  await amy.edit(id, "start")
  await ben.edit(id, "end")
  const words = { amy: "Amy types this in front. ", ben: " Ben ends it so.", cleo: "·node·" }
  await Promise.all([
    amy.tab.keyboard.type(words.amy, { delay: 12 }),
    ben.tab.keyboard.type(words.ben, { delay: 15 }),
    (async () => {
      for (const letter of words.cleo) {
        handle.change(d => A.splice(d, [...path], textOf(handle, id).indexOf("middle") , 0, letter))
        await pace(40)
      }
    })(),
  ])
  const want = `${words.amy}begin ${words.cleo}middle end${words.ben}`
  await until(async () => textOf(handle, id) === want, () => `the stock client to read ${JSON.stringify(want)}, it reads ${JSON.stringify(textOf(handle, id))}`)
  for (const person of [amy, ben]) {
    await until(async () => (await person.shown(id)) === want, "the page to show it")
    await person.lit("saved")
    person.satisfied()
  }
  await amy.tab.keyboard.type("|")
  await ben.tab.keyboard.type("$")
  await until(async () => (await amy.shown(id)) === `${words.amy}|begin ${words.cleo}middle end${words.ben}$`, async () => `both carets to have stayed; ${await amy.shown(id)}`)
  await amy.tab.keyboard.press("Backspace")
  await ben.tab.keyboard.press("Backspace")
  for (const person of [amy, ben]) await until(async () => (await person.shown(id)) === want, "what was there before")
  await amy.lit("saved")
  await ben.lit("saved")
  const { block_list: list } = await t.server.op("context_get", { context: url })
  equal(list[0].content, want, "what the server reads")
})

test("a page cut off writes on, is reloaded without the server, and merges", { kj: true, own: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Offline", "shared")
  const proxy = await t.proxy()
  const amy = await (await Person.at(t)).open(proxy.http, url)
  const ben = await (await Person.at(t)).open(t.server.http, url)
  await amy.lit("saved")
  await amy.ready()

  proxy.offline()
  await amy.lit("offline")
  equal(await amy.light(), { state: "offline", text: "offline (0 unsent)", unsent: 0 }, "the light with nothing unsent")
  await amy.edit(id, "start")
  await amy.tab.keyboard.type("offline ")
  await amy.add("a block made offline")
  await until(async () => (await amy.light()).unsent === "offline ".length + 1, "nine unsent changes")
  equal((await amy.light()).text, "offline (9 unsent)", "the light")
  await ben.edit(id)
  await ben.tab.keyboard.type(" elsewhere")
  await ben.lit("saved")

  await amy.tab.evaluate(() => window.kaijutsu.repo.flush())
  await amy.tab.reload()
  await amy.tab.locator("section.context").waitFor()
  equal(await amy.shown(id), "offline shared", "what the page shows after a reload without the server")
  await until(async () => (await amy.light()).text === "offline (9 unsent)", "the unsent changes to be remembered")

  proxy.online()
  await amy.lit("saved")
  for (const person of [amy, ben]) {
    await until(async () => (await person.shown(id)) === "offline shared elsewhere", "the merged text")
    await until(async () => (await person.tab.locator("[data-block]").count()) === 2, "the block made offline")
    person.satisfied()
  }
})

test("unsent changes of a document that nobody looks at reach the server too", { kj: true, own: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Left behind", "shared")
  const proxy = await t.proxy()
  const amy = await (await Person.at(t)).open(proxy.http, url)
  await amy.lit("saved")
  await amy.ready()
  proxy.offline()
  await amy.lit("offline")
  await amy.edit(id)
  await amy.tab.keyboard.type("!")
  await until(async () => (await amy.light()).unsent === 1, "one unsent change")
  await amy.tab.evaluate(() => window.kaijutsu.repo.flush())
  await amy.go("")
  await amy.tab.reload()
  proxy.online()
  await until(async () => (await t.server.op("context_get", { context: url })).block_list[0].content === "shared!", "the change at the server")
  amy.satisfied()
})

test("the server is killed under two pages and loses nothing that they called saved", { kj: true, own: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Killed", "")
  const proxy = await t.proxy()
  const people = []
  for (let n = 0; n < 2; n++) people.push(await (await Person.at(t)).open(proxy.http, url))
  let want = ""
  for (let round = 0; round < 3; round++) {
    const [writer, reader] = round % 2 ? [...people].reverse() : people
    await writer.edit(id)
    await writer.tab.keyboard.type(`round ${round}. `)
    want += `round ${round}. `
    await writer.lit("saved")
    await t.server.kill()
    await writer.lit("offline")
    await writer.tab.keyboard.type(`after ${round}. `)
    await until(async () => (await writer.light()).unsent === `after ${round}. `.length, "unsent changes")

    // Nobody heals it: both pages are still cut off when the server is asked.
    proxy.offline()
    await t.server.start()
    equal((await t.server.op("context_get", { context: url })).block_list[0].content, want, "what was saved")
    proxy.online()
    want += `after ${round}. `
    await writer.lit("saved")
    await until(async () => (await reader.shown(id)) === want, "the other page to show it")
  }
  for (const person of people) person.satisfied()
})

test("the light waits for the server's answer", { kj: true, own: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Light", "x")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  await amy.lit("saved")
  t.server.child.kill("SIGSTOP")
  try {
    await amy.edit(id)
    await amy.tab.keyboard.type("y")
    await amy.lit("sending")
    for (let n = 0; n < 20; n++) {
      await pace(20)
      equal((await amy.light()).state, "sending", "the light while the server stands still")
    }
  } finally {
    t.server.child.kill("SIGCONT")
  }
  await amy.lit("saved")
  amy.satisfied()
})

test("a block that is being streamed is shown as it grows", { kj: true, ms: 120_000 }, async t => {
  const { url } = await context(t, "Stream", "Say something long.")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  const { id } = await t.server.op("block_create", { context: url, kind: "text", role: "model", form: "chunks", content: "It" })
  const lengths = new Set()
  let want = "It"
  for (let n = 0; n < 40; n++) {
    await t.server.op("block_append", { context: url, block: id, text: ` grows ${n}` })
    want += ` grows ${n}`
    const shown = (await amy.block(id).count()) ? await amy.shown(id) : ""
    ok(want.startsWith(shown), `the page shows ${JSON.stringify(shown)}`)
    lengths.add(shown.length)
  }
  await until(async () => (await amy.shown(id)) === want, "the whole stream")
  ok(lengths.size >= 5, `the page showed only ${lengths.size} states on the way`)
  equal(await amy.block(id).getAttribute("data-role"), "model", "role")
  amy.satisfied()
  return `${lengths.size} states of 40`
})

test("blocks are added where the keyboard says", { kj: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Keyboard", "one")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  await amy.add("four")
  await amy.edit(id)
  await amy.tab.keyboard.press("Control+Enter") // a block below, with the caret in it
  await amy.tab.keyboard.type("two")
  await amy.tab.keyboard.press("Control+Enter")
  await amy.tab.keyboard.type("three")
  await amy.tab.keyboard.press("ArrowUp") // back into "two"
  await amy.tab.keyboard.press("End")
  await amy.tab.keyboard.type(" and a half")
  await amy.leave()
  await amy.lit("saved")
  const want = ["one", "two and a half", "three", "four"]
  const server = async () => (await t.server.op("context_get", { context: url })).block_list.map(b => b.content)
  await until(async () => JSON.stringify(await Promise.all((await amy.ids()).map(id => amy.shown(id)))) === JSON.stringify(want), async () => `the order on the page; it is ${JSON.stringify(await server())}`)
  equal(await server(), want, "the order on the server")
  for (let n = 0; n < 30; n++) {
    await amy.add(`line ${n}`)
    want.push(`line ${n}`)
  }
  await amy.lit("saved")
  equal(await server(), want, "the order after thirty more")
  amy.satisfied()
})

test("the caret stays in its words while others write around it", { kj: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Caret", "The quick brown fox\njumps over 👩‍👩‍👧 the lazy dog")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  const handle = await find(await t.client("cleo"), url)
  const path = pathOf(handle, id)
  await amy.edit(id, "end")
  for (let n = 0; n < "zy dog".length; n++) await amy.tab.keyboard.press("ArrowLeft")
  const edits = [
    d => A.splice(d, [...path], 0, 3, "A very"),
    d => A.splice(d, [...path], textOf(handle, id).indexOf("\n"), 1, "\n\n"),
    d => A.splice(d, [...path], textOf(handle, id).length, 0, " 😀"),
    d => A.splice(d, [...path], textOf(handle, id).indexOf("brown"), 6, ""),
    d => A.updateText(d, [...path], textOf(handle, id).replace("jumps", "leaps").replace("dog", "cat")),
    d => A.splice(d, [...path], textOf(handle, id).indexOf("👩"), 8, "🎉"),
  ]
  for (const [n, edit] of edits.entries()) {
    handle.change(edit)
    await until(async () => (await amy.shown(id)) === textOf(handle, id), async () => `edit ${n} on the page; ${JSON.stringify(await amy.shown(id))}`)
    await amy.tab.keyboard.type("-")
    await until(() => textOf(handle, id).includes("la-zy"), () => `the caret after edit ${n}: ${textOf(handle, id)}`)
    await amy.tab.keyboard.press("Backspace")
    await until(() => textOf(handle, id).includes("lazy"), `what was typed to be gone after edit ${n}`)
  }
  amy.satisfied()
})

test("random typing on two pages against a stock client ends equal", { kj: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Fuzz", "start\nwith two lines 👩‍👩‍👧 é😀")
  const people = []
  for (let n = 0; n < 2; n++) people.push(await (await Person.at(t)).open(t.server.http, url))
  const handle = await find(await t.client("cleo"), url)
  const path = pathOf(handle, id)
  const pieces = ["a", "é", "😀", "👩‍👩‍👧", "two words", "x"]
  const moves = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "Shift+ArrowLeft", "Shift+ArrowRight", "Control+ArrowLeft", "Control+Home"]
  const typing = people.map(async person => {
    await person.edit(id)
    for (let n = 0; n < 120; n++) {
      const what = random(8)
      if (what < 3) await person.tab.keyboard.press(moves[random(moves.length)])
      else if (what < 6) await person.tab.keyboard.insertText(pieces[random(pieces.length)])
      else if (what < 7) await person.tab.keyboard.press("Enter")
      else await person.tab.keyboard.press(random(2) ? "Backspace" : "Delete")
      if (!(await person.box(id).evaluate(el => el.contains(document.activeElement)))) await person.edit(id) // an arrow led out of it
    }
  })
  for (let n = 0; n < 150; n++) {
    handle.change(d => {
      const text = textOf(handle, id)
      const at = random(text.length + 1)
      A.splice(d, [...path], at, Math.min(random(4), text.length - at), ["b", "\r\n", "🎉", "", "cd"][random(5)])
    })
    await pace(random(12))
  }
  await Promise.all(typing)
  for (const person of people) {
    await person.lit("saved")
    await until(async () => (await person.text(url, id)) === textOf(handle, id), "the document in the page to be what the stock client reads")
    // Joining lines, the browser itself tries to keep their look by a style that the policy forbids.
    person.complaints = person.complaints.filter(c => !c.startsWith("Applying inline style"))
    await until(async () => (await person.shown(id)) === textOf(handle, id).replace(/\r/g, ""), async () => `the page to show what the stock client reads:\n${JSON.stringify(await person.shown(id))}\n${JSON.stringify(textOf(handle, id))}`)
    person.satisfied()
  }
  return `${textOf(handle, id).length} characters`
})

test("an input method is not disturbed by what others write", { kj: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Input method", "漢字: end")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  const handle = await find(await t.client("cleo"), url)
  const path = pathOf(handle, id)
  await amy.edit(id, 4)
  const keys = await amy.context.newCDPSession(amy.tab)
  await keys.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 })
  handle.change(d => A.splice(d, [...path], 0, 0, "front "))
  await until(() => amy.tab.evaluate(([url, path]) => {
    let value = Object.values(window.kaijutsu.repo.handles).find(h => h.url === url).doc()
    for (const key of path) value = value[key]
    return value.startsWith("front ")
  }, [url, path]), "the other's words in the page's document")
  await keys.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 })
  handle.change(d => A.splice(d, [...path], textOf(handle, id).length, 0, "!"))
  await keys.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 })
  await keys.send("Input.insertText", { text: "日本" })
  await until(async () => (await amy.shown(id)) === "front 漢字: 日本end!" && textOf(handle, id) === "front 漢字: 日本end!", () => `the composed text; it is ${JSON.stringify(textOf(handle, id))}`)
  await amy.lit("saved")
  amy.satisfied()
})

test("a text of 220,000 characters is pasted, and taken out again", { kj: true, ms: 150_000 }, async t => {
  const { url, id } = await context(t, "Large", "around")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  await amy.edit(id, 3)
  await amy.paste(id, "lorem😀 ".repeat(27_500))
  await amy.lit("saved")
  const content = async () => (await t.server.op("context_get", { context: url })).block_list[0].content
  equal(await content(), "aro" + "lorem😀 ".repeat(27_500) + "und", "what the server reads")
  await amy.tab.keyboard.press("Control+z")
  await until(async () => (await amy.text(url, id)) === "around", "the paste to be undone")
  await amy.lit("saved")
  equal(await content(), "around", "what the server reads after")
  amy.satisfied()
})

test("two tabs of one person share what they have and are both right about what is saved", { kj: true, ms: 120_000 }, async t => {
  const { url, id } = await context(t, "Tabs", "x")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  const second = await (await amy.another()).open(t.server.http, url)
  for (let n = 0; n < 6; n++) {
    const [from, to] = n % 2 ? [second, amy] : [amy, second]
    await from.edit(id)
    await from.tab.keyboard.type(`${n}`)
    await until(async () => (await to.shown(id)).endsWith(`${n}`), `edit ${n} in the other tab`)
    for (const tab of [amy, second]) await tab.lit("saved")
  }
  amy.satisfied()
  second.satisfied()
})

test("with a token the page opens by its address once, and by its cookie then", { kj: true, own: ["--auth", "token"], ms: 120_000 }, async t => {
  const token = readFileSync(join(t.server.data, "owner.token"), "utf8").trim()
  const create = await fetch(`${t.server.http}/v1/ops/context_create`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: JSON.stringify({ title: "Locked" }) })
  const { url } = await create.json()
  const stranger = await Person.at(t)
  const reply = await stranger.tab.goto(`${t.server.http}/`)
  ok(reply.status() === 403 || reply.status() === 401, `a stranger gets ${reply.status()}`)
  ok(!(await stranger.tab.content()).includes("/assets/index"), "a stranger gets the page")

  const amy = await Person.at(t)
  await amy.tab.goto(`${t.server.http}/?token=${token}#${url}`)
  await amy.tab.locator("section.context").waitFor()
  ok(!amy.tab.url().includes(token), "the token stays in the address")
  await amy.add("written with a token")
  await amy.lit("saved")
  await until(async () => (await amy.tab.locator('nav[aria-label="Contexts"] a').allInnerTexts()).some(name => name.includes("Locked")), "the list")
  await amy.ready()
  await amy.tab.goto("about:blank")
  await amy.open(t.server.http, url)
  await amy.tab.locator("[data-block]").getByText("written with a token").waitFor()
  await amy.lit("saved")
  amy.satisfied()
})

test("any stock document is shown as it is, live", { kj: true, ms: 120_000 }, async t => {
  const cleo = await t.client("cleo")
  const handle = cleo.create({ title: "not a context", n: 1, bytes: new Uint8Array([1, 2, 255]), at: new Date(0), big: 2n ** 60n, counter: new A.Counter(4), scalar: new A.ImmutableString("s") })
  await until(() => saved(handle, serverStorage(cleo)), "the server to have it")
  const amy = await (await Person.at(t)).open(t.server.http, handle.url)
  const shown = () => amy.tab.locator("section.json pre").innerText()
  const text = await shown()
  for (const part of ['"title": "not a context"', '"n": 1', "bytes(3) 0102ff", "1970-01-01T00:00:00.000Z", "1152921504606846976", '"counter": 4', '"scalar": "s"']) ok(text.includes(part), `${part} is not in ${text}`)
  handle.change(d => (d.n = 2))
  await until(async () => (await shown()).includes('"n": 2'), "the edit on the page")
  amy.satisfied()
})

test("a wrong address, a missing document and one that comes later", { kj: true, ms: 120_000 }, async t => {
  const proxy = await t.proxy()
  proxy.offline()
  const cleo = t.offlineClient("cleo", { via: proxy })
  const made = cleo.create({ late: "but here" })
  const amy = await (await Person.at(t)).open(t.server.http)
  await amy.lit("connected")
  await amy.go("automerge:wrong")
  await amy.tab.getByText("This is not a document’s address").waitFor()
  await amy.go(made.url)
  await amy.tab.getByText("Nobody has this document").waitFor()
  proxy.online()
  await amy.tab.locator("section.json").waitFor()
  ok((await amy.tab.locator("section.json pre").innerText()).includes("but here"), "the document is not shown")
  amy.satisfied()
})
