// Who may use the page's server from a browser: its own page, after a login,
// and no page of anybody else.
import { createServer } from "node:http"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Person } from "../lib/browser.mjs"
import { equal, ok } from "../lib/check.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser safe")

/** A page of somebody else, at another port of this machine. */
async function elsewhere(t) {
  const heard = []
  const other = createServer((request, reply) => {
    heard.push({ url: request.url, referer: request.headers.referer })
    reply.setHeader("Content-Type", "text/html")
    reply.end("<!doctype html><title>elsewhere</title><body></body>")
  })
  await new Promise(done => other.listen(0, "127.0.0.1", done))
  t.onClose(() => other.close())
  return { http: `http://127.0.0.1:${other.address().port}`, heard }
}

/** What a page of another origin gets when it tries every way of asking the server at `http`. */
const attack = (tab, http) =>
  tab.evaluate(async http => {
    const got = {}
    const late = ms => new Promise(done => setTimeout(() => done("nothing"), ms))
    const ask = async (path, options) => {
      try {
        const reply = await fetch(http + path, { credentials: "include", ...options })
        return reply.type === "opaque" ? "opaque" : `${reply.status} ${(await reply.text()).slice(0, 80)}`
      } catch {
        return "refused"
      }
    }
    const json = { "Content-Type": "application/json" }
    got.read = await ask("/v1/ops/context_list", { method: "POST", headers: json, body: "{}" })
    got.write = await ask("/v1/ops/context_create", { method: "POST", headers: json, body: '{"title":"from elsewhere"}' })
    got.simple = await ask("/v1/ops/context_create", { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body: '{"title":"from elsewhere"}' })
    got.get = await ask("/v1/events", {})
    got.mcp = await ask("/mcp", { method: "POST", headers: json, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })
    got.logout = await ask("/logout", { method: "POST", mode: "no-cors" })
    for (const path of ["/sync", "/v1/events"]) {
      got[`socket ${path}`] = await Promise.race([
        new Promise(done => {
          const socket = new WebSocket(http.replace("http", "ws") + path)
          socket.onopen = () => done("open")
          socket.onerror = () => done("refused")
        }),
        late(5000),
      ])
    }
    got.events = await Promise.race([
      new Promise(done => {
        const source = new EventSource(http + "/v1/events?pattern=%3E", { withCredentials: true })
        source.onopen = () => (source.close(), done("open"))
        source.onerror = () => (source.close(), done("refused"))
      }),
      late(5000),
    ])
    const loads = (tag, path) =>
      Promise.race([
        new Promise(done => {
          const el = document.createElement(tag)
          el.onload = () => done("loaded")
          el.onerror = () => done("refused")
          el[tag === "link" ? "href" : "src"] = http + path
          if (tag === "link") el.rel = "stylesheet"
          document.body.append(el)
        }),
        late(5000),
      ])
    got.image = await loads("img", "/assets/icon.svg")
    got.script = await loads("script", "/v1/ops/context_list")
    const frame = document.createElement("iframe")
    frame.src = http + "/"
    document.body.append(frame)
    await new Promise(done => (frame.onload = done))
    got.frame = frame.contentDocument === null ? "not to be read" : "read"
    got.frames = frame.contentWindow.length
    const form = document.createElement("form")
    Object.assign(form, { method: "POST", action: http + "/v1/ops/context_create", enctype: "text/plain", target: "sink" })
    const sink = document.createElement("iframe")
    sink.name = "sink"
    const field = document.createElement("input")
    Object.assign(field, { name: '{"title":"from elsewhere","label":"', value: '"}' })
    form.append(field)
    document.body.append(sink, form)
    const sunk = new Promise(done => (sink.onload = done))
    form.submit()
    await Promise.race([sunk, late(5000)])
    return got
  }, http)

for (const mode of ["local", "token"]) {
  test(`a page from elsewhere can ask nothing, --auth ${mode}`, { kj: true, own: ["--auth", mode], ms: 120_000 }, async t => {
    const token = readFileSync(join(t.server.data, "owner.token"), "utf8").trim()
    const op = async (name, params) => (await fetch(`${t.server.http}/v1/ops/${name}`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: JSON.stringify(params) })).json()
    const amy = await Person.at(t)
    // She is signed in here, so that her browser has what the other page would use.
    await amy.tab.goto(mode === "token" ? `${t.server.http}/?token=${token}` : t.server.http)
    await amy.tab.locator("main").waitFor()
    await amy.lit("connected")
    const other = await elsewhere(t)
    const eve = await amy.another()
    await eve.tab.goto(other.http)
    const got = await attack(eve.tab, t.server.http)
    for (const [way, answer] of Object.entries(got)) ok(["refused", "opaque", "nothing", "not to be read", 0].includes(answer), `${way} from elsewhere: ${answer}`)
    for (const way of ["socket /sync", "events", "read", "write", "mcp"]) equal(got[way], "refused", `${way} from elsewhere`)
    const { contexts } = await op("context_list", {})
    equal((contexts ?? []).map(c => c.title).filter(title => title.includes("elsewhere")), [], "contexts made from elsewhere")
    await amy.tab.reload()
    await amy.lit("connected")
    amy.satisfied()
  })
}

