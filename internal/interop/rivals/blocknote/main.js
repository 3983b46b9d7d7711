// A BlockNote editor on a Yjs document that comes over a WebSocket.
import { BlockNoteEditor } from "@blocknote/core"
import "@blocknote/core/style.css"
import { Awareness } from "y-protocols/awareness"
import * as Y from "yjs"

const doc = new Y.Doc()
const socket = new WebSocket(`ws://${location.host}/`)
socket.binaryType = "arraybuffer"
let editor = null
socket.onmessage = ({ data }) => {
  Y.applyUpdate(doc, new Uint8Array(data), "server")
  if (editor) return
  editor = BlockNoteEditor.create({ collaboration: { fragment: doc.getXmlFragment("blocks"), user: { name: "amy", color: "#a33" }, provider: { awareness: new Awareness(doc) } } })
  editor.mount(document.getElementById("editor"))
}
doc.on("update", (update, origin) => origin !== "server" && socket.send(update))
