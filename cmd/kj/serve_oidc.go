package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu"
	"kaijutsu/internal/oidc"
	"kaijutsu/internal/server"
)

// secretVariable is where the client secret may be.
const secretVariable = "KJ_OIDC_SECRET"

// oidcFlags are the flags of kj serve that say who else vouches for people.
type oidcFlags struct {
	issuer, client, secretFile, name, public string
	nameClaim, groupsClaim, role             string
	roles, domains, audiences, scopes        []string
	session                                  time.Duration
}

// add adds the flags to a command.
func (o *oidcFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.issuer, "oidc-issuer", "", "let people sign in with the OpenID Connect provider at this `URL`, and take its tokens at every door")
	f.StringVar(&o.client, "oidc-client", "", "`id` under which the provider knows this server")
	f.StringVar(&o.secretFile, "oidc-secret-file", "", "`file` with the client secret, if it has one (default: $KJ_OIDC_SECRET)")
	f.StringVar(&o.name, "oidc-name", "", "what people call the provider (default: its host)")
	f.StringArrayVar(&o.roles, "oidc-role", nil, "`claim=value:role` gives a role to whom the provider says that of, as groups=writers:editor, email=amy@example.org:owner; may be repeated, the greatest counts")
	f.StringVar(&o.role, "oidc-default-role", "none", "`role` of everybody else whom the provider knows; none refuses them")
	f.StringSliceVar(&o.domains, "oidc-domain", nil, "let in those alone whose checked address is of this `domain`; may be repeated")
	f.StringSliceVar(&o.audiences, "oidc-audience", nil, "further `audience` that tokens which programs show may be for; may be repeated")
	f.StringSliceVar(&o.scopes, "oidc-scope", nil, "`scopes` to ask the provider for (default profile,email)")
	f.StringVar(&o.nameClaim, "oidc-name-claim", "", "`claim` that new principals are named by (default preferred_username, else email)")
	f.StringVar(&o.groupsClaim, "oidc-groups-claim", "", "`claim` that holds groups (default groups)")
	f.DurationVar(&o.session, "oidc-session", server.DefaultSession, "how long a login by browser lasts")
	f.StringVar(&o.public, "public-url", "", "`URL` under which browsers reach this server (default: as they name it)")
}

// config returns what the flags say. The error is for who wrote the command
// line.
func (o *oidcFlags) config(changed func(string) bool, getenv func(string) string) (cfg server.OIDC, err error) {
	if o.issuer == "" {
		for _, flag := range []string{"client", "secret-file", "name", "role", "default-role", "domain", "audience", "scope", "name-claim", "groups-claim", "session"} {
			if changed("oidc-" + flag) {
				return cfg, fmt.Errorf("--oidc-%s is for signing in with a provider, and none is named: add --oidc-issuer", flag)
			}
		}
		return cfg, o.checkPublic()
	}
	cfg.Issuer, cfg.ClientID, cfg.Audiences, cfg.Scopes = strings.TrimSuffix(o.issuer, " "), o.client, o.audiences, o.scopes
	cfg.Name, cfg.Session, cfg.PublicURL = o.name, o.session, o.public
	cfg.Rules = oidc.Rules{NameClaim: o.nameClaim, GroupsClaim: o.groupsClaim, Domains: o.domains}
	if o.session < time.Minute {
		return cfg, errors.New("--oidc-session: want at least 1m")
	}
	if cfg.Rules.Default, err = kaijutsu.ParseRole(o.role); err != nil {
		return cfg, fmt.Errorf("--oidc-default-role: %w", err)
	}
	for _, text := range o.roles {
		r, err := oidc.ParseRole(text)
		if err != nil {
			return cfg, fmt.Errorf("--oidc-role: %w", err)
		}
		cfg.Rules.Roles = append(cfg.Rules.Roles, r)
	}
	cfg.ClientSecret = getenv(secretVariable)
	if o.secretFile != "" {
		if cfg.ClientSecret, err = readKey("--oidc-secret-file", o.secretFile); err != nil {
			return cfg, err
		}
	}
	if err := o.checkPublic(); err != nil {
		return cfg, err
	}
	_, err = oidc.New(cfg.Config) // asks nobody anything
	return cfg, err
}

func (o *oidcFlags) checkPublic() error {
	if o.public == "" {
		return nil
	}
	u, err := url.Parse(o.public)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return fmt.Errorf("--public-url %q: want one such as https://kj.example.org, without a path", o.public)
	}
	return nil
}