test("a token stays out of addresses, stores and scripts; one signs in and out", { kj: true, own: ["--auth", "token"], ms: 120_000 }, async t => {
  const token = readFileSync(join(t.server.data, "owner.token"), "utf8").trim()
  const amy = await Person.at(t)
  const { tab } = amy
  const sent = []
  amy.context.on("request", r => sent.push({ url: r.url(), referer: r.headers().referer ?? "" }))
  const signedIn = async () => {
    await tab.locator("main#stage").waitFor()
    await amy.lit("connected")
  }
  const traces = () =>
    tab.evaluate(async token => {
      const found = []
      if (document.documentElement.outerHTML.includes(token)) found.push("the page")
      if (location.href.includes(token) || document.referrer.includes(token) || document.cookie.includes(token)) found.push("the address")
      for (const store of [localStorage, sessionStorage]) for (const key of Object.keys(store)) if ((key + store.getItem(key)).includes(token)) found.push(key)
      for (const name of await caches.keys()) for (const r of await (await caches.open(name)).keys()) if (r.url.includes(token)) found.push(`cache ${r.url}`)
      if (JSON.stringify(performance.getEntries().map(e => e.name)).replace(/[?&]token=[^"]*/, "").includes(token)) found.push("entries")
      return found
    }, token)

  // By an address.
  await tab.goto(`${t.server.http}/?token=${token}#/inbox`)
  await signedIn()
  equal(tab.url(), `${t.server.http}/#/inbox`, "the address afterwards")
  await amy.ready()
  equal(await traces(), [], "where the token is")
  const later = sent.findIndex(r => r.url.includes(token))
  ok(later >= 0 && !sent.slice(later + 1).some(r => r.url.includes(token)), "the token is in the first request only")
  equal(sent.filter(r => r.referer.includes(token)).length, 0, "referers with the token")
  const cookie = (await amy.context.cookies()).find(c => c.value === token)
  equal([cookie?.httpOnly, cookie?.sameSite], [true, "Strict"], "the cookie")
  await tab.goBack().catch(() => {})
  ok(!tab.url().includes(token), "the token is not in the history")
  await tab.goto(`${t.server.http}/#/`)
  await signedIn()

  // Out, and in by the form.
  await tab.keyboard.press("Control+k")
  await tab.getByRole("dialog", { name: "Command palette" }).getByRole("combobox").fill("Sign out")
  await tab.getByRole("option", { name: "Sign out" }).first().click()
  await tab.getByRole("dialog", { name: "Sign out" }).getByRole("button", { name: "Sign out" }).click()
  await tab.getByLabel("Token").waitFor()
  equal((await amy.context.cookies()).filter(c => c.value === token).length, 0, "cookies after signing out")
  equal(await tab.evaluate(() => Object.keys(localStorage).filter(k => k.startsWith("kj."))), [], "what is kept after signing out")
  await tab.getByLabel("Token").fill("<script>window.hit=1</script>")
  await tab.keyboard.press("Enter")
  await tab.getByRole("alert").getByText("not valid").waitFor()
  equal(await tab.evaluate(() => window.hit), undefined, "what a wrong token runs")
  await tab.getByLabel("Token").fill(token)
  await tab.keyboard.press("Enter")
  await signedIn()
  equal(await traces(), [], "where the token is after the form")
})

test("each answer has a nonce of its own, and the policy is strict", { kj: true }, async t => {
  const nonces = new Set()
  for (let n = 0; n < 4; n++) {
    const reply = await fetch(t.server.http)
    const policy = reply.headers.get("content-security-policy")
    const [, nonce] = /'nonce-([A-Za-z0-9+/=]{20,})'/.exec(policy) ?? []
    ok(nonce && (await reply.text()).includes(nonce), `the nonce of ${policy}`)
    nonces.add(nonce)
    ok(!/unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|unsafe-hashes|\*|https?:/.test(policy), `the policy is ${policy}`)
    ok(/default-src 'none'/.test(policy) && /frame-ancestors 'none'/.test(policy) && /base-uri 'none'/.test(policy) && /form-action 'none'/.test(policy), `the policy is ${policy}`)
  }
  equal(nonces.size, 4, "different nonces")
})
