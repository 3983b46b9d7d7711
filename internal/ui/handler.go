package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed all:dist
var dist embed.FS

// contentTypes is what the page is made of; mime.TypeByExtension would ask the
// machine it runs on.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".wasm": "application/wasm",
}

// policy lets the page load only what the server has, run no script of
// anybody else, and be framed by nobody. 'wasm-unsafe-eval' is what compiling
// WebAssembly asks for; it does not allow eval. To connect to 'self' takes in
// the WebSocket of the same host (CSP 3, §6.7.2.8).
func policy(styles string) string {
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'" + styles + "; img-src 'self' data:; " +
		"connect-src 'self'; worker-src 'self'; manifest-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// permissions are what the page never asks the browser for.
const permissions = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), " +
	"microphone=(), midi=(), payment=(), usb=(), clipboard-read=(self), clipboard-write=(self)"

// placeholder stands in the built index.html for the nonce of an answer.
const placeholder = "KJ-NONCE"

// minGzipBytes is the size below which compressing is not worth a header.
const minGzipBytes = 1 << 10

// file is one built file. It takes no memory until somebody asks for it.
type file struct {
	name  string
	bytes func() []byte
	etag  func() string // quoted
	// gzipped returns the compressed bytes, nil when they save nothing; they
	// are made when first asked for.
	gzipped func() []byte
}

// Handler serves the page at "/" and its files. Files under /assets/ have
// their hash in their name and may be cached for ever; the rest is asked for
// anew each time, and but for the page itself answered with 304 when it is the
// same. The handler is safe for concurrent use.
func Handler() http.Handler {
	files, err := load(dist)
	if err != nil {
		panic("ui: the embedded page cannot be read: " + err.Error()) // a broken build, seen at start-up
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, files) })
}

// load reads the built files by their address.
func load(from fs.FS) (map[string]*file, error) {
	files := make(map[string]*file)
	err := fs.WalkDir(from, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "dist/manifest.json" {
			return err
		}
		address := strings.TrimPrefix(name, "dist")
		if address == "/index.html" {
			address = "/"
		}
		files[address] = newFile(name, func() []byte {
			b, _ := fs.ReadFile(from, name) // it is there: it was listed, and is part of the program
			return b
		})
		return nil
	})
	return files, err
}

func newFile(name string, read func() []byte) *file {
	f := &file{name: name, bytes: sync.OnceValue(read)}
	f.etag = sync.OnceValue(func() string {
		sum := sha256.Sum256(f.bytes())
		return `"` + hex.EncodeToString(sum[:16]) + `"`
	})
	f.gzipped = sync.OnceValue(func() []byte {
		b := f.bytes()
		if len(b) < minGzipBytes {
			return nil
		}
		var buf bytes.Buffer
		z := gzip.NewWriter(&buf)
		_, _ = z.Write(b) // a bytes.Buffer takes everything
		_ = z.Close()
		if buf.Len() >= len(b) {
			return nil
		}
		return buf.Bytes()
	})
	return f
}

func serve(w http.ResponseWriter, r *http.Request, files map[string]*file) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy(""))
	h.Set("Permissions-Policy", permissions)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	f, ok := files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h.Set("Content-Type", contentTypes[path.Ext(f.name)])
	if r.URL.Path == "/" {
		serveIndex(w, r, f)
		return
	}
	h.Set("Vary", "Accept-Encoding")
	if strings.HasPrefix(r.URL.Path, "/assets/") {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	body, etag := f.bytes(), f.etag()
	if acceptsGzip(r) {
		if z := f.gzipped(); z != nil {
			h.Set("Content-Encoding", "gzip")
			body, etag = z, strings.TrimSuffix(etag, `"`)+`-gz"`
		}
	}
	h.Set("ETag", etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// serveIndex answers with the page itself. Its body and its policy share a
// nonce that no other answer has, by which style sheets that the page's own
// scripts make are known; so it is kept by nobody but the page's own worker,
// which keeps both together.
func serveIndex(w http.ResponseWriter, r *http.Request, f *file) {
	nonce := rand.Text() // 128 bits or more, of letters and digits
	h := w.Header()
	h.Set("Content-Security-Policy", policy(" 'nonce-"+nonce+"'"))
	h.Set("Cache-Control", "no-store")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(bytes.ReplaceAll(f.bytes(), []byte(placeholder), []byte(nonce))))
}

// acceptsGzip reports whether the client takes gzip. Ranges are of the plain
// bytes, so a request for one gets those.
func acceptsGzip(r *http.Request) bool {
	if r.Header.Get("Range") != "" {
		return false
	}
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(coding) == "gzip" {
			q = strings.ReplaceAll(q, " ", "")
			return q != "q=0" && !strings.HasPrefix(q, "q=0.000")
		}
	}
	return false
}
