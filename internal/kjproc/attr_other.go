//go:build !linux

package kjproc

import "syscall"

func childAttr() *syscall.SysProcAttr { return nil }
