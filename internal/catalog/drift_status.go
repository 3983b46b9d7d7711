package catalog

// DriftStatus is what waits on its way from one context to another.
type DriftStatus struct {
	Staged    int      `json:"staged" jsonschema:"Drifts that wait for a flush."`
	Held      int      `json:"held" jsonschema:"Drifts of other kernels that wait for somebody's consent here."`
	Offered   int      `json:"offered" jsonschema:"Drifts to other kernels that wait for consent there."`
	Dead      int      `json:"dead_letters" jsonschema:"Drifts that were tried in vain, or refused: drift_dead_letters lists them, drift_replay tries again."`
	Distiller string   `json:"distiller,omitempty" jsonschema:"Who makes briefings where nobody is named."`
	Links     []string `json:"links,omitempty" jsonschema:"The other kernels that drifts may go to."`
}
