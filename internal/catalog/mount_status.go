package catalog

// MountStatus is how the mounts of a node fare.
type MountStatus struct {
	Mounts    int `json:"mounts" jsonschema:"Mounts of this node, /scratch among them."`
	OpenFiles int `json:"open_files" jsonschema:"Files that are blocks."`
	Dirty     int `json:"dirty" jsonschema:"Files whose blocks have edits that the disk has not yet."`
	Conflicts int `json:"conflicts" jsonschema:"Files whose block and disk contradict each other: git_status names them, fs_resolve settles them."`
}
