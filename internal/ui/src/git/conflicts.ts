// The places in which a block and its file contradict each other, as the block
// shows them that tells of the conflict.

export interface Place {
  /** What the block says, what both agreed on last, and what the disk says. */
  block: string
  agreed: string
  disk: string
}

const maxPlaces = 200

/** Reads the text of a conflict block. */
export function placesIn(text: string): Place[] {
  const places: Place[] = []
  let side: keyof Place | null = null
  let now: Record<keyof Place, string[]> = { block: [], agreed: [], disk: [] }
  for (const line of text.split("\n")) {
    if (side === null) {
      if (line === "<<<<<<< block") {
        side = "block"
        now = { block: [], agreed: [], disk: [] }
      }
    } else if (side === "block" && line === "||||||| agreed") side = "agreed"
    else if (side === "agreed" && line === "=======") side = "disk"
    else if (side === "disk" && line === ">>>>>>> disk") {
      const joined = (lines: string[]) => lines.map(l => l + "\n").join("")
      places.push({ block: joined(now.block), agreed: joined(now.agreed), disk: joined(now.disk) })
      side = null
      if (places.length >= maxPlaces) break
    } else now[side].push(line)
  }
  return places
}
