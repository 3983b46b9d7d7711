// What a page's tab takes for what people feel: measured inside the tab.

/** Numbers of a sorted list at shares of it. */
export function quantiles(list) {
  const sorted = [...list].sort((a, b) => a - b)
  const at = q => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]
  return { n: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) }
}

/**
 * Before the page is loaded: notes under `name` when an element that `selector`
 * finds is there with a text in it, and painted. Milliseconds from the navigation's start.
 */
export function watchFirst(tab, name, selector) {
  return tab.addInitScript(
    ([name, selector]) => {
      window.firstSeen ??= {}
      const look = () => {
        const el = document.querySelector(selector)
        if (!el?.textContent?.trim() || !el.getClientRects().length) return requestAnimationFrame(look)
        const channel = new MessageChannel() // behind the paint of this frame
        channel.port1.onmessage = () => (window.firstSeen[name] = performance.now())
        channel.port2.postMessage(0)
      }
      requestAnimationFrame(look)
    },
    [name, selector],
  )
}

export const firstSeen = (tab, name) => tab.waitForFunction(name => window.firstSeen[name], name, { timeout: 120_000, polling: 20 }).then(v => v.jsonValue())

/** Keydown to behind the paint of the next frame, for each key, from now on. */
export async function watchKeys(tab) {
  await tab.evaluate(() => {
    window.keys = []
    window.addEventListener(
      "keydown",
      e => {
        const began = e.timeStamp
        requestAnimationFrame(() => {
          const channel = new MessageChannel()
          channel.port1.onmessage = () => window.keys.push(performance.now() - began)
          channel.port2.postMessage(0)
        })
      },
      true,
    )
  })
}

export const keyTimes = tab => tab.evaluate(() => window.keys)

/**
 * Scrolls the element under the middle of the window by the wheel, `steps`
 * times; resolves to the times between frames, in milliseconds.
 */
export async function scroll(tab, steps, by) {
  await tab.evaluate(() => {
    window.frames_ = []
    let before = performance.now()
    const frame = now => {
      window.frames_.push(now - before)
      before = now
      window.counting && requestAnimationFrame(frame)
    }
    window.counting = true
    requestAnimationFrame(frame)
  })
  const { width, height } = tab.viewportSize()
  await tab.mouse.move(width / 2, height / 2)
  for (let n = 0; n < steps; n++) {
    await tab.mouse.wheel(0, by)
    await tab.evaluate(() => new Promise(requestAnimationFrame))
  }
  return tab.evaluate(() => ((window.counting = false), window.frames_.slice(2)))
}

/** Before the page is loaded: counts the memory of WebAssembly, which JavaScript's heap has not in it. */
export function watchWasm(tab) {
  return tab.addInitScript(() => {
    window.wasmBytes = () => 0
    for (const name of ["instantiate", "instantiateStreaming"]) {
      const real = WebAssembly[name]
      WebAssembly[name] = async (...args) => {
        const made = await real.apply(WebAssembly, args)
        const { memory } = (made.instance ?? made).exports
        if (memory) window.wasmBytes = () => memory.buffer.byteLength
        return made
      }
    }
  })
}

/** What a tab holds after a collection: bytes of JavaScript's heap and of WebAssembly, nodes and listeners, also those that are in no document. */
export async function held(tab) {
  const session = await tab.context().newCDPSession(tab)
  await session.send("HeapProfiler.collectGarbage")
  const { usedSize } = await session.send("Runtime.getHeapUsage")
  const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters")
  await session.detach()
  return { js: usedSize, wasm: await tab.evaluate(() => window.wasmBytes?.() ?? 0), nodes, listeners: jsEventListeners }
}

/** Bytes that came over the wire for what `ending` ends the names of, so far. */
export const loaded = (tab, ending) =>
  tab.evaluate(ending => performance.getEntriesByType("resource").reduce((sum, r) => sum + (new URL(r.name).pathname.endsWith(ending) ? r.encodedBodySize : 0), 0), ending)
