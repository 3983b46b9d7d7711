// The service worker: lets the page open without the server. The documents
// themselves are in IndexedDB; here are only the files of the page. It keeps
// every one of them, also of views that were not opened yet, so that who goes
// offline has the whole page.

export {}
declare const self: ServiceWorkerGlobalScope
declare const ASSETS: string[] // filled in by the build
declare const VERSION: string

const prefix = "kaijutsu-"
const shell = prefix + VERSION

self.addEventListener("install", event => {
  event.waitUntil(keep().then(() => self.skipWaiting()))
})

/** Keeps the page as one whole; files that did not change come from the version before. */
async function keep(): Promise<void> {
  const cache = await caches.open(shell)
  const fetched = ASSETS.map(async address => {
    const known = await caches.match(address)
    await (known ? cache.put(address, known) : cache.add(address))
  })
  // The page itself comes with its policy, whose nonce is the one in its text.
  await Promise.all([...fetched, cache.add(new Request("/", { cache: "reload" }))])
}

self.addEventListener("activate", event => {
  event.waitUntil(
    caches
      .keys()
      .then(names => Promise.all(names.filter(name => name.startsWith(prefix) && name !== shell).map(name => caches.delete(name))))
      .then(() => self.clients.claim()),
  )
})

self.addEventListener("fetch", event => {
  const url = new URL(event.request.url)
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return
  if (url.pathname.startsWith("/assets/")) {
    event.respondWith(caches.match(event.request).then(hit => hit ?? fetch(event.request)))
  } else if (url.pathname === "/" && event.request.mode === "navigate") {
    // The server first: what is cached serves only when it cannot be reached.
    event.respondWith(fetch(event.request).catch(async () => (await caches.match("/", { cacheName: shell })) ?? Response.error()))
  }
})
