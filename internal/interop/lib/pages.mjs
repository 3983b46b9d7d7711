// The page of a context's document in which a block lies.
import { createHash } from "node:crypto"

export const pageOf = id => (createHash("sha256").update(id).digest()[0] % 64).toString(16).padStart(2, "0")
