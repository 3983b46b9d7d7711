const url = process.env.DOC
const editor = client("amy"), reader = client("reader"), commenter = client("commenter")
const [e, r, c] = await Promise.all([editor, reader, commenter].map(who => who.find(url)))
const text = process.env.BLOCK
const at = ["pages", await pageOf(text), text, "text"]
const seen = async (h, what) => until(`everybody sees ${what}`, () => JSON.stringify(h.doc(), (_, v) => (typeof v === "bigint" ? String(v) : v)).includes(what))

// The commenter comments, and edits the comment.
const comment = await insertBlock(c, { kind: "comment", text: "hm", parent: text })
await seen(e, '"hm"')
await editText(c, comment, 2, 0, ", really")
await seen(e, "hm, really")

// What is not theirs is refused, and they are told.
const byReader = change(r, doc => splice(doc, ["title"], 0, 0, "reader "))
await told(reader, byReader, "may only read")
const byCommenter = change(c, doc => splice(doc, at, 0, 0, "commenter "))
await told(commenter, byCommenter, "may only comment")
await told(commenter, change(c, doc => splice(doc, ["title"], 0, 0, "again ")), byCommenter)

// They go on receiving, and nobody talks for ever.
const before = [reader, commenter].map(who => who.adapter.sent)
const edits = 20
for (let i = 0; i < edits; i++) {
  change(e, doc => splice(doc, at, 0, 0, `<${i}>`))
  await Promise.all([r, c].map(h => seen(h, `<${i}>`)))
}
const frames = [reader, commenter].map((who, i) => who.adapter.sent - before[i])
await turn({ frames, edits, title: e.doc().title, text: content(e.doc().pages[at[1]][text]), told: [reader.adapter.told.length, commenter.adapter.told.length] })

// The reader may write from now on: what was refused is taken with what follows.
change(r, doc => splice(doc, ["title"], 0, 0, "now "))
await until("the reader's edits are taken", () => e.doc().title.startsWith("now reader"))
await turn({ title: e.doc().title })
process.exit(0)
