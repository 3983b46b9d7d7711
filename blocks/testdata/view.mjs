// How a stock client sees a context, written without knowledge of the Go code:
// from the document as the package shows it, and its conflicts. The package is passed in.

export function viewer(A) {
  const isMap = (v) => typeof v === "object" && v !== null && !Array.isArray(v) && !A.isImmutableString(v) && A.getObjectId(v) != null
  const str = (v) => (typeof v === "string" ? v : A.isImmutableString(v) ? v.toString() : undefined)
  const rank = { pending: 1, running: 2, done: 3, error: 3, cancelled: 3 }

  function compareOps(a, b) {
    const [ca, aa] = a.split("@"), [cb, ab] = b.split("@")
    return Number(ca) - Number(cb) || Buffer.compare(Buffer.from(aa, "hex"), Buffer.from(ab, "hex"))
  }

  function status(raw) {
    const values = A.getConflicts(raw, "status") ?? { "0@": raw.status }
    let best = ""
    for (const op of Object.keys(values).sort(compareOps)) {
      const s = str(values[op]) ?? ""
      if ((rank[s] ?? 0) > 0 && rank[s] >= (rank[best] ?? 0)) best = s
    }
    return best || "done"
  }

  function content(raw) {
    if (typeof raw.text === "string") return ["text", raw.text]
    if (str(raw.body) !== undefined) return ["body", str(raw.body)]
    if (Array.isArray(raw.chunks)) return ["chunks", raw.chunks.map((c) => str(c) ?? "").join("")]
    return ["", ""]
  }

  function block(id, raw) {
    const [form, text] = content(raw)
    return {
      id, form, content: text,
      kind: str(raw.kind) || "text", role: str(raw.role) || "user", status: status(raw),
      parent: str(raw.parent) ?? "", order: str(raw.order) ?? "", meta: str(raw.meta) ?? "",
      deleted: raw.deleted === true, collapsed: raw.collapsed === true,
      excluded: raw.excluded === true, ephemeral: raw.ephemeral === true,
    }
  }

  const bytes = (s) => Buffer.from(s)
  const bySibling = (a, b) => Buffer.compare(bytes(a.order), bytes(b.order)) || Buffer.compare(bytes(a.id), bytes(b.id))

  // circle returns the blocks of the circle of parents that b is in, if any.
  function circle(all, b) {
    const members = [b]
    for (let p = all.get(b.parent); p !== b; p = all.get(p.parent)) {
      if (p === undefined || members.includes(p)) return []
      members.push(p)
    }
    return members
  }

  function view(doc, pageOf) {
    const all = new Map()
    if (isMap(doc.pages)) {
      for (const [page, blocks] of Object.entries(doc.pages)) {
        if (!/^[0-3][0-9a-f]$/.test(page) || !isMap(blocks)) continue
        for (const [id, raw] of Object.entries(blocks)) {
          const isID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id)
          if (isID && pageOf(id) === page && isMap(raw)) all.set(id, block(id, raw))
        }
      }
    }
    const below = new Map()
    for (const b of all.values()) {
      const lowest = circle(all, b).map((c) => c.id).sort()[0]
      const at = all.has(b.parent) && lowest !== b.id ? b.parent : ""
      below.set(at, [...(below.get(at) ?? []), b])
    }
    const rows = []
    const walk = (parent, depth) => {
      for (const b of (below.get(parent) ?? []).sort(bySibling)) {
        if (b.deleted) continue
        rows.push({ id: b.id, depth })
        walk(b.id, depth + 1)
      }
    }
    walk("", 0)
    return {
      isContext: (typeof doc.schema === "number" || typeof doc.schema === "bigint") && Number(doc.schema) === 1 && isMap(doc.pages),
      title: str(doc.title) ?? "",
      blocks: Object.fromEntries(all),
      rows,
    }
  }

  return view
}
