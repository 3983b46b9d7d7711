// Chromium with the page open, as people have it.
import { execFileSync } from "node:child_process"
import { chromium } from "playwright-core"
import { until } from "./wait.mjs"

const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]

/** Where Chromium is: $KJ_CHROMIUM, or the first of the usual names in the path. */
export function findChromium() {
  if (process.env.KJ_CHROMIUM) return process.env.KJ_CHROMIUM
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("which", [name], { encoding: "utf8" }).trim()
    } catch {
      // The next one.
    }
  }
  throw new Error("no Chromium in the path; install it or set KJ_CHROMIUM")
}

let running

/** The one browser of this run; each person gets a profile of their own within it. */
async function browser() {
  running ??= chromium.launch({ executablePath: findChromium(), args: flags })
  return running
}

export async function closeBrowser() {
  if (running) await (await running).close()
  running = undefined
}

/** What a browser may say on its console while a server is away. */
const away = /WebSocket connection to|ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED|Failed to load resource: net::|ERR_INTERNET_DISCONNECTED/

/** Whether a message is that an operation was refused: the page says what it makes of that. */
const refused = m => m.text().startsWith("Failed to load resource: the server responded") && m.location().url.includes("/v1/ops/")

/** A person at the page: a fresh profile with one tab. */
export class Person {
  /** What the page complained about, except for a server that is away. */
  complaints = []

  static async at(t, { colorScheme = "light", viewport = { width: 1180, height: 800 } } = {}) {
    const context = await (await browser()).newContext({ colorScheme, viewport })
    t.onClose(() => context.close())
    return Person.in(context)
  }

  static async in(context) {
    const person = new Person()
    person.context = context
    person.tab = await context.newPage()
    person.tab.setDefaultTimeout(30_000)
    person.tab.on("console", m => m.type() === "error" && !away.test(m.text()) && !refused(m) && person.complaints.push(m.text()))
    person.tab.on("pageerror", err => away.test(err.message) || person.complaints.push(err.stack ?? err.message))
    person.tab.on("dialog", dialog => (person.complaints.push(`dialog: ${dialog.message()}`), dialog.dismiss()))
    return person
  }

  /** Another tab of the same person. */
  another() {
    return Person.in(this.context)
  }

  /** Opens the page of a server, at a document if a URL is given. */
  async open(http, url) {
    await this.tab.goto(url ? `${http}/#${url}` : http)
    if (url) await this.tab.locator("section.context, section.json").waitFor()
    return this
  }

  /** Opens another document on the page that is open. */
  async go(url) {
    await this.tab.evaluate(url => (location.hash = url), url)
  }

  block(id) {
    return this.tab.locator(`[data-block="${id}"]`)
  }

  /** Where a block is edited, if it is. */
  box(id) {
    return this.block(id).locator(".cm-content")
  }

  /** Makes an editor of a text block, as a click does, with the caret at its "start" or "end", or behind so many characters. */
  async edit(id, caret = "end") {
    // An editor that stands there for others goes when they do.
    await until(async () => {
      if (!(await this.box(id).count())) await this.block(id).locator(".content").click({ timeout: 10_000 })
      await this.box(id).focus({ timeout: 2_000 })
      return this.box(id).evaluate(el => el === document.activeElement)
    }, "the editor")
    await this.tab.keyboard.press(caret === "end" ? "Control+End" : "Control+Home")
    if (typeof caret === "number") for (let n = 0; n < caret; n++) await this.tab.keyboard.press("ArrowRight")
  }

  /** Leaves the editor. */
  leave() {
    return this.tab.keyboard.press("Escape")
  }

  /** What a block shows: of an editor its lines, without what marks the carets of others; else the rendered text. */
  shown(id) {
    return this.block(id)
      .locator(".content")
      .first()
      .evaluate(el => {
        const lines = [...el.querySelectorAll(".cm-line")]
        if (!lines.length) return el.textContent
        const text = node => (node.nodeType === Node.TEXT_NODE ? node.data : node.nodeType !== Node.ELEMENT_NODE || node.contentEditable === "false" || node.matches(".cm-widgetBuffer") ? "" : [...node.childNodes].map(text).join(""))
        return lines.map(text).join("\n")
      })
  }

  /** A block's text in the document of the page. */
  text(url, id) {
    return this.tab.evaluate(([url, id]) => {
      const doc = Object.values(window.kaijutsu.repo.handles).find(h => h.url === url).doc()
      return Object.values(doc.pages).find(page => id in page)?.[id].text
    }, [url, id])
  }

  /** The blocks that are on the screen, in order. */
  ids() {
    return this.tab.locator("[data-block]").evaluateAll(list => list.map(el => el.dataset.block))
  }

  /** Writes a new block at the end. */
  async add(text) {
    await this.tab.getByLabel("New block", { exact: true }).fill(text)
    await this.tab.keyboard.press("Enter")
  }

  /** Pastes a text where the caret is. */
  paste(id, text) {
    return this.box(id).evaluate((el, text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData("text/plain", text)
      el.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  }

  /** The saved light: {state, text, unsent}. */
  light() {
    return this.tab.locator("output.light").evaluate(el => ({ state: el.dataset.state, text: el.textContent, unsent: Number(el.dataset.unsent ?? 0) }))
  }

  /** Waits for the light to show a state. */
  async lit(state, ms = 60_000) {
    await until(async () => (await this.light()).state === state, async () => `the light to be ${state}, it is ${JSON.stringify(await this.light())}`, ms)
  }

  /** Waits until the page can be opened without the server. */
  async ready() {
    await this.tab.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    // The documents are written to IndexedDB a moment after they change.
    await this.tab.evaluate(() => window.kaijutsu.repo.flush())
  }

  /** Fails if the page complained. */
  satisfied() {
    if (this.complaints.length) throw new Error(`the page complained: ${this.complaints.slice(0, 3).join(" | ")}`)
  }
}
