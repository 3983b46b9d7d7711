package httpdoor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// operation serves /v1/ops/{name}: tells of the operation, or runs it.
func (d *door) operation(w http.ResponseWriter, r *http.Request, call op.Call) {
	name := strings.TrimPrefix(r.URL.Path, "/v1/ops/")
	if r.Method != http.MethodPost {
		o, err := d.cfg.Set.Get(call, name)
		if err != nil {
			WriteError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, d.shown[o.Name].row)
		return
	}
	params, err := d.params(w, r)
	if err != nil {
		WriteError(w, err)
		return
	}
	result, err := d.cfg.Set.Call(r.Context(), call, name, params)
	if err != nil {
		WriteError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, result)
}

// noParams is what an empty body means.
var noParams = json.RawMessage("{}")

// firstRead bounds what is reserved for a body on its sender's word, in bytes.
const firstRead = 64 << 10

// params reads the body, but not past its limit.
func (d *door) params(w http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	limit := d.cfg.MaxBody
	if r.ContentLength > limit {
		return nil, tooLarge(w, r, limit)
	}
	var b bytes.Buffer
	if r.ContentLength > 0 {
		b.Grow(int(min(r.ContentLength, firstRead)) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(r.Body, limit+1))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge(w, r, large.Limit)
	case err != nil:
		return nil, fmt.Errorf("the body ends after %d bytes: %w: send it again, whole", n, kaijutsu.ErrInvalid)
	case n > limit:
		return nil, tooLarge(w, r, limit)
	case len(bytes.TrimSpace(b.Bytes())) == 0:
		return noParams, nil
	}
	return b.Bytes(), nil
}

// tooLarge refuses a body; what is left of it is not waited for.
func tooLarge(w http.ResponseWriter, r *http.Request, limit int64) error {
	w.Header().Set("Connection", "close")
	return fmt.Errorf("%s: parameters larger than %d bytes: %w: send less at a time", strings.TrimPrefix(r.URL.Path, "/v1/ops/"), limit, kaijutsu.ErrTooLarge)
}
