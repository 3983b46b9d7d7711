package changegraph

// Deps returns the numbers of the changes that change i depends on. The caller
// must not write to the result, which is good until the graph is truncated.
func (g *Graph) Deps(i int) []int32 { return g.depsOf(int32(i)) }
