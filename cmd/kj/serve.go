package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/server"
)

// defaultData returns the data directory: $KJ_DATA, else the user's.
func defaultData() string {
	if dir := os.Getenv("KJ_DATA"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "kaijutsu")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "kaijutsu-data"
	}
	return filepath.Join(home, ".local", "share", "kaijutsu")
}

// clock returns a clock that is off by the duration in text; nil, which stands
// for the real one, when text is empty. kj torture clock sets it.
func clock(text string) (func() time.Time, error) {
	if text == "" {
		return nil, nil
	}
	offset, err := time.ParseDuration(text)
	if err != nil {
		return nil, fmt.Errorf("KJ_CLOCK_OFFSET %q: want a duration such as 1h or -1h", text)
	}
	return func() time.Time { return time.Now().Add(offset) }, nil
}

func newServe(conn *connection) *cobra.Command {
	var cfg server.Config
	var level, format string
	var minFree, budget, fileLimit, memory int64
	var model llmFlags
	var reach accessFlags
	var limits limitFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a server: editors connect to /sync, people to its page",
		Long: `Run a server on this machine until interrupted.

Stock automerge-repo clients connect to ws://HOST:PORT/sync, people open
http://HOST:PORT/. Everything is kept in the data directory, which one server
at a time may use. An edit is acknowledged when it is on disk.

Access: on a loopback address "local" is the default: whoever connects from
this machine acts as the principal "local", and a browser is served only from
the server's own page. Beyond loopback only "token" is allowed: the token in
DIR/owner.token, or one that kj token create makes, as bearer header, cookie
kj_token or query parameter token.

HTTPS: with --tls-cert and --tls-key, which are read again when they change, or
by --acme-domain with a certificate that is got and renewed by itself. Beyond
loopback without either, put a proxy with TLS in front: tokens and text go in
the open otherwise.

Signing in elsewhere: with --oidc-issuer people sign in to the page with an
OpenID Connect provider, and programs show its tokens; --oidc-role says who may
do what. kj audit tells who came, and who was refused what.

Several nodes: with --nats the server joins the others that name the same
kernel on the same NATS cluster (JetStream has to be on). Each holds every
context, any of them opens any, and editing goes on while NATS is away. A
server that was alone becomes one of several by starting it with --nats on the
same data directory: the others get all it holds. Tokens, roles and what is
known of contexts are the same on all nodes; DIR/owner.token is each node's
own. kj status says how they fare.

Limits: what principals, documents, connections and addresses may use is
bounded, generously. kj limit ls shows the limits and what they held back,
--limit sets one, and kj limit set changes it while the server runs.

Distilling: briefings of contexts are extracts, made without a language model.
With --llm a model writes them; what is distilled is sent to the server at
--llm-url, or to the provider itself.

Watching it: /healthz says that it lives, /readyz?verbose whether it takes edits
and how its start went; both answer from the first moment. --metrics and --otlp
add numbers and traces. A signal stops it within 5 s, a second one at once.

Files: kj mount puts folders and git repositories into the file tree. Worktrees
and clones are made below the data directory. Commits name --git-committer as
their committer and are signed with --git-sign-key, if there is one.`,
		Example: `  kj serve
  kj serve --data ./data --listen 127.0.0.1:0
  kj serve --listen 0.0.0.0:7433 --auth token
  kj serve --listen :443 --auth token --acme-domain kj.example.org --http-redirect :80
  kj serve --oidc-issuer https://id.example.org --oidc-client kj --oidc-role groups=staff:editor
  kj serve --deny-op context_delete --deny-op 'token_*'
  kj serve --limit operations-per-second=200 --limit document-bytes=256MiB
  kj serve --metrics-listen 127.0.0.1:9433 --otlp http://localhost:4318
  kj serve --nats nats://a,b,c --nats-creds node.creds --node-name berlin
  kj serve --git-committer "Build <build@example.org>" --git-sign-key ~/.ssh/id_ed25519
  kj serve --llm anthropic --llm-model claude-sonnet-4-5 --llm-key-file key
  kj serve --llm openai --llm-url http://localhost:11434/v1 --llm-model llama3.2`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			began := time.Now()
			logger, err := newLogger(cmd.ErrOrStderr(), level, format)
			if err != nil {
				return shelldoor.Usage(cmd, err)
			}
			cfg.Dir, cfg.Log, cfg.Version = conn.data, logger, version()
			cfg.MinFree, cfg.Budget, cfg.Git.FileLimit = minFree<<20, budget<<20, fileLimit<<10
			if cfg.Now, err = clock(os.Getenv("KJ_CLOCK_OFFSET")); err != nil {
				return shelldoor.Usage(cmd, err)
			}
			if err = reach.apply(&cfg, cmd.Flags().Changed, os.Getenv); err != nil {
				return shelldoor.Usage(cmd, err)
			}
			if cfg.LLM, err = model.config(cmd.Flags().Changed, os.Getenv); err != nil {
				return shelldoor.Usage(cmd, err)
			}
			if cfg.Limits, err = limits.config(); err != nil {
				return shelldoor.Usage(cmd, err)
			}
			if err := checkWatching(cmd.Flags().Changed, cfg.Watching); err != nil {
				return shelldoor.Usage(cmd, err)
			}
			if cfg.Kernel == "" {
				return shelldoor.Usage(cmd, errors.New("--kernel is empty: name it, or leave the flag out"))
			}
			cfg.Examine = []string{"examine"}
			cfg.ExamineMemory = limitMemory(memory<<20) / 4
			s, err := server.Start(cfg)
			if err != nil {
				return err
			}
			go guard.Keep(logger, "tidier of memory", cmd.Context().Done(), func() { tidyMemory(cmd.Context()) })()
			printWhereabouts(cmd.OutOrStdout(), s, conn.data, time.Since(began))
			return serveUntil(cmd.Context(), s, logger)
		},
	}
	f := cmd.Flags()
	f.StringVar(&cfg.Listen, "listen", server.DefaultListen, "`host:port` to listen on; port 0 takes a free one")
	f.StringVar(&cfg.Auth, "auth", "", "access: local or token (default local on loopback, token elsewhere)")
	f.Int64Var(&minFree, "min-free", 0, "refuse edits when the disk has less than this many `MiB` free (default 64, or a quarter of a small disk)")
	f.Int64Var(&budget, "budget", 256, "memory for open documents in `MiB`; idle ones beyond it are closed")
	f.Int64Var(&memory, "memory", 0, "memory that the process is to take at most, in `MiB` (default: 9/10 of the container's, if it has a limit)")
	f.BoolVar(&cfg.AcceptLoss, "accept-loss", false, "open a data directory although acknowledged changes are missing from it")
	f.StringArrayVar(&cfg.DenyOps, "deny-op", nil, "do not offer this `operation`, or family as block_*; may be repeated")
	f.StringArrayVar(&cfg.NATS.Servers, "nats", nil, "join other nodes on the NATS cluster at these `URLs`, with commas between; default: alone")
	f.StringVar(&cfg.NATS.Credentials, "nats-creds", "", "`file` with credentials for NATS")
	f.StringVar(&cfg.NATS.CA, "nats-ca", "", "PEM `file` with authorities that NATS's certificate may be of (default: the system's)")
	f.StringVar(&cfg.NATS.Cert, "nats-cert", "", "PEM `file` with the certificate to show NATS")
	f.StringVar(&cfg.NATS.Key, "nats-key", "", "PEM `file` with its key")
	f.StringVar(&cfg.Kernel, "kernel", server.DefaultKernel, "`name` of the kernel; nodes that hold one kernel name the same, and a data directory is of one for good")
	f.StringVar(&cfg.NodeName, "node-name", "", "what people call this node, in kj status")
	f.StringVar(&cfg.Git.Committer, "git-committer", "", "whom commits name as committer: `name <address>` (default Kaijutsu <kaijutsu@kaijutsu.invalid>)")
	f.StringVar(&cfg.Git.SignKey, "git-sign-key", "", "`file` with a private SSH key that signs commits (default: they are not signed)")
	f.Int64Var(&fileLimit, "file-limit", 0, "files of git mounts over this many `KiB` stay files and become no blocks (default 512)")
	model.add(cmd)
	reach.add(cmd)
	limits.add(cmd)
	addWatching(cmd, &cfg.Watching)
	f.StringVar(&level, "log-level", "info", "debug, info, warn or error")
	f.StringVar(&format, "log-format", "text", "text or json")
	return cmd
}

