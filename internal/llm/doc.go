// Package llm asks language models: it is a drift.Distiller that speaks the
// Anthropic Messages API (https://docs.anthropic.com/en/api/messages-streaming)
// or the chat completions of OpenAI and of the many servers that copied them
// (https://platform.openai.com/docs/api-reference/chat-streaming).
//
// An answer is streamed, and is whole or an error: one that was cut off, that is
// empty, that the model declined to give or whose text arrived damaged is never
// taken for a briefing. The errors are of the root's kinds and name the setting
// that mends them. What may pass by itself, as a server that is busy or a
// connection that broke, is asked again, as often as Config.Retries says and
// never sooner than the server's Retry-After allows; all of it ends with
// Config.Timeout, and a stream that falls silent with Config.Idle.
//
// A budget bounds the tokens of a window of time. What a call may need is set
// aside before it begins, and replaced by the provider's own numbers after it;
// what no provider counted is estimated from its bytes. Each process counts for
// itself, from its start.
//
// Everything that a server sends is bounded: headers, lines, events, the answer,
// and the texts of errors. Redirects are not followed, because the key would go
// along.
//
// Of a call the log has provider, model, tokens, time and the kind of an error;
// never a key, and nothing of a text. No error has the key either, nor what the
// server repeats of a prompt.
//
// The package starts no goroutine that outlives a call, and stores nothing. It
// knows no conversations, tools or images, and keeps no answers.
package llm
