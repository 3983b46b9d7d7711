// A kernel with something going on in it: people, agents, forks, drift, a git
// repository and a question. What the page is looked at with.
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Somebody who acts on a server: calls operations under a token. */
export class Actor {
  constructor(server, name, token) {
    this.server = server
    this.name = name
    this.token = token
  }

  async op(name, params = {}, headers = {}) {
    const reply = await fetch(`${this.server.http}/v1/ops/${name}`, { method: "POST", headers: { Authorization: `Bearer ${this.token}`, ...headers }, body: JSON.stringify(params) })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${name} as ${this.name}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
}

/** Makes a principal and a token for it. */
export async function actor(server, name, kind = "person", role = "owner") {
  const { token } = await server.op("token_create", { name, kind, role })
  return new Actor(server, name, token)
}

/** A git repository in `dir` with a commit by somebody who is no principal. */
export function repository(dir) {
  const git = (...args) => execFileSync("git", args, { cwd: dir, stdio: "pipe", env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" } }).toString()
  mkdirSync(join(dir, "thumbs"), { recursive: true })
  execFileSync("git", ["init", "-q", "-b", "main", dir])
  writeFileSync(join(dir, "README.md"), "# Gallery\n\nShows pictures, and makes thumbnails of them.\n")
  writeFileSync(
    join(dir, "thumbs", "thumbs.go"),
    `// Package thumbs makes small pictures of large ones.
package thumbs

import "image"

// Sizes are the edge lengths that the gallery asks for, in pixels.
var Sizes = []int{160, 320}

// Make scales src so that its longer edge is size pixels long.
func Make(src image.Image, size int) image.Image {
	return scale(src, size)
}
`,
  )
  git("add", ".")
  git("-c", "user.name=Cleo Marsh", "-c", "user.email=cleo@example.org", "commit", "-qm", "Scale pictures when they are asked for")
  return { dir, git }
}

const plan = `## Thumbnails at ingest

Reading a cold original takes **840 ms** at p95; a thumbnail that is there takes 8. So we make them when a picture comes in:

1. \`ingest\` writes the original, then queues three sizes
2. the queue is bounded: a full one slows the upload, and never drops
3. a picture without a thumbnail is scaled when it is asked for, as today

| size | bytes, mean | who asks |
|---|---|---|
| 160 | 6 KB | the grid |
| 320 | 19 KB | the grid on sharp screens |
| 1280 | 140 KB | the viewer |

- [x] measure cold reads
- [ ] WebP or AVIF?
`

/**
 * Fills a server; `dir` is an empty directory for the repository. Resolves to
 * what was made: actors, contexts with url and id, blocks by name.
 */
export async function showcase(server, dir) {
  const amy = await actor(server, "amy")
  const ben = await actor(server, "ben", "person", "editor")
  const claude = await actor(server, "claude", "agent", "editor")
  const scout = await actor(server, "scout", "agent", "editor")
  await amy.op("identity_set", { principal: "amy", name: "Amy Winter", email: "amy@example.org" })
  await amy.op("identity_set", { principal: "ben", name: "Ben Okafor", email: "ben@example.org" })
  await amy.op("identity_set", { principal: "claude", name: "Claude", email: "claude@example.org", model: "example-model-1", tool: "claude-code" })

  const gallery = await amy.op("context_create", { title: "Gallery: faster thumbnails", label: "gallery" })
  const bench = await scout.op("context_create", { title: "Cold read benchmark", label: "bench" })
  const blocks = {}
  const put = async (who, name, params) => (blocks[name] = (await who.op("block_create", { context: gallery.url, ...params })).id)

  await put(amy, "question", { content: "The grid takes seconds on a cold cache. Claude, where does the time go? Ben wants a plan by Thursday." })
  await put(claude, "thinking", { kind: "thinking", content: "The originals are on the slow disks. If every grid request scales an original, that is one cold read for each picture. The trace will tell." })
  await put(claude, "call", { kind: "tool_call", content: '{"command": "go test -bench ColdRead ./thumbs", "timeout_s": 120}', metadata: { tool_name: "shell", tool_call_id: "c1" } })
  await put(claude, "result", { kind: "tool_result", parent_id: blocks.call, content: "BenchmarkColdRead/original-2    24   843219001 ns/op\nBenchmarkColdRead/thumb-2     14201     8013402 ns/op\nPASS\nok  \tgallery/thumbs\t41.7s" })
  await put(claude, "answer", { role: "model", content: "Nearly all of it is reading originals: **843 ms** for each picture that nobody has looked at lately, against 8 ms for a thumbnail that is there.\n\n```go\nfor _, p := range page {\n\tsrc := store.Open(p.Original) // cold: 843 ms\n\tgrid = append(grid, thumbs.Make(src, 160))\n}\n```\n\nMaking them at ingest moves that cost to where nobody waits." })
  await put(amy, "plan", { content: plan })
  await put(ben, "comment", { kind: "comment", content: "Bounded how? If uploads come in bursts of 5,000 the queue should live on disk." })
  await put(claude, "shell", { kind: "shell_command", role: "model", content: "du -sh /var/gallery/originals /var/gallery/thumbs" })
  await put(claude, "output", { kind: "shell_output", parent_id: blocks.shell, content: "2.1T\t/var/gallery/originals\n18G\t/var/gallery/thumbs", metadata: { exit_code: 0 } })
  await put(ben, "task", { kind: "task", content: "Write down what happens to pictures that were there before", status: "pending" })
  await put(amy, "old", { content: "An older idea: keep the originals on fast disks. Too dear.", excluded: true })

  const finding = await scout.op("block_create", { context: bench.url, content: "Cold reads, 200 pictures each, caches dropped before every run:\n\np50 612 ms\np95 843 ms\np99 1,904 ms\n\nA thumbnail of 160 pixels: p95 8 ms, whatever the cache holds.\n" })
  await scout.op("block_create", { context: bench.url, content: "The disks are 7,200 rpm behind one controller; two readers at once halve each." })
  const cited = await scout.op("citation_create", { context: bench.url, block_id: finding.id, lines: "4" }) // p95
  const drift = await scout.op("drift_push", { to: "gallery", context: bench.url, content: "Measured on the real disks: cold reads are at 843 ms p95 [1], a hundred times a thumbnail's 8 ms.", cite: [cited.handle] })
  blocks.drift = drift.block_id
  await scout.op("drift_push", { to: "gallery", context: bench.url, content: "Two readers at once halve each other: keep the ingest queue to one worker for each disk.", stage: true })
  await scout.op("block_edit", { context: bench.url, block_id: finding.id, operations: [{ op: "replace", start_line: 3, end_line: 4, content: "p95 871 ms", expected_text: "p95 843 ms" }] })

  const webp = await claude.op("context_fork", { context: gallery.url, title: "Try WebP", label: "webp" })
  await claude.op("block_create", { context: webp.url, role: "model", content: "WebP at quality 80 is 31 % smaller than JPEG at the same SSIM, and takes three times as long to encode." })
  await claude.op("drift_merge", { context: webp.url })
  const weekly = await ben.op("context_create", { title: "Sprint planning, week 47" })
  await ben.op("block_create", { context: weekly.url, content: "- thumbnails at ingest (amy, claude)\n- retire the old uploader\n" })
  await amy.op("drift_push", { to: weekly.url, context: gallery.url, content: "Thumbnails at ingest: plan is written, sizes are settled." })

  const repo = repository(dir)
  const mount = await amy.op("mount_add", { path: "/mnt/gallery", source: `git:${repo.dir}@ingest`, rw: true })
  const file = await claude.op("fs_read", { path: "/mnt/gallery/thumbs/thumbs.go" })
  await claude.op("fs_write", {
    path: "/mnt/gallery/thumbs/thumbs.go",
    content: file.content.replace("{160, 320}", "{160, 320, 1280}").replace("func Make(", "//\n// It never enlarges.\nfunc Make("),
  })
  await ben.op("fs_write", { path: "/mnt/gallery/thumbs/queue.go", content: "package thumbs\n\n// Queue makes thumbnails of what came in, in order; Put blocks while it is full.\ntype Queue struct{ todo chan string }\n\n// Put adds a picture.\nfunc (q *Queue) Put(name string) { q.todo <- name }\n" })
  await amy.op("fs_write", { path: "/mnt/gallery/README.md", content: "# Gallery\n\nShows pictures, and makes thumbnails of them when they come in.\n" })

  await claude.op("elicit", { context: gallery.url, message: "Which format should the thumbnails have?", timeout_s: 3600, wait: false, schema: { type: "object", properties: { format: { type: "string", enum: ["jpeg", "webp", "avif"], title: "Format" }, keep_old: { type: "boolean", title: "Keep the old ones" } }, required: ["format"] } })
  await claude.op("seat_join", { context: gallery.url, nick: "claude", instance: "mcp" })
  return { amy, ben, claude, scout, contexts: { gallery, bench, webp, weekly }, blocks, repo, mount, finding, cited }
}
