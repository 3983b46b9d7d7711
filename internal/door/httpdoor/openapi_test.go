package httpdoor

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestOpenAPI holds the document against itself; a validator of others does
// the rest, in internal/interop.
func TestOpenAPI(t *testing.T) {
	server := serve(t, Config{Version: "1.2.3"})
	_, body := ask(t, server, http.MethodGet, "/v1/openapi.json", "")
	var doc map[string]any
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc["openapi"] != "3.1.0" || doc["info"].(map[string]any)["version"] != "1.2.3" {
		t.Errorf("openapi %v of version %v", doc["openapi"], doc["info"])
	}
	ids := make(map[string]bool)
	walk(doc, func(m map[string]any) {
		if target, ok := m["$ref"].(string); ok && resolve(doc, target) == nil {
			t.Errorf("%s leads nowhere", target)
		}
		if id, ok := m["operationId"].(string); ok {
			if ids[id] {
				t.Errorf("two operations are %s", id)
			}
			ids[id] = true
		}
	})
	post := doc["paths"].(map[string]any)["/v1/ops/note_write"].(map[string]any)["post"].(map[string]any)
	for _, status := range []string{"200", "400", "401", "403", "404", "409", "413", "429", "500", "503"} {
		if post["responses"].(map[string]any)[status] == nil {
			t.Errorf("no response %s", status)
		}
	}
	content := post["requestBody"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)
	if got := len(content["examples"].(map[string]any)); got != 1 {
		t.Errorf("%d examples, want 1", got)
	}
}

// walk visits every object of a JSON value.
func walk(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, value := range v {
			walk(value, visit)
		}
	case []any:
		for _, value := range v {
			walk(value, visit)
		}
	}
}

// resolve follows "#/a/b" in a document.
func resolve(doc map[string]any, target string) any {
	var v any = doc
	for _, key := range strings.Split(strings.TrimPrefix(target, "#/"), "/") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}
