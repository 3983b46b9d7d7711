// What a person does to blocks, as stock Automerge changes.

import type { ContextModel } from "./model"

/** Where and what a new block is to be. */
export interface Insert {
  /** The block above; null for the first among its siblings; undefined for the last. */
  after?: string | null
  parent?: string
  kind?: string
  role?: string
  text?: string
}

/** The failure of the last edit that returned null, for a toast. */
export class Unfit extends Error {}

export function insert(_model: ContextModel, _what: Insert): string | null {
  return null
}

export function split(_model: ContextModel, _id: string, _at: number): string | null {
  return null
}

export function merge(_model: ContextModel, _id: string): { into: string; at: number } | null {
  return null
}

export function move(_model: ContextModel, _ids: readonly string[], _to: { parent: string; after: string | null }): boolean {
  return false
}

export function indent(_model: ContextModel, _ids: readonly string[]): boolean {
  return false
}

export function outdent(_model: ContextModel, _ids: readonly string[]): boolean {
  return false
}

export function moveBy(_model: ContextModel, _ids: readonly string[], _by: 1 | -1): boolean {
  return false
}

export type Flag = "collapsed" | "excluded" | "deleted"

export function setFlag(_model: ContextModel, _ids: readonly string[], _flag: Flag, _on: boolean): boolean {
  return false
}

export function setTitle(_model: ContextModel, _title: string): boolean {
  return false
}

export function replaceText(_model: ContextModel, _id: string, _text: string): boolean {
  return false
}

/** Calls `fn` with what could not be done and why. */
export function onUnfit(_fn: (why: Unfit) => void): () => void {
  return () => {}
}
