// The carets of others that an editor shows.

import { StateEffect, StateField } from "@codemirror/state"

/** Somebody's caret in the text of an editor. */
export interface Shown {
  readonly key: string
  readonly nick: string
  readonly hue: number
  readonly anchor: number
  readonly head: number
  /** It points at a character that has not arrived yet. */
  readonly early: boolean
}

export const show = StateEffect.define<readonly Shown[]>()
const nobody: readonly Shown[] = []

/** The carets of others, which move with the words around them until they are heard of again. */
export const shownCarets = StateField.define<readonly Shown[]>({
  create: () => nobody,
  update(carets, tr) {
    for (const effect of tr.effects) if (effect.is(show)) return effect.value
    if (!tr.docChanged || carets.length === 0) return carets
    return carets.map(c => ({ ...c, anchor: tr.changes.mapPos(c.anchor, 1), head: tr.changes.mapPos(c.head, 1) }))
  },
})