// printWhereabouts says where everything is. The last line is for programs
// that start a server and wait for it.
func printWhereabouts(w io.Writer, s *server.Server, data string, took time.Duration) {
	access := `local: connections from this machine act as "local"`
	if s.Auth() == "token" {
		access = "token: every connection needs the one in " + filepath.Join(data, "owner.token")
	}
	fmt.Fprintf(w, `kaijutsu %s, ready in %d ms
  page     %s/
  editors  %s
  data     %s
  access   %s
%s%s  try      kj ctx new "My first context"
listening on %s
`, version(), took.Milliseconds(), s.URL(), s.SyncURL(), data, access, nodeLine(s), distillLine(s), s.URL())
}

// distillLine says which model makes briefings; nothing when none does.
func distillLine(s *server.Server) string {
	if s.Distiller() == "extractive" {
		return ""
	}
	return "  distil   " + s.Distiller() + "\n"
}

// nodeLine says which kernel the server is a node of; nothing when it is alone.
func nodeLine(s *server.Server) string {
	if s.NATS() == "" {
		return ""
	}
	return fmt.Sprintf("  node     of kernel %s, %s\n", s.Kernel(), s.NATS())
}

func newLogger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: want debug, info, warn or error", level)
	}
	opts := &slog.HandlerOptions{Level: l}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return nil, fmt.Errorf("log format %q: want text or json", format)
}
