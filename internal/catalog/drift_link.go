package catalog

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/link"
)

var errNoLinks = fmt.Errorf("this server links no other kernels: %w", kaijutsu.ErrUnavailable)

// linkRow is another kernel that drifts may go to.
type linkRow struct {
	Name   string `json:"name" jsonschema:"The other kernel's name: what stands in front of the colon of an address."`
	URL    string `json:"url,omitempty" jsonschema:"The address of its server. Only for who owns this kernel."`
	Plain  bool   `json:"plain,omitempty" jsonschema:"Plain http is allowed."`
	By     string `json:"by,omitempty" jsonschema:"Who set it."`
	At     string `json:"at,omitempty"`
	Unread string `json:"unread,omitempty" jsonschema:"Why the link does not work until it is set again: what is stored cannot be read."`
}

func linkRowOf(s link.Shown) linkRow {
	return linkRow{s.Kernel, s.URL, s.Plain, s.By.Name, timeText(s.At), s.Unread}
}
