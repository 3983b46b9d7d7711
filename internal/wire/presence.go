package wire

// Presence is what an ephemeral message of the class Presence of automerge-repo
// says: its Type is "update", "heartbeat", "snapshot" or "goodbye"; an update is of
// a Channel.
type Presence struct{ Type, Channel string }

// ReadPresence reads what the payload of an ephemeral message begins with; false
// when it is not of the class Presence, or not written as that does: a map with
// the one key "__presence", and below it a map that begins with "type", behind
// which "channel" comes if there is one.
func ReadPresence(data []byte) (Presence, bool) {
	major, n, rest, ok := splitHead(data)
	if !ok || major != majorMap || n != 1 {
		return Presence{}, false
	}
	key, rest, ok := splitText(rest)
	if !ok || string(key) != "__presence" {
		return Presence{}, false
	}
	major, n, rest, ok = splitHead(rest)
	if !ok || major != majorMap || n == 0 {
		return Presence{}, false
	}
	if key, rest, ok = splitText(rest); !ok || string(key) != "type" {
		return Presence{}, false
	}
	kind, rest, ok := splitText(rest)
	if !ok {
		return Presence{}, false
	}
	p := Presence{Type: string(kind)}
	if n == 1 {
		return p, true
	}
	if key, rest, ok = splitText(rest); !ok {
		return Presence{}, false
	}
	if string(key) == "channel" {
		channel, _, ok := splitText(rest)
		p.Channel = string(channel)
		return p, ok
	}
	return p, p.Type != "update"
}

// splitText takes a text of definite length off the front of b.
func splitText(b []byte) (text, rest []byte, ok bool) {
	major, n, rest, ok := splitHead(b)
	if !ok || major != majorText || n > uint64(len(rest)) {
		return nil, nil, false
	}
	return rest[:n], rest[n:], true
}
