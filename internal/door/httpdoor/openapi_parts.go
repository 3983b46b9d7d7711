package httpdoor

import (
	"net/http"
	"strconv"
)

// catalogTag is the tag of what tells of operations.
const catalogTag = "operations"

// refusals are the answers to what is not done, status to the name of its
// response, and responses describes them by name.
var refusals, responses = describeRefusals()

func describeRefusals() (map[string]string, object) {
	names, described := make(map[string]string), make(object)
	for _, r := range []struct {
		status            int
		name, description string
	}{
		{http.StatusBadRequest, "invalid", "The input breaks a rule; sending it again cannot help. The message names the field and the mend."},
		{http.StatusUnauthorized, "unauthorized", "The server wants a token, or does not know this one."},
		{http.StatusForbidden, "denied", "The caller may not do this."},
		{http.StatusNotFound, "not_found", "What is named does not exist, or not for the caller."},
		{http.StatusConflict, "conflict", "The input is right and clashes with what is there."},
		{http.StatusRequestEntityTooLarge, "too_large", "A limit on size or count was passed."},
		{http.StatusTooManyRequests, "limited", "The caller asks for too much in a time. Retry-After says in how many seconds to try again."},
		{http.StatusInternalServerError, "internal", "The server is at fault; ref finds the error in its log."},
		{http.StatusServiceUnavailable, "unavailable", "The server cannot do this now; trying later may help."},
	} {
		names[strconv.Itoa(r.status)] = r.name
		described[r.name] = object{
			"description": r.description,
			"content":     object{"application/json": object{"schema": ref("schemas", "Problem")}},
		}
	}
	return names, described
}

// problemSchema describes what a refused call is answered with.
var problemSchema = object{
	"type":     "object",
	"required": []string{"error"},
	"properties": object{"error": object{
		"type":     "object",
		"required": []string{"kind", "message"},
		"properties": object{
			"kind":    object{"type": "string", "enum": []string{"not_found", "invalid", "conflict", "denied", "too_large", "unavailable", "internal"}},
			"message": object{"type": "string", "description": "What went wrong, why, and how to mend it"},
			"field":   object{"type": "string", "description": "The parameter that is wrong, as a path: operations[2].line"},
			"hint":    object{"type": "string", "description": "What to do instead"},
			"ref":     object{"type": "string", "description": "Finds an internal error in the server's log"},

			"retry_after": object{"type": "integer", "description": "In how many seconds it makes sense to try again, when that is known"},
		},
	}},
}

// parameters of every operation that are not in its body.
var parameters = object{
	"context_header": object{
		"name": "Kaijutsu-Context", "in": "header", "required": false, "schema": object{"type": "string"},
		"description": "The context that is meant where the parameters name none",
	},
	"context_query": object{
		"name": "context", "in": "query", "required": false, "schema": object{"type": "string"},
		"description": "The same, in the address",
	},
	"instance_header": object{
		"name": "Kaijutsu-Instance", "in": "header", "required": false, "schema": object{"type": "string", "maxLength": maxInstance},
		"description": "Tells the places apart from which you call; the seat of that name is kept",
	},
}

var nameParameter = object{
	"name": "name", "in": "path", "required": true, "schema": object{"type": "string", "pattern": "^[a-z][a-z0-9_]*$"},
	"description": "The name of an operation",
}

// catalogPath describes an address that tells of operations.
func catalogPath(id, title, description string, params []any) object {
	get := object{
		"operationId": id,
		"tags":        []string{catalogTag},
		"summary":     title,
		"description": description,
		"responses": object{
			"200": object{"description": "Here it is", "content": object{"application/json": object{"schema": object{"type": "object"}}}},
			"401": ref("responses", "unauthorized"),
			"403": ref("responses", "denied"),
			"404": ref("responses", "not_found"),
		},
	}
	if params != nil {
		get["parameters"] = params
	}
	return object{"get": get}
}
