// The page for those who do not see it, or have no mouse: axe-core has nothing
// serious to say of any view, and everything can be reached and seen by
// keyboard.
import { Person } from "../lib/browser.mjs"
import { serious } from "../lib/axe.mjs"
import { equal, ok } from "../lib/check.mjs"
import { showcase } from "../lib/showcase.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { settled, viewsOf } from "../lib/views.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser axe")

/** Fails with everything that is wrong. */
function none(wrong) {
  if (wrong.length) throw new Error([...new Set(wrong)].join("\n"))
}

const looks = [
  ["light", { colorScheme: "light" }, { width: 1180, height: 800 }, {}],
  ["dark", { colorScheme: "dark" }, { width: 1180, height: 800 }, { contrast: "only" }],
  ["narrow", { colorScheme: "light" }, { width: 400, height: 800 }, { contrast: "not" }],
]

for (const [look, media, size, options] of looks) {
  test(`nothing serious is wrong with any view, ${look}`, { kj: true, own: true, ms: 300_000 }, async t => {
    const made = await showcase(t.server, t.dir())
    const amy = await Person.at(t, { viewport: size })
    await amy.tab.emulateMedia({ ...media, reducedMotion: "reduce" })
    amy.tab.setDefaultTimeout(Number(process.env.KJ_PATIENCE ?? 30_000))
    await amy.open(t.server.http, made.contexts.gallery.url)
    await amy.lit("saved")
    const wrong = []
    const views = Object.entries(viewsOf(amy, made)).filter(([name]) => !process.env.KJ_VIEW || name === process.env.KJ_VIEW)
    for (const [name, show] of views) {
      try {
        const leave = await show()
        await settled(amy.tab)
        for (const finding of await serious(amy.tab, options)) wrong.push(`${name}: ${finding}`)
        const wide = await amy.tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (wide > 0) wrong.push(`${name}: is ${wide} pixels wider than the window`)
        await leave?.()
      } catch (err) {
        wrong.push(`${name}: ${err.message.slice(0, 300)}`)
        await amy.tab.reload()
      }
    }
    none(wrong)
    amy.satisfied()
    return `${views.length} views`
  })
}

test("the page that asks for a token has nothing serious wrong", { kj: true, own: ["--auth", "token"] }, async t => {
  const amy = await Person.at(t)
  for (const colorScheme of ["light", "dark"]) {
    await amy.tab.emulateMedia({ colorScheme })
    await amy.tab.goto(t.server.http)
    equal(await serious(amy.tab), [], `findings, ${colorScheme}`)
    await amy.tab.getByLabel("Token").fill("wrong")
    await amy.tab.keyboard.press("Enter")
    await amy.tab.getByRole("alert").waitFor()
    equal(await serious(amy.tab), [], `findings after a wrong token, ${colorScheme}`)
  }
})

/** What has the keyboard, in words, and how it and what is around it looks. */
const focused = tab =>
  tab.evaluate(async () => {
    // Styles arrive by transitions, however short.
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
    const look = el => {
      const about = [el, el.parentElement, el.parentElement?.parentElement, el.nextElementSibling, ...el.querySelectorAll(":scope > *")].filter(Boolean)
      return about.map(e => ["", "::before", "::after"].map(part => {
        const s = getComputedStyle(e, part || null)
        return [s.outlineStyle, s.outlineWidth, s.outlineColor, s.boxShadow, s.borderColor, s.backgroundColor, s.textDecorationLine, s.stroke, s.strokeWidth].join()
      }).join()).join("|")
    }
    const before = window.lastFocused
    const el = document.activeElement
    const said = before && { who: before.who, ring: !before.el.isConnected || before.el === el || ["range", "datetime-local"].includes(before.el.type) || before.look !== look(before.el) }
    const name = el.getAttribute("aria-label") || el.textContent.trim().slice(0, 40) || el.getAttribute("placeholder") || el.className
    const who = `${el.tagName.toLowerCase()} ${name}`
    window.lastFocused = el === document.body ? null : { el, who, look: look(el) }
    el.setAttribute("data-was-focused", "")
    const box = el.getBoundingClientRect()
    return { who, body: el === document.body, row: el.hasAttribute("data-row"), editor: el.matches(".cm-content"), before: said ?? null, seen: el === document.body || (box.bottom > 0 && box.top < innerHeight && box.width > 0), hidden: el.closest("[inert], [aria-hidden=true]") !== null }
  })

/** What can take the keyboard and never did. What stands in a block of a context is behind the arrows: they lead to the block, and Tab into it. */
const missed = tab =>
  tab.evaluate(() => {
    const radios = new Set([...document.querySelectorAll("input[type=radio][data-was-focused]")].map(r => r.name))
    return [...(document.querySelector("dialog[open]") ?? document).querySelectorAll("a[href], button, input, textarea, select, summary, [tabindex]")]
      .filter(el => el.tabIndex >= 0 && !el.disabled && !el.hasAttribute("data-was-focused") && el.checkVisibility() && !el.closest("[inert], [aria-hidden=true], [role=feed] [data-row]") && !el.hasAttribute("data-radix-focus-guard") && !(el.type === "radio" && radios.has(el.name)))
      .map(el => `${el.tagName.toLowerCase()} ${el.getAttribute("aria-label") || el.textContent.trim().slice(0, 40) || el.name || el.className}`)
  })

