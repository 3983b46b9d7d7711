package catalog

// inContext is the parameter of an operation on a context.
type inContext struct {
	Context string `json:"context,omitempty" jsonschema:"The context: its id, its automerge: URL, its label, its title, the short id that lists show, the beginning of one of these, or .parent for what the call's context was forked from. Default: the context of the call." rule:"maxlen=1000"`
}

// onBlock is the parameters of an operation on a block.
type onBlock struct {
	inContext
	Block string `json:"block_id" jsonschema:"The block: its id. Where the context is known, the beginning of the id will do, from 6 characters on." rule:"minlen=6,maxlen=36,alias=block"`
}

// ifHeads makes an operation conditional.
type ifHeads struct {
	IfHeads []string `json:"if_heads,omitempty" jsonschema:"Go ahead only if these are the heads of the context: what you read is then what you edit. Default: go ahead anyway." rule:"minitems=1,maxitems=1000"`
}

// atMoment is the parameter that says as of when.
type atMoment struct {
	At string `json:"at,omitempty" jsonschema:"As of when: a version such as 12, a time such as 2026-11-21T10:00:00Z, or heads: change hashes joined by commas. Default: now." rule:"maxlen=65000"`
}
