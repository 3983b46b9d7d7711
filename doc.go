// Package kaijutsu holds the nouns that two or more packages share: the ids of
// documents, changes and actors, heads, principals, and the error sentinels.
//
// It imports the standard library only, starts no goroutine, stores nothing
// and sends nothing. Every other package of the module may import it.
package kaijutsu
