const who = client("amy")
const docs = [await who.find(process.env.PARENT), await who.find(process.env.FORK)]
for (const [from, to] of [[docs[0], docs[1]], [docs[1], docs[0]], [docs[0], docs[1]]]) {
  who.adapter.stray = { [from.documentId]: to.documentId }
  const sent = who.adapter.sent
  const hash = change(from, doc => splice(doc, ["title"], 0, 0, `stray from ${from.documentId} `))
  await until("the message went astray", () => who.adapter.sent > sent)
  await until("the client is told", () => {
    const known = who.adapter.told.some(text => text.includes(hash))
    if (!known) change(to, doc => splice(doc, ["title"], doc.title.length, 0, "."))
    return known
  })
  await turn({ from: from.documentId, to: to.documentId, hash })
  // In its own document it is welcome, when a new connection lets the client send it again.
  who.adapter.stray = {}
  who.adapter.socket.close()
  await until("the connection is gone", () => who.repo.peers.length === 0)
  await until("there is a new one", () => who.repo.peers.length > 0)
  const next = change(from, doc => splice(doc, ["title"], 0, 0, "later "))
  await turn({ taken: [hash, next] })
}
process.exit(0)
