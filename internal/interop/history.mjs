import * as A from "@automerge/automerge"
import { edits, text } from "./edits.mjs"

// History is a handful of replicas of one document that edit, meet and part.
export class History {
  constructor(random) {
    this.random = random
    this.replicas = []
    this.actors = new Set()
    this.past = [] // heads seen along the way
  }

  // start makes the first replica and forks the others from it.
  start(replicas, first) {
    let doc = A.init({ actor: this.actor() })
    doc = A.change(doc, this.about(), first)
    this.replicas = [doc]
    while (this.replicas.length < replicas) this.fork(0)
  }

  actor() {
    for (;;) {
      const actor = this.random.hex(this.random.weighted([[20, 16], [2, 1], [1, 2], [1, 32], [1, 64]]))
      if (!this.actors.has(actor)) return this.actors.add(actor), actor
    }
  }

  // about is the message and time of a change: now, none, odd ones.
  about() {
    const { random } = this
    const options = {}
    if (random.chance(0.15)) options.message = random.pick(["", "m", "fix typo", text(random, 12), "x".repeat(random.below(300))])
    if (random.chance(0.4)) options.time = random.pick([undefined, 0, -5, -1e9, 1, 1.7e9, 2 ** 31, 2 ** 38, random.below(2e9)])
    return options
  }

  fork(i) {
    this.replicas.push(A.clone(this.replicas[i], { actor: this.actor() }))
  }

  // change lets replica i make one change of up to n edits of the given kinds.
  // An edit the package refuses is left out; the change stands.
  change(i, choices, n = 1) {
    const { random } = this
    const was = this.replicas[i]
    this.patching(i, () => A.change(was, this.about(), (d) => this.apply(d, choices, n, was)))
    if (random.chance(0.05)) this.remember(i)
  }

  apply(d, choices, n, was) {
    for (let k = this.random.between(1, n); k > 0; k--) {
      try {
        this.random.weighted(choices)(d, this.random, was)
      } catch (err) {
        if (err instanceof WebAssembly.RuntimeError) throw err
      }
    }
  }

  remember(i) {
    this.past.push(A.getHeads(this.replicas[i]))
  }

  // changeAt edits an earlier state, as an editor that lags behind does.
  changeAt(i, choices, n = 1) {
    const doc = this.replicas[i]
    const known = this.past.filter((heads) => heads.length > 0 && A.hasHeads(doc, heads))
    if (known.length === 0) return
    const heads = this.random.pick(known)
    const was = A.view(doc, heads)
    this.patching(i, () => A.changeAt(doc, heads, this.about(), (d) => this.apply(d, choices, n, was)).newDoc)
  }

  // patching sets replica i to what f makes of it. The package cannot bring
  // its JavaScript view up to date after some mixes of counters and other
  // values and throws (3.5.0); its document may be damaged then. That editor
  // has crashed: it starts again from what a neighbour has.
  patching(i, f) {
    try {
      this.replicas[i] = f()
    } catch (err) {
      if (this.replicas.length === 1) throw err
      A.free(this.replicas[i])
      this.replicas[i] = A.load(A.save(this.replicas[i === 0 ? 1 : 0]), { actor: this.actor() })
    }
  }

  empty(i) {
    this.replicas[i] = A.emptyChange(this.replicas[i], this.about())
  }

  merge(i, j) {
    if (i !== j) this.patching(i, () => A.merge(this.replicas[i], this.replicas[j]))
  }

  // reload is a restart: a new actor goes on from the saved document.
  reload(i) {
    const doc = A.load(A.save(this.replicas[i]), { actor: this.actor() })
    A.free(this.replicas[i])
    this.replicas[i] = doc
  }

  // steps runs n steps of ordinary life.
  steps(n, choices, { merges = 0.15, size = 3, odd = 0.04 } = {}) {
    const { random } = this
    for (let k = 0; k < n; k++) {
      const i = random.below(this.replicas.length)
      if (random.chance(merges)) this.merge(i, random.below(this.replicas.length))
      else if (!random.chance(odd)) this.change(i, choices, size)
      else random.pick([() => this.empty(i), () => this.changeAt(i, choices, size), () => this.reload(i), () => this.replicas.length < 12 && this.fork(i)])()
    }
  }

  merged() {
    for (let i = 1; i < this.replicas.length; i++) this.merge(0, i)
    return this.replicas[0]
  }

  free() {
    for (const doc of this.replicas) A.free(doc)
  }
}

const root = (d) => {
  d.text = "Hello, wörld"
  d.list = [1, "two", { three: 3 }]
  d.map = { inner: { deeper: {} } }
  d.hits = new A.Counter(1)
}

// kinds are the sorts of history; generate.mjs goes round them.
export const kinds = {
  mixed(h) {
    h.start(h.random.between(2, 6), root)
    h.steps(300, edits.all, { size: 2 })
  },
  typing(h) {
    h.start(2, (d) => (d.text = ""))
    h.steps(900, edits.typing, { merges: 0.05, size: 1 })
  },
  fields(h) {
    h.start(3, (d) => (d.map = { a: 1, b: 2, c: 3 }))
    h.steps(800, edits.fields, { merges: 0.05, size: 1 })
  },
  rich(h) {
    h.start(h.random.between(2, 4), (d) => (d.text = "The quick brown fox jumps over the lazy dog."))
    h.steps(200, edits.rich, { size: 2 })
  },
  lists(h) {
    h.start(h.random.between(2, 5), (d) => (d.list = [1, 2, 3, { a: 1 }, ["x"]]))
    h.steps(350, edits.lists)
  },
  counters(h) {
    h.start(h.random.between(3, 8), (d) => {
      d.hits = new A.Counter(-3)
      d.list = [new A.Counter(0), new A.Counter(1e9)]
    })
    h.steps(800, edits.counters, { merges: 0.1 })
  },
  conflicts(h) {
    h.start(8, (d) => (d.map = {}))
    h.steps(600, edits.conflicts, { merges: 0.06, size: 2 })
  },
  lag(h) {
    h.start(3, root)
    h.remember(0)
    h.steps(150, edits.all, { odd: 0.3 })
  },
  authors(h) {
    h.start(2, root)
    for (let i = 0; i < 3; i++) {
      const author = h.random.hex(h.random.between(1, 40))
      h.replicas.push(A.merge(A.init({ author }), h.replicas[0]))
    }
    h.steps(120, edits.all, { odd: 0 })
  },
  deep(h) {
    const { random } = h
    h.start(3, (d) => {
      let at = (d.deep = {})
      for (let i = random.between(50, 80); i > 0; i--) {
        if (random.chance(0.5)) at = at.next = {}
        else at.next = [0, {}], (at = at.next[1])
      }
      at.bottom = "here"
    })
    h.steps(150, edits.deep)
  },
  bulk(h) {
    const { random } = h
    h.start(2, root)
    h.replicas[0] = A.change(h.replicas[0], (d) => {
      d.long = ""
      let long = ""
      while (long.length < 7000) long += text(random, 400)
      A.splice(d, ["long"], 0, 0, long)
      d.wide = Array.from({ length: 2000 }, (_, i) => i)
      d.keys = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`key ${i}`, i * 1.5]))
    })
    h.merge(1, 0)
    h.replicas[1] = A.change(h.replicas[1], (d) => {
      A.splice(d, ["long"], random.below(100), 3000, text(random, 500))
      d.wide.splice(500, 700)
      for (let i = 0; i < 1500; i += 3) delete d.keys[`key ${i}`]
    })
    h.steps(30, edits.all)
  },
}
