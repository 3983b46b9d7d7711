//go:build !linux

package vfs

import "io/fs"

func (f *Folder) put(r replacement) (fs.FileInfo, error) { return f.putChecked(r) }

func (f *Folder) take(name string, expect func(seen) error) error { return f.takeChecked(name, expect) }