test("every view can be walked through by keyboard, and the place is always seen", { kj: true, own: true, ms: 240_000 }, async t => {
  const made = await showcase(t.server, t.dir())
  const amy = await Person.at(t)
  const { tab } = amy
  await tab.emulateMedia({ reducedMotion: "reduce" })
  tab.setDefaultTimeout(Number(process.env.KJ_PATIENCE ?? 30_000))
  await amy.open(t.server.http, made.contexts.gallery.url)
  await amy.lit("saved")
  const views = viewsOf(amy, made)
  const wrong = []
  for (const name of ["welcome", "context", "history", "graph", "graph as a list", "inbox", "queue", "git", "requests", "status", "settings", "citation"]) {
    const leave = await views[name]()
    await settled(tab)
    await tab.evaluate(() => {
      document.querySelectorAll("[data-was-focused]").forEach(el => el.removeAttribute("data-was-focused"))
      window.lastFocused = null
      if (!document.querySelector("dialog[open]")) document.activeElement.blur()
    })
    let around = 0
    for (let n = 0; n < 150 && around < 2; n++) {
      await tab.keyboard.press("Tab")
      const at = await focused(tab)
      if (at.body) around++
      else if (at.hidden) wrong.push(`${name}: ${at.who} is hidden and has the keyboard`)
      else if (!at.seen) wrong.push(`${name}: ${at.who} has the keyboard and is out of sight`)
      if (at.before && !at.before.ring) wrong.push(`${name}: nothing shows that ${at.before.who} has the keyboard`)
    }
    for (const what of (await missed(tab)).filter(w => !/^(article|pre|div|input Point|code)/.test(w))) wrong.push(`${name}: Tab never comes to ${what}`)
    await leave?.()
  }
  none(wrong)
  amy.satisfied()
})

test("dialogs give the keyboard back, and what happens is said aloud", { kj: true, own: true, ms: 240_000 }, async t => {
  const made = await showcase(t.server, t.dir())
  const amy = await (await Person.at(t)).open(t.server.http, made.contexts.gallery.url)
  const { tab } = amy
  tab.setDefaultTimeout(Number(process.env.KJ_PATIENCE ?? 30_000))
  await amy.lit("saved")
  const here = () => tab.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.dataset.block ?? document.activeElement.tagName)
  for (const [button, dialog] of [["Settings", "Settings"], ["New context", "New context"], ["Command palette", "Command palette"]]) {
    const opener = tab.getByRole("button", { name: button, exact: true }).first()
    await opener.focus()
    await tab.keyboard.press("Enter")
    await tab.getByRole("dialog", { name: dialog }).waitFor()
    ok(await tab.evaluate(() => document.querySelector("dialog[open]").contains(document.activeElement)), `${dialog} has the keyboard`)
    await until(async () => {
      await tab.keyboard.press("Escape")
      return !(await tab.getByRole("dialog", { name: dialog }).isVisible())
    }, `${dialog} to close`)
    equal(await here(), button, `where the keyboard is after ${dialog}`)
  }
  // From a block to a dialog and back; and the page behind is not to be reached meanwhile.
  const { plan } = made.blocks
  await amy.block(plan).scrollIntoViewIfNeeded()
  await amy.block(plan).focus()
  await tab.keyboard.press("?")
  await tab.locator("dialog[open]").waitFor()
  for (let n = 0; n < 12; n++) {
    await tab.keyboard.press("Tab")
    ok(await tab.evaluate(() => document.activeElement === document.body || document.querySelector("dialog[open]").contains(document.activeElement)), "the keyboard stays in the dialog")
  }
  await tab.keyboard.press("Escape")
  await tab.locator("dialog[open]").waitFor({ state: "hidden" })
  equal(await here(), (await amy.block(plan).getAttribute("aria-label")) ?? plan, "where the keyboard is after the keys")

  const aloud = () => tab.locator("[aria-live]:not([aria-live=off]), [role=status], [role=alert], output").evaluateAll(list => list.map(el => el.textContent).join("\n"))
  equal(await tab.locator("output.light").count(), 1, "the light is a live region")
  await amy.block(plan).focus()
  await tab.keyboard.press("Shift+ArrowDown")
  await until(async () => (await aloud()).includes("2 selected"), async () => `the selection to be said; ${await aloud()}`)
  await tab.keyboard.press("Escape")
  await amy.block(made.blocks.old).focus()
  await tab.keyboard.press("Delete")
  await until(async () => /delet/i.test(await aloud()), async () => `the deletion to be said; ${await aloud()}`)
  amy.satisfied()
})

test("who wants little motion gets none", { kj: true, own: true, ms: 240_000 }, async t => {
  const made = await showcase(t.server, t.dir())
  const amy = await Person.at(t)
  const { tab } = amy
  await tab.emulateMedia({ reducedMotion: "reduce" })
  tab.setDefaultTimeout(Number(process.env.KJ_PATIENCE ?? 30_000))
  await amy.open(t.server.http, made.contexts.gallery.url)
  const views = viewsOf(amy, made)
  const moving = () =>
    tab.evaluate(() => {
      const seconds = list => Math.max(...list.split(",").map(s => parseFloat(s) * (s.includes("ms") ? 0.001 : 1)))
      return [...document.querySelectorAll("*")]
        .filter(el => el.checkVisibility())
        .flatMap(el => {
          const s = getComputedStyle(el)
          const slow = seconds(s.transitionDuration) > 0.02 || (s.animationName !== "none" && seconds(s.animationDuration) > 0.02)
          return slow || s.scrollBehavior === "smooth" ? [`${el.tagName} ${el.className?.baseVal ?? el.className}`] : []
        })
    })
  for (const name of ["context", "block menu", "palette", "settings", "history", "graph", "inbox", "status"]) {
    const leave = await views[name]()
    equal([...new Set(await moving())].slice(0, 5), [], `what moves in ${name}`)
    await leave?.()
  }
})
