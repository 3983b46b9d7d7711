// What the page offers to who may not write everything.
import { button, signedIn } from "../lib/acts.mjs"
import { equal, ok } from "../lib/check.mjs"
import { actor } from "../lib/showcase.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser flow")

/** A context with one text by an owner. */
async function written(t) {
  const a = await actor(t.server, "amy")
  const { url, id: context } = await a.op("context_create", { title: "Theirs" })
  const { id } = await a.op("block_create", { context, content: "The plan" })
  return { a, url, context, id }
}

test("who may only read a context is offered reading", { kj: true, own: true, ms: 90_000 }, async t => {
  const { a, url, context, id } = await written(t)
  const rita = await signedIn(t, await actor(t.server, "rita", "person", "reader"), url)
  await rita.tab.getByText("You may read this context.").waitFor()
  equal(await rita.tab.getByLabel("New block", { exact: true }).count(), 0, "composers")
  equal(await button(rita.tab, "Add a block here").count(), 0, "seams")
  await rita.block(id).locator(".content").click()
  await rita.tab.keyboard.type("not mine")
  await rita.tab.keyboard.press("Delete")
  equal(await rita.box(id).count(), 0, "editors")
  equal(await rita.shown(id), "The plan", "the text")
  await rita.lit("saved")
  rita.satisfied()

  await a.op("role_set", { principal: "rita", context, role: "editor" })
  await rita.tab.evaluate(() => void window.dispatchEvent(new Event("focus")))
  await rita.tab.getByLabel("New block", { exact: true }).waitFor()
})

test("who may comment makes comments, and nothing else", { kj: true, own: true, ms: 90_000 }, async t => {
  const { a, url, context, id } = await written(t)
  const carl = await signedIn(t, await actor(t.server, "carl", "person", "commenter"), url)
  await carl.tab.getByText("You may read this context and comment on it.").waitFor()
  await carl.add("A remark")
  const remark = carl.tab.locator('[data-block][data-kind="comment"]')
  await remark.getByText("A remark").waitFor()
  await carl.lit("saved")
  const comment = await remark.getAttribute("data-block")
  await carl.edit(comment)
  await carl.tab.keyboard.type(", and more")
  await carl.leave()
  await carl.lit("saved")
  const { content } = await a.op("block_read", { context, block_id: comment })
  ok(content.endsWith("A remark, and more"), `the comment on the server, ${content}`)
  await carl.block(id).locator(".content").click()
  equal(await carl.box(id).count(), 0, "editors of what is no comment of theirs")
  carl.satisfied()
})

test("what was written without the right is said in words, copied and discarded", { kj: true, own: true, ms: 90_000 }, async t => {
  const { url, id } = await written(t)
  const rita = await signedIn(t, await actor(t.server, "rita", "person", "reader"), url)
  await rita.block(id).waitFor()
  await rita.lit("saved")
  // As a page would that did not know of the role yet.
  await rita.tab.evaluate(
    ([url, id]) => {
      const handle = Object.values(window.kaijutsu.repo.handles).find(h => h.url === url)
      const page = Object.keys(handle.doc().pages).find(page => id in handle.doc().pages[page])
      handle.change(doc => window.kaijutsu.A.splice(doc, ["pages", page, id, "text"], 8, 0, ", as I see it"))
    },
    [url, id],
  )
  await rita.tab.getByText("The server did not take what you wrote here: you may only read it.").waitFor()
  await button(rita.tab, "Copy and discard").click()
  await until(async () => (await rita.shown(id).catch(() => "")) === "The plan", "the text as the server has it")
  equal((await rita.tab.evaluate(() => navigator.clipboard.readText())).trim(), "The plan, as I see it", "what was copied")
  await rita.lit("saved")
  equal(await button(rita.tab, "Copy and discard").count(), 0, "banners")
})
