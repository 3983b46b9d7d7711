// The service worker: lets the page open without the server. The documents
// themselves are in IndexedDB; here are only the files of the page.

export {}
declare const self: ServiceWorkerGlobalScope
declare const ASSETS: string[] // filled in by the build
declare const VERSION: string

const shell = "kaijutsu-" + VERSION

self.addEventListener("install", event => {
  event.waitUntil(
    caches
      .open(shell)
      .then(cache => cache.addAll(["/", ...ASSETS]))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener("activate", event => {
  event.waitUntil(
    caches
      .keys()
      .then(names => Promise.all(names.filter(name => name.startsWith("kaijutsu-") && name !== shell).map(name => caches.delete(name))))
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
