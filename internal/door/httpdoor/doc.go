// Package httpdoor serves the operations over HTTP:
//
//	POST /v1/ops/{name}     run one: the body is its parameters, a JSON object
//	GET  /v1/ops            the operations that are there for the caller
//	GET  /v1/ops/{name}     one of them
//	GET  /v1/openapi.json   the same as an OpenAPI 3.1 document
//
// The answer to a call is exactly the bytes that op.Set.Call returned, no
// newline behind them: every door gives the same. A refused call is answered
//
//	{"error":{"kind","message","field"?,"hint"?,"ref"?}}
//
// with the HTTP status of its kind. What the body is declared to be does not
// matter: it is read as JSON. An empty body is {}.
//
// The header Kaijutsu-Context, or ?context= in the address, names the context
// that is meant where the parameters name none. Kaijutsu-Instance tells the
// places apart from which one principal calls: it is the session of the call,
// and keeps the seat of that name.
//
// Who asks is answered by Config.Identify, for each request anew. The package
// reads no more of a body than the largest parameters and one byte, keeps
// nothing between requests, starts no goroutine and stores nothing. It has no
// operations of its own, and knows nothing of contexts and blocks.
package httpdoor
