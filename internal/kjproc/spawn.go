package kjproc

import "os/exec"

// Spawn starts a server that does not say when it is ready, or not as kj serve
// does, and returns at once. The caller fills in the URL and finds out when it
// serves.
func Spawn(cmd *exec.Cmd) (*Process, error) {
	c, err := spawn(cmd, "", "")
	if err != nil {
		return nil, err
	}
	return &Process{child: c}, nil
}
