package kjproc

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"kaijutsu"
)

// natsModule is the program that BuildNATS builds.
const natsModule = "github.com/nats-io/nats-server/v2"

// FindNATS returns the path of a nats-server: the one given, the one that go
// builds from the module cache into dir when the working directory is inside
// this source tree, or the one on PATH. The error says how to get one.
func FindNATS(ctx context.Context, path, dir string) (string, error) {
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("nats-server %s: %w: %w", path, kaijutsu.ErrNotFound, err)
		}
		return found, nil
	}
	built, why := buildNATS(ctx, dir)
	if why == nil {
		return built, nil
	}
	if found, err := exec.LookPath("nats-server"); err == nil {
		return found, nil
	}
	return "", fmt.Errorf("no nats-server on PATH, and none could be built (%w): %w: name one with --nats-server PATH, or run in this repository with go installed", why, kaijutsu.ErrNotFound)
}

// buildNATS builds the version that go.mod names.
func buildNATS(ctx context.Context, dir string) (string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-m")
	name, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	if strings.TrimSpace(string(name)) != "kaijutsu" {
		return "", fmt.Errorf("the working directory is not in this source tree")
	}
	exe := filepath.Join(dir, "nats-server")
	build := exec.CommandContext(ctx, "go", "build", "-o", exe, natsModule)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, bytes.TrimSpace(out))
	}
	return exe, nil
}

// NATSConfig says how a nats-server runs, with JetStream. It may be started
// again with the same values after a kill.
type NATSConfig struct {
	// Exe is the program, Dir its own directory, which is made.
	Exe, Dir string
	// Name is unique in the cluster; default nats.
	Name string
	// Host is where it listens; default 127.0.0.1.
	Host string
	// Port is for clients, Monitor for HTTP: both as FreePorts gives them.
	Port, Monitor int
	// ClusterPort is for other servers, whose addresses host:port are Routes;
	// 0: it is alone.
	ClusterPort int
	Routes      []string
	// SyncAlways has a message on the disk before it is acknowledged; else the
	// server writes it at once and syncs every two minutes.
	SyncAlways bool
	// Around is a command that runs the server's command line, such as
	// "ip netns exec NAME"; default none.
	Around []string
}

// NATS is a running nats-server.
type NATS struct {
	Config NATSConfig
	*child
}

// StartNATS starts a nats-server and returns when it takes clients. Its
// JetStream may still be looking for a leader.
func StartNATS(ctx context.Context, cfg NATSConfig) (*NATS, error) {
	if cfg.Host == "" {
		cfg.Host = "127.0.0.1"
	}
	if cfg.Name == "" {
		cfg.Name = "nats"
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("start nats-server: %w", err)
	}
	file := filepath.Join(cfg.Dir, "nats.conf")
	if err := os.WriteFile(file, cfg.text(), 0o600); err != nil {
		return nil, fmt.Errorf("start nats-server: %w", err)
	}
	args := append(append([]string(nil), cfg.Around...), cfg.Exe, "-c", file)
	c, err := spawn(exec.Command(args[0], args[1:]...), "", "Server is ready")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	select {
	case <-c.said:
		return &NATS{Config: cfg, child: c}, nil
	case <-c.done:
		return nil, fmt.Errorf("nats-server ended at once: %w: %s", kaijutsu.ErrUnavailable, tail(c.Log()))
	case <-ctx.Done():
		c.Kill()
		return nil, fmt.Errorf("nats-server not ready: %w: %s", ctx.Err(), tail(c.Log()))
	}
}

// text is the server's configuration file.
func (cfg NATSConfig) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "server_name: %q\nhost: %q\nport: %d\n", cfg.Name, cfg.Host, cfg.Port)
	if cfg.Monitor > 0 {
		fmt.Fprintf(&b, "http: %q\n", fmt.Sprintf("%s:%d", cfg.Host, cfg.Monitor))
	}
	sync := ""
	if cfg.SyncAlways {
		sync = ", sync_interval: always"
	}
	fmt.Fprintf(&b, "jetstream { store_dir: %q, max_mem: 256MB, max_file: 100GB%s }\n", cfg.Store(), sync)
	if cfg.ClusterPort > 0 {
		fmt.Fprintf(&b, "cluster { name: kj, host: %q, port: %d, routes: [", cfg.Host, cfg.ClusterPort)
		for i, r := range cfg.Routes {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%q", "nats://"+r)
		}
		b.WriteString("] }\n")
	}
	return b.Bytes()
}

// Store returns the directory that holds the streams.
func (cfg NATSConfig) Store() string { return filepath.Join(cfg.Dir, "store") }

// URL returns the address for clients.
func (cfg NATSConfig) URL() string {
	host := cfg.Host
	if host == "" {
		host = "127.0.0.1"
	}
	return fmt.Sprintf("nats://%s:%d", host, cfg.Port)
}

// FreePorts returns n ports of 127.0.0.1 that are free now, all different.
func FreePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer l.Close() // all are held until all are found
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// tail returns the end of a log.
func tail(log string) string {
	log = strings.TrimSpace(log)
	return log[max(0, len(log)-2000):]
}
