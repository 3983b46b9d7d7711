package httpdoor

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"kaijutsu/internal/op"
)

// object is a JSON object that is written as it is.
type object = map[string]any

// openAPI serves /v1/openapi.json: the operations that are there for the
// caller.
func (d *door) openAPI(w http.ResponseWriter, _ *http.Request, call op.Call) {
	writeJSON(w, http.StatusOK, must(d.document(d.cfg.Set.List(call))))
}

// document describes operations in OpenAPI 3.1.
func (d *door) document(all []*op.Op) object {
	paths := object{
		"/v1/ops":          catalogPath("list_operations", "List the operations", "Every operation that is there for the caller", nil),
		"/v1/ops/{name}":   catalogPath("get_operation", "Describe an operation", "One operation, with its schemas and examples", []any{nameParameter}),
		"/v1/openapi.json": catalogPath("get_openapi", "Describe this interface", "This document", nil),
	}
	schemas := object{"Problem": problemSchema}
	tags := []any{object{"name": catalogTag, "description": "What there is"}}
	family := ""
	for _, o := range all { // by name, so that families come together
		paths["/v1/ops/"+o.Name] = d.shown[o.Name].path
		schemas[o.Name+"_in"], schemas[o.Name+"_out"] = o.In, o.Out
		if o.Family() != family {
			family = o.Family()
			tags = append(tags, object{"name": family})
		}
	}
	version := d.cfg.Version
	if version == "" {
		version = "0"
	}
	return object{
		"openapi":           "3.1.0",
		"jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
		"info": object{
			"title":       "Kaijutsu",
			"version":     version,
			"description": "Every operation of the kernel. The same operations, with the same parameters and results, are behind the other doors: MCP and the shell.",
		},
		"servers":  []any{object{"url": "/", "description": "This server"}},
		"security": []any{object{"bearer": []any{}}, object{"cookie": []any{}}, object{"query": []any{}}, object{}},
		"tags":     tags,
		"paths":    paths,
		"components": object{
			"schemas":    schemas,
			"responses":  responses,
			"parameters": parameters,
			"securitySchemes": object{
				"bearer": object{"type": "http", "scheme": "bearer", "description": "A token: kj token create. A server on a loopback address may ask for none."},
				"cookie": object{"type": "apiKey", "in": "cookie", "name": "kj_token", "description": "The same token, as the server's own page has it."},
				"query":  object{"type": "apiKey", "in": "query", "name": "token", "description": "The same token, for clients that can set no header."},
			},
		},
	}
}

// pathOf describes one operation.
func pathOf(o *op.Op) object {
	content := object{"schema": ref("schemas", o.Name+"_in")}
	examples := object{}
	for i, e := range o.Examples {
		summary := e.Text
		if summary == "" {
			summary = o.Summary
		}
		examples[fmt.Sprintf("example_%d", i+1)] = object{"summary": summary, "value": json.RawMessage(e.In)}
	}
	if len(examples) > 0 {
		content["examples"] = examples
	}
	answers := object{"200": object{
		"description": "Done",
		"content":     object{"application/json": object{"schema": ref("schemas", o.Name+"_out")}},
	}}
	for status, name := range refusals {
		answers[status] = ref("responses", name)
	}
	post := object{
		"operationId": o.Name,
		"tags":        []string{o.Family()},
		"summary":     o.Title,
		"description": describe(o),
		"parameters":  []any{ref("parameters", "context_header"), ref("parameters", "context_query"), ref("parameters", "instance_header")},
		"requestBody": object{"required": len(o.In.Required) > 0, "content": object{"application/json": content}},
		"responses":   answers,
	}
	return object{"post": post}
}

// describe returns what there is to say of an operation, in Markdown.
func describe(o *op.Op) string {
	on := "the context"
	if o.Scope == op.OnKernel {
		on = "the kernel"
	}
	parts := []string{o.Summary + "."}
	if o.Description != "" {
		parts = append(parts, o.Description)
	}
	parts = append(parts, fmt.Sprintf("It %s, and takes the role %s on %s.", effectOf(o.Effect), o.Right, on))
	return strings.Join(parts, "\n\n")
}

func ref(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }
