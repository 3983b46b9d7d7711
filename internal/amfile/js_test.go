package amfile

import (
	"encoding/json"
	"fmt"
	"math"
)

// jsOps describes the operations of a change as JavaScript's decodeChange does.
func jsOps(c *Change) []map[string]any {
	ops := make([]map[string]any, len(c.Ops))
	for i := range c.Ops {
		ops[i] = jsOp(c, &c.Ops[i])
	}
	return ops
}

func jsOp(c *Change, op *Op) map[string]any {
	id := func(id OpID, zero string) string {
		if id.Counter == 0 {
			return zero
		}
		return fmt.Sprintf("%d@%s", id.Counter, c.Actors[id.Actor])
	}
	js := map[string]any{"obj": id(op.Obj, "_root"), "pred": []string{}}
	for _, pred := range op.Pred {
		js["pred"] = append(js["pred"].([]string), id(pred, ""))
	}
	if op.Seq {
		js["elemId"] = id(op.Elem, "_head")
	} else {
		js["key"] = op.Key
	}
	if op.Insert {
		js["insert"] = true
	}
	switch op.Action {
	case MakeMap, Put, MakeList, Delete, MakeText, Increment, MakeTable:
		js["action"] = []string{"makeMap", "set", "makeList", "del", "makeText", "inc", "makeTable"}[op.Action]
	case Mark:
		js["action"] = "markEnd"
		js["expand"] = op.Expand
		if op.MarkBegin {
			js["action"], js["name"] = "markBegin", op.MarkName
		}
	}
	if op.Action == Put || op.Action == Increment || op.MarkBegin {
		jsValue(js, op.Value, op.Action != Put)
	}
	return js
}

func jsValue(js map[string]any, v Value, bare bool) {
	kind := ""
	switch v.Type {
	case Null:
		js["value"] = nil
	case True, False:
		js["value"], _ = v.Bool()
	case Uint:
		js["value"], _ = v.Uint()
		kind = "uint"
	case Int:
		js["value"], _ = v.Int()
		kind = "int"
	case Float:
		f, _ := v.Float()
		js["value"], kind = f, "float64"
		if math.IsNaN(f) || math.IsInf(f, 0) {
			js["value"] = nil // as JSON.stringify writes it
		}
	case String:
		js["value"], _ = v.Str()
	case Bytes:
		list := []int{}
		for _, b := range v.Raw {
			list = append(list, int(b))
		}
		js["value"] = list
	case Counter:
		js["value"], _ = v.Counter()
		kind = "counter"
	case Timestamp:
		t, _ := v.Time()
		js["value"], kind = t.UnixMilli(), "timestamp"
	}
	if kind != "" && !bare {
		js["datatype"] = kind
	}
}

// plainJSON returns v as encoding/json reads it back, to compare with parsed text.
func plainJSON(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		panic(err)
	}
	return plain
}
