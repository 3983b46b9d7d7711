package server

import (
	"net/http"
	"net/url"
	"strings"
)

// sameOrigin reports whether a request comes from our own page or from no
// browser page at all. Browsers say so twice: Sec-Fetch-Site, which is on
// every request of a current one, and Origin, which is on every WebSocket and
// every POST; a page can forge neither. "none" is an address that somebody
// typed, a bookmark, or a link in another program.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return len(origins) == 1 && err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// followedLink reports whether a request is somebody's following a link of
// another page to ours, in a window of its own. It shows them the page and does
// nothing: a page of somebody else may have that.
func followedLink(r *http.Request) bool {
	h := r.Header
	return r.Method == http.MethodGet && len(h.Values("Origin")) == 0 &&
		h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document"
}
