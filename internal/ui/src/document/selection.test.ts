import { describe, expect, it } from "vitest"
import { empty, extend, roots, single, stepped, toggle } from "./selection"
import { ViewState } from "./view-state"

const order = ["a", "b", "c", "d"]

describe("a selection", () => {
  it("grows and shrinks around its anchor", () => {
    const down = extend(extend(single("b"), "c", order), "d", order)
    expect([...down.ids]).toEqual(["b", "c", "d"])
    const up = extend(down, "a", order)
    expect([...up.ids]).toEqual(["a", "b"])
    expect(up.focus).toBe("a")
    expect(up.anchor).toBe("b")
  })

  it("takes single blocks in and out", () => {
    const two = toggle(single("a"), "c")
    expect([...two.ids]).toEqual(["a", "c"])
    expect([...toggle(two, "a").ids]).toEqual(["c"])
  })

  it("steps and stops at the ends", () => {
    expect(stepped(empty, 1, order)).toBe("a")
    expect(stepped(empty, -1, order)).toBe("d")
    expect(stepped(single("d"), 1, order)).toBe("d")
    expect(stepped(single("b"), -1, order)).toBe("a")
    expect(stepped(empty, 1, [])).toBe(null)
  })

  it("knows what hangs below something selected, also where parents run in a circle", () => {
    const parents: Record<string, string> = { b: "a", c: "b", x: "y", y: "x" }
    expect(roots(["a", "c", "d"], id => parents[id] ?? "")).toEqual(["a", "d"])
    expect(roots(["c", "x"], id => parents[id] ?? "")).toEqual(["c", "x"])
  })
})

describe("ViewState", () => {
  it("tells only the rows that a selection concerns", () => {
    const state = new ViewState()
    state.setOrder(order)
    const told: string[] = []
    for (const id of order) state.subscribe(id, () => told.push(id))
    state.selectOne("b")
    expect(told).toEqual(["b"])
    state.extendTo("c")
    expect(told.sort()).toEqual(["b", "b", "c"])
  })

  it("lets go of what no longer shows", () => {
    const state = new ViewState()
    state.setOrder(order)
    state.selectOne("b")
    state.extendTo("d")
    state.setOrder(["a", "b", "c"])
    expect(state.selected()).toEqual(["b", "c"])
    expect(state.selection.focus).toBe("c")
  })
})
