package kjproc

import "syscall"

// childAttr ends the child with its parent, so that a killed test leaves no
// server behind.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
