package main

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/server"
)

// accessFlags are the flags of kj serve that say how it is reached and whom it
// believes.
type accessFlags struct {
	tls     server.TLS
	proxies []string
	keep    time.Duration
	oidc    oidcFlags
}

// add adds the flags to a command.
func (a *accessFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.tls.Cert, "tls-cert", "", "PEM `file` with the certificate to serve HTTPS by, and the chain behind it; read again when it changes")
	f.StringVar(&a.tls.Key, "tls-key", "", "PEM `file` with its key")
	f.StringSliceVar(&a.tls.ACME.Domains, "acme-domain", nil, "get a certificate for this `name` by ACME, and renew it; may be repeated")
	f.StringVar(&a.tls.ACME.Email, "acme-email", "", "`address` that the ACME authority may write to")
	f.StringVar(&a.tls.ACME.Directory, "acme-url", "", "`URL` of the ACME directory (default: Let's Encrypt)")
	f.StringVar(&a.tls.ACME.CA, "acme-ca", "", "PEM `file` with authorities that the directory's own certificate may be of")
	f.StringVar(&a.tls.Redirect, "http-redirect", "", "send plain HTTP on this `host:port` on to HTTPS, and answer ACME there")
	f.DurationVar(&a.tls.HSTS, "hsts", server.DefaultHSTS, "how long browsers are to come by HTTPS alone; 0s: they are not told")
	f.StringSliceVar(&a.proxies, "trust-proxy", nil, "`network` of proxies in front, as 10.0.0.0/8, that say in X-Forwarded-For where requests come from")
	f.DurationVar(&a.keep, "audit-keep", 90*24*time.Hour, "how long entries of the audit log stay")
	a.oidc.add(cmd)
}

// apply puts what the flags say into the server's configuration. The error is
// for who wrote the command line.
func (a *accessFlags) apply(cfg *server.Config, changed func(string) bool, getenv func(string) string) error {
	t := a.tls
	encrypted := t.Cert != "" || t.Key != "" || len(t.ACME.Domains) > 0
	switch {
	case (t.Cert == "") != (t.Key == ""):
		return errors.New("--tls-cert and --tls-key: give both")
	case t.Cert != "" && len(t.ACME.Domains) > 0:
		return errors.New("--tls-cert and --acme-domain: give one of them")
	case !encrypted && t.Redirect != "":
		return errors.New("--http-redirect sends on to HTTPS, and there is none: add --tls-cert and --tls-key, or --acme-domain")
	case !encrypted && changed("hsts"):
		return errors.New("--hsts is for HTTPS, and there is none: add --tls-cert and --tls-key, or --acme-domain")
	case len(t.ACME.Domains) == 0 && (t.ACME.Email != "" || t.ACME.Directory != "" || t.ACME.CA != ""):
		return errors.New("--acme-email, --acme-url and --acme-ca are for ACME: add --acme-domain")
	case t.HSTS < 0:
		return errors.New("--hsts: want a time such as 4320h, or 0s")
	case a.keep < time.Hour:
		return errors.New("--audit-keep: want at least 1h")
	}
	if t.HSTS == 0 {
		t.HSTS = -1
	}
	if !encrypted {
		t.HSTS = 0
	}
	cfg.TLS, cfg.AuditKeep = t, a.keep
	for _, text := range a.proxies {
		p, err := parseNetwork(text)
		if err != nil {
			return err
		}
		cfg.Proxies = append(cfg.Proxies, p)
	}
	var err error
	cfg.OIDC, err = a.oidc.config(changed, getenv)
	return err
}

// parseNetwork reads a network, or one address.
func parseNetwork(text string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked(), nil
	}
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	return netip.Prefix{}, fmt.Errorf("--trust-proxy %q: want a network such as 10.0.0.0/8, or an address", strings.TrimSpace(text))
}
