// Many clients, random edits, random faults: everybody ends with the same.
import * as A from "@automerge/automerge"
import { equal, ok, random, sameHeads } from "../lib/check.mjs"
import { connected, find } from "../lib/client.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { pace, until } from "../lib/wait.mjs"

inGroup("fuzz")

/** One random edit. */
function edit(handle, who, n) {
  handle.change(d => {
    switch (random(8)) {
      case 0:
      case 1:
      case 2:
        A.splice(d, ["text"], random(d.text.length + 1), 0, `${who}é😀`.slice(0, 1 + random(4)))
        break
      case 3: {
        const at = random(d.text.length + 1)
        A.splice(d, ["text"], at, Math.min(random(4), d.text.length - at))
        break
      }
      case 4:
        d.list.splice(random(d.list.length + 1), 0, { who, n })
        break
      case 5:
        if (d.list.length) d.list.splice(random(d.list.length), 1)
        break
      case 6:
        d.map[`key${random(12)}`] = random(3) ? `${who}.${n}` : { nested: [n] }
        break
      case 7:
        random(2) ? d.counter.increment(1) : delete d.map[`key${random(12)}`]
    }
  })
}

async function fuzz(t, { clients, millis, fault }) {
  const proxies = await Promise.all(Array.from({ length: clients }, () => t.proxy()))
  const repos = await Promise.all(proxies.map((via, n) => t.client(`f${n}`, { via, retry: 50 })))
  const first = repos[0].create({ text: "start", list: [], map: {}, counter: new A.Counter(0) })
  const handles = [first, ...(await Promise.all(repos.slice(1).map(repo => find(repo, first.url))))]
  const end = performance.now() + millis
  let edits = 0
  let faults = 0
  const writers = handles.map(async (handle, who) => {
    while (performance.now() < end) {
      edit(handle, who, edits++)
      await pace(5 + random(30))
    }
  })
  const breaker = (async () => {
    while (performance.now() < end) {
      await pace(100 + random(200))
      await fault(proxies, () => faults++)
    }
  })()
  await Promise.all([...writers, breaker])
  for (const proxy of proxies) {
    proxy.swallowing = false
    proxy.online()
  }
  await connected(...repos)
  await until(() => sameHeads(...handles), () => `equal heads; there are ${new Set(handles.map(h => h.heads().join())).size} kinds`, 30_000)
  for (const handle of handles) equal(handle.doc(), first.doc(), "document")
  const late = await find(await t.client("late"), first.url)
  await until(() => sameHeads(late, first), "equal heads at a late joiner")
  ok(A.load(A.save(late.doc())).text === first.doc().text, "the saved document reads differently")
  return `${edits} edits, ${faults} faults`
}

test("five clients, no faults", { ms: 240_000 }, t => fuzz(t, { clients: 5, millis: 2500, fault: async () => {} }))

test("five clients, connections cut", { ms: 240_000, strict: true }, t =>
  fuzz(t, {
    clients: 5,
    millis: 5000,
    fault: async (proxies, count) => {
      const proxy = proxies[random(proxies.length)]
      count()
      if (random(3) === 0) {
        proxy.swallowing = true
        await pace(random(60))
        proxy.cut()
        proxy.swallowing = false
      } else if (random(2)) {
        proxy.offline()
        await pace(random(150))
        proxy.online()
      } else proxy.cut()
    },
  }),
)

test("four clients, connections cut and the server killed", { ms: 240_000, own: true, strict: true }, t =>
  fuzz(t, {
    clients: 4,
    millis: 6000,
    fault: async (proxies, count) => {
      count()
      if (random(3) === 0) {
        await t.server.kill()
        await t.server.start()
      } else proxies[random(proxies.length)].cut()
    },
  }),
)
