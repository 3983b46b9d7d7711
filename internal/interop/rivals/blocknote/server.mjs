// Builds and serves the rival page, and holds its document.
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { WebSocketServer } from "ws"
import * as Y from "yjs"

const here = name => fileURLToPath(new URL(name, import.meta.url))

/** Starts it with one paragraph for each of `texts`. */
export async function rival(texts) {
  const { outputFiles } = await build({ entryPoints: [here("main.js")], bundle: true, minify: true, format: "esm", target: "es2022", write: false, outdir: "out", loader: { ".woff": "dataurl", ".woff2": "dataurl" }, define: { "process.env.NODE_ENV": '"production"' } })
  const files = new Map(outputFiles.map(f => ["/" + f.path.split("/").at(-1), f.contents]))
  files.set("/", readFileSync(here("index.html")))
  const types = { "/": "text/html", js: "text/javascript", css: "text/css" }
  const http = createServer((request, reply) => {
    const bytes = files.get(request.url)
    if (!bytes) return reply.writeHead(404).end()
    reply.writeHead(200, { "Content-Type": types[request.url] ?? types[request.url.split(".").at(-1)], "Content-Encoding": "gzip" }).end(gzipSync(bytes))
  })
  const doc = new Y.Doc()
  const fragment = doc.getXmlFragment("blocks")
  const words = []
  doc.transact(() => {
    const group = new Y.XmlElement("blockGroup")
    fragment.insert(0, [group])
    const blocks = texts.map((content, n) => {
      const container = new Y.XmlElement("blockContainer")
      container.setAttribute("id", `block-${n}`)
      const paragraph = new Y.XmlElement("paragraph")
      const text = new Y.XmlText(content)
      paragraph.insert(0, [text])
      container.insert(0, [paragraph])
      words.push(text)
      return container
    })
    group.insert(0, blocks)
  })
  const sockets = new WebSocketServer({ server: http })
  sockets.on("connection", socket => {
    socket.send(Y.encodeStateAsUpdate(doc))
    socket.on("message", data => Y.applyUpdate(doc, new Uint8Array(data), socket))
  })
  doc.on("update", (update, origin) => {
    for (const socket of sockets.clients) if (socket !== origin) socket.send(update)
  })
  await new Promise(done => http.listen(0, "127.0.0.1", done))
  return {
    url: `http://127.0.0.1:${http.address().port}/`,
    /** One writer adds a letter to block n. */
    write: (n, letter) => words[n].insert(words[n].length, letter),
    close: () => (sockets.clients.forEach(s => s.terminate()), http.close()),
  }
}
