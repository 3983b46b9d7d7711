package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// addressOf returns the network address that a request came from: that of the
// connection or, when that is a proxy whose word counts, the last one that it
// names and that is no such proxy. Of an IPv6 address it is the network of 64
// bits, of which a caller has all.
func (g *gate) addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	at, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	at = at.Unmap().WithZone("")
	if g.trusts(at) {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for i := len(hops) - 1; i >= 0; i-- {
			hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
			if err != nil {
				break
			}
			if at = hop.Unmap().WithZone(""); !g.trusts(at) {
				break
			}
		}
	}
	if at.Is6() && !at.IsLoopback() {
		if network, err := at.Prefix(64); err == nil {
			return network.Masked().String()
		}
	}
	return at.String()
}

// trusts reports whether an address is a proxy's whose word counts.
func (g *gate) trusts(at netip.Addr) bool {
	for _, p := range g.proxies {
		if p.Contains(at) {
			return true
		}
	}
	return false
}
