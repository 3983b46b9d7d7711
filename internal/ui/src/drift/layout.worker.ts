// Lays graphs out beside the page, which goes on answering meanwhile.

import { laidOut, type LayoutInput } from "./layout"

const scope = self as unknown as { onmessage: ((e: MessageEvent<{ id: number; input: LayoutInput }>) => void) | null; postMessage(message: unknown): void }

scope.onmessage = ({ data: { id, input } }) => scope.postMessage({ id, layout: laidOut(input) })
