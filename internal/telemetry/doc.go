// Package telemetry is how others see a server fare: numbers for Prometheus,
// spans for OpenTelemetry, and states for the service manager that started the
// process. It is the only doorway to the libraries of the first two; what is
// measured is said by whoever measures it.
//
// A nil *Metrics and a nil *Traces are there and measure nothing, so that
// nobody asks whether they are switched on. Names of metrics are
// kaijutsu_<what>_<unit>, with _total behind counters; labels take values out of
// small fixed sets only: never a principal, a document, an address or a text.
// Nothing here is told what is in blocks, and spans have attributes of sizes,
// counts, kinds and names of operations only.
//
// Goroutines: one of the tracing library for each open Traces, which sends what
// has piled up and ends with Close. The package stores nothing.
package telemetry
