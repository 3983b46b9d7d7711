// Package oidc lets another authority say who somebody is: an OpenID Connect
// provider (OpenID Connect Core 1.0). It is the doorway of
// github.com/coreos/go-oidc and golang.org/x/oauth2.
//
// A Provider does two things. Begin and Finish are the authorization code flow
// with PKCE (RFC 7636), state and nonce, for a browser; the caller keeps the
// Attempt between the two where only that browser has it. Verify checks a token
// that a program shows: an ID token or an access token that is a JWT, signed by
// the provider, for our client id or one of Audiences.
//
// Rules turn the claims of either into a Person: a name that histories may
// show, a kind, and a role. Somebody whom no rule gives a role is refused.
// Issuer and subject together are who somebody is; nothing else of the claims
// is trusted to be theirs for ever.
//
// What the provider publishes is fetched when it is first needed and its keys
// again when a signature is by an unknown one, at most every half a minute:
// the server starts, and those who have tokens of ours get in, while the
// provider is away.
//
// The package stores nothing, starts no goroutine of its own, and knows no
// principals: internal/access decides who somebody is here.
package oidc
