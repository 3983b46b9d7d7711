package ui

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// get asks the handler for an address.
func get(t *testing.T, method, address string, header map[string]string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, address, nil)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// assets returns the addresses that the page refers to.
func assets(t *testing.T) []string {
	t.Helper()
	found := regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(body(t, get(t, "GET", "/", nil)), -1)
	var list []string
	for _, m := range found {
		list = append(list, m[1])
	}
	if len(list) < 4 {
		t.Fatalf("page refers to %v, want a script, a style sheet, an icon and the wasm", list)
	}
	return list
}

func TestPage(t *testing.T) {
	r := get(t, "GET", "/", nil)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("GET / = %d, want 200", r.StatusCode)
	}
	for name, want := range map[string]string{
		"Content-Type":           "text/html; charset=utf-8",
		"Cache-Control":          "no-store",
		"ETag":                   "",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	csp := r.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self' 'wasm-unsafe-eval';", "connect-src 'self';", "frame-ancestors 'none'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("Content-Security-Policy = %q, want it to contain %q", csp, want)
		}
	}
	if strings.Contains(csp, "unsafe-inline") || strings.Contains(csp, "'unsafe-eval'") {
		t.Errorf("Content-Security-Policy = %q allows inline script or eval", csp)
	}
	if page := body(t, r); regexp.MustCompile(`<script(?:[^>]*>[^<]|[^>]*\son)`).MatchString(page) || strings.Contains(page, "<style") || strings.Contains(page, "style=") {
		t.Errorf("page has inline script or style, which its policy forbids:\n%s", page)
	}
}

// nonces returns the nonce of an answer's policy and the one in its body.
func nonces(t *testing.T, r *http.Response) (header, inBody string) {
	t.Helper()
	for _, in := range []struct {
		text, pattern string
		to            *string
	}{
		{r.Header.Get("Content-Security-Policy"), `style-src 'self' 'nonce-([A-Za-z0-9]{22,})';`, &header},
		{body(t, r), `<meta property="csp-nonce" nonce="([^"]+)"`, &inBody},
	} {
		m := regexp.MustCompile(in.pattern).FindStringSubmatch(in.text)
		if m == nil {
			t.Fatalf("%q has no nonce", in.text)
		}
		*in.to = m[1]
	}
	return header, inBody
}

func TestNonce(t *testing.T) {
	seen := make(map[string]bool)
	for range 100 {
		header, inBody := nonces(t, get(t, "GET", "/", nil))
		if header != inBody {
			t.Fatalf("the policy names nonce %q, the page %q", header, inBody)
		}
		if seen[header] {
			t.Fatalf("nonce %q was given twice", header)
		}
		seen[header] = true
	}
	if csp := get(t, "GET", "/sw.js", nil).Header.Get("Content-Security-Policy"); strings.Contains(csp, "nonce") {
		t.Errorf("Content-Security-Policy of a script = %q, want no nonce", csp)
	}
}

func TestPermissions(t *testing.T) {
	for _, address := range []string{"/", "/sw.js", "/nothing"} {
		if got := get(t, "GET", address, nil).Header.Get("Permissions-Policy"); !strings.Contains(got, "camera=()") {
			t.Errorf("GET %s: Permissions-Policy = %q, want no camera", address, got)
		}
	}
}

func TestAssets(t *testing.T) {
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".wasm": "application/wasm"}
	for _, address := range assets(t) {
		t.Run(address, func(t *testing.T) {
			r := get(t, "GET", address, nil)
			if got, want := r.Header.Get("Content-Type"), types[address[strings.LastIndex(address, "."):]]; r.StatusCode != http.StatusOK || got != want {
				t.Errorf("GET = %d of type %q, want 200 of type %q", r.StatusCode, got, want)
			}
			if got, want := r.Header.Get("Cache-Control"), "public, max-age=31536000, immutable"; got != want {
				t.Errorf("Cache-Control = %q, want %q", got, want)
			}
			plain := body(t, r)
			z := get(t, "GET", address, map[string]string{"Accept-Encoding": "br, gzip;q=0.8"})
			if z.Header.Get("Content-Encoding") == "gzip" {
				zr, err := gzip.NewReader(z.Body)
				if err != nil {
					t.Fatal(err)
				}
				unzipped, err := io.ReadAll(zr)
				if err != nil || string(unzipped) != plain {
					t.Errorf("gzip body does not unpack to the plain one: %v", err)
				}
				if z.Header.Get("ETag") == r.Header.Get("ETag") {
					t.Errorf("gzip and plain share the ETag %s", r.Header.Get("ETag"))
				}
			} else if len(plain) >= minGzipBytes {
				t.Errorf("%d bytes were not compressed", len(plain))
			}
		})
	}
}

func TestRevalidation(t *testing.T) {
	for _, address := range []string{"/sw.js", assets(t)[0]} {
		etag := get(t, "GET", address, nil).Header.Get("ETag")
		if etag == "" {
			t.Fatalf("GET %s has no ETag", address)
		}
		if got := get(t, "GET", address, map[string]string{"If-None-Match": etag}).StatusCode; got != http.StatusNotModified {
			t.Errorf("GET %s If-None-Match %s = %d, want 304", address, etag, got)
		}
		if got := get(t, "GET", address, map[string]string{"If-None-Match": `"other"`}).StatusCode; got != http.StatusOK {
			t.Errorf("GET %s If-None-Match of another = %d, want 200", address, got)
		}
	}
}

func TestOtherRequests(t *testing.T) {
	tests := []struct {
		method, address string
		want            int
	}{
		{"HEAD", "/", http.StatusOK},
		{"HEAD", "/sw.js", http.StatusOK},
		{"POST", "/", http.StatusMethodNotAllowed},
		{"GET", "/manifest.json", http.StatusNotFound},
		{"GET", "/index.html", http.StatusNotFound},
		{"GET", "/assets/", http.StatusNotFound},
		{"GET", "/assets/../manifest.json", http.StatusNotFound},
		{"GET", "/nothing", http.StatusNotFound},
	}
	for _, tt := range tests {
		r := get(t, tt.method, tt.address, nil)
		if r.StatusCode != tt.want {
			t.Errorf("%s %s = %d, want %d", tt.method, tt.address, r.StatusCode, tt.want)
		}
		if r.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s %s has no Content-Security-Policy", tt.method, tt.address)
		}
	}
}
