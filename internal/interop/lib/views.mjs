// Every view of the page, with something in it: how to get there, and how to
// leave what lies over the page.
import { until } from "./wait.mjs"

/** The views of a person who sees what `showcase` made; each resolves to how to leave it, if that is needed. */
export function viewsOf(person, made) {
  const { tab } = person
  const { gallery } = made.contexts
  const { plan, call, drift } = made.blocks
  const go = async (address, ready) => {
    await tab.evaluate(address => (location.hash = address), address)
    await ready.first().waitFor()
  }
  const heading = name => tab.locator("main").getByRole("heading", { name })
  const dialog = name => tab.getByRole("dialog", { name })
  const escape = () => tab.keyboard.press("Escape")
  const context = async () => {
    await go(`#${gallery.url}`, tab.locator("section.context"))
    await until(async () => (await person.ids()).length > 3, "the blocks")
  }
  const row = async id => {
    await context()
    await tab.evaluate(address => (location.hash = address), `#${gallery.url}/${id}`)
    await person.block(id).waitFor()
    await person.block(id).scrollIntoViewIfNeeded()
    await person.block(id).focus()
  }
  const palette = async words => {
    await tab.keyboard.press("Control+k")
    await dialog("Command palette").waitFor()
    if (words === undefined) return
    await tab.keyboard.type(words)
    await dialog("Command palette").getByRole("option", { name: words }).first().click()
  }
  const history = async () => {
    await go(`#/history/${gallery.url}`, tab.getByRole("slider", { name: "Point in time" }))
  }
  return {
    welcome: () => go("#/", heading(/./)),
    context,
    "end of a context": async () => (await row(drift), undefined),
    "open card": async () => {
      await row(call)
      await tab.keyboard.press("Enter")
      await tab.getByText("BenchmarkColdRead").first().waitFor()
    },
    editor: async () => {
      await row(plan)
      await person.edit(plan, "start")
      return () => person.leave()
    },
    "block menu": async () => {
      await row(plan)
      await person.block(plan).hover()
      await person.block(plan).getByRole("button", { name: "More actions" }).click()
      await tab.getByRole("menu").waitFor()
      return escape
    },
    blame: async () => {
      await row(plan)
      await tab.keyboard.press("b")
      await tab.getByText("claude").first().waitFor()
      return () => tab.keyboard.press("b")
    },
    palette: async () => (await context(), await palette(), escape),
    keys: async () => (await context(), await palette("Keyboard"), await tab.locator("dialog[open]").waitFor(), escape),
    settings: async () => (await palette("Settings"), await dialog("Settings").waitFor(), escape),
    "new context": async () => (await palette("New context"), await dialog("New context").waitFor(), escape),
    "sign out": async () => (await palette("Sign out"), await dialog("Sign out").waitFor(), escape),
    push: async () => {
      await row(plan)
      await tab.keyboard.press("Shift+F10")
      await tab.getByRole("menuitem", { name: "Push to another context" }).click()
      await tab.locator("dialog[open]").waitFor()
      return escape
    },
    citation: async () => {
      await context()
      await go(`#/cite/${encodeURI(made.cited.handle).replaceAll("#", "%23")}`, dialog("Citation"))
      await dialog("Citation").getByText("p95").first().waitFor()
      return escape
    },
    history,
    comparison: async () => {
      await history()
      const other = tab.getByRole("combobox", { name: "Compare with" })
      await other.selectOption("previous")
      await tab.locator("main").getByRole("heading", { level: 2 }).first().waitFor()
      return () => other.selectOption("none")
    },
    graph: async () => (await go("#/graph", tab.locator("[data-node]")), undefined),
    "graph as a list": async () => {
      await go("#/graph", heading("Drift graph"))
      await tab.getByRole("button", { name: "As a list" }).click()
      return () => tab.getByRole("button", { name: "As a drawing" }).click()
    },
    inbox: () => go("#/inbox", tab.locator("main").getByRole("link", { name: /^citation/ })),
    queue: () => go("#/queue", tab.locator("[data-item]")),
    git: async () => {
      await go("#/git/mnt/gallery", tab.getByRole("list", { name: "Changed files" }))
      await tab.locator("main del, main ins").first().waitFor()
    },
    "commit preview": async () => {
      await go("#/git/mnt/gallery", tab.getByRole("form", { name: "Commit" }))
      await tab.getByRole("form", { name: "Commit" }).getByLabel("Message").fill("Make thumbnails at ingest")
      await tab.getByRole("button", { name: "Preview" }).click()
      await tab.getByText("Co-authored-by").first().waitFor()
    },
    requests: () => go("#/requests", tab.getByText("Which format should")),
    status: async () => (await go("#/status", heading(/^Kernel/)), undefined),
    "a mistaken address": () => go("#/nothing/here", heading(/not a document/)),
    "nobody's document": () => go("#automerge:4NMNnkMhL8jXrdJ9jamS58PAVdXu", tab.locator("main").getByText(/document/)),
  }
}

/** Lets what is under way arrive: two frames are painted, and nothing moves. */
export const settled = tab =>
  tab.evaluate(async () => {
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
    await Promise.all(document.getAnimations().filter(a => Number.isFinite(a.effect?.getComputedTiming().endTime)).map(a => a.finished.catch(() => {})))
  })
