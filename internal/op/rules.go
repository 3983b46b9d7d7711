package op

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// tidy takes null out of what fields may be: a field is there or not.
func tidy(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	kept := s.Types[:0:0]
	for _, t := range s.Types {
		if t != "null" {
			kept = append(kept, t)
		}
	}
	s.Types = kept
	if len(kept) == 1 {
		s.Type, s.Types = kept[0], nil
	}
	for _, p := range s.Properties {
		tidy(p)
	}
	tidy(s.Items)
	tidy(s.AdditionalProperties)
}

// applyRules adds the rule tags of a struct to its schema, and of the structs
// within.
func applyRules(s *jsonschema.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t.Kind() == reflect.Slice && s.Items != nil {
			s = s.Items
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if f.Anonymous || name == "-" || p == nil {
			continue
		}
		if err := applyRule(p, f.Tag.Get("rule")); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
		if err := applyRules(p, f.Type); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	return nil
}

func applyRule(p *jsonschema.Schema, rule string) error {
	for rule != "" {
		var part string
		if strings.HasPrefix(rule, "pattern=") {
			part, rule = rule, ""
		} else {
			part, rule, _ = strings.Cut(rule, ",")
		}
		key, value, _ := strings.Cut(part, "=")
		if err := applyPart(p, key, value); err != nil {
			return fmt.Errorf("rule %q: %w", part, err)
		}
	}
	return nil
}

func applyPart(p *jsonschema.Schema, key, value string) error {
	switch key {
	case "min", "max":
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return err
		}
		if key == "min" {
			p.Minimum = &n
		} else {
			p.Maximum = &n
		}
	case "minlen", "maxlen", "minitems", "maxitems":
		n, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		switch key {
		case "minlen":
			p.MinLength = &n
		case "maxlen":
			p.MaxLength = &n
		case "minitems":
			p.MinItems = &n
		default:
			p.MaxItems = &n
		}
	case "enum":
		for v := range strings.SplitSeq(value, "|") {
			p.Enum = append(p.Enum, v)
		}
	case "pattern":
		p.Pattern = value
	case "default":
		if p.Type == "array" || p.Type == "object" {
			return fmt.Errorf("the default of an %s: calls would share it", p.Type)
		}
		if p.Type == "string" {
			value = strconv.Quote(value)
		}
		p.Default = json.RawMessage(value)
	case "object":
		p.Type = "object"
	case "alias", "numeric": // aliasesOf and numericOf read them
	default:
		return fmt.Errorf("there is no such rule")
	}
	return nil
}

// checkDefaults finds a default that its own field would not take.
func checkDefaults(s *jsonschema.Schema) error {
	for name, p := range s.Properties {
		if p.Default == nil {
			continue
		}
		var value any
		if err := json.Unmarshal(p.Default, &value); err != nil {
			return fmt.Errorf("default of %s: %w", name, err)
		}
		if err := explain(p, value, name); err != nil {
			return fmt.Errorf("default: %w", err)
		}
	}
	return nil
}

// defaultsOf returns the JSON object of a schema's defaults.
func defaultsOf(s *jsonschema.Schema) json.RawMessage {
	all := make(map[string]json.RawMessage)
	for name, p := range s.Properties {
		if p.Default != nil {
			all[name] = p.Default
		}
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(fmt.Sprintf("defaults: %v", err)) // a rule tag that is no JSON: found when the operation is defined
	}
	return b
}
