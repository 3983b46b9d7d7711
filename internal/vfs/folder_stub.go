package vfs

import (
	"context"
	"fmt"
	"io/fs"

	"kaijutsu"
)

var errSoon = fmt.Errorf("not there yet: %w", kaijutsu.ErrUnavailable)

func (f *Folder) entries(ctx context.Context, name string) ([]string, error) { return nil, errSoon }
func (f *Folder) Read(ctx context.Context, by kaijutsu.Principal, name string, limit int64) ([]byte, Info, error) {
	return nil, Info{}, errSoon
}
func (f *Folder) Write(ctx context.Context, by kaijutsu.Principal, name string, data []byte, o WriteOptions) (Info, error) {
	return Info{}, errSoon
}
func (f *Folder) Mkdir(ctx context.Context, by kaijutsu.Principal, name string) error { return errSoon }
func (f *Folder) Remove(ctx context.Context, by kaijutsu.Principal, name string, recursive bool) error {
	return errSoon
}
func (f *Folder) Rename(ctx context.Context, by kaijutsu.Principal, from, to string) error {
	return errSoon
}
func (f *Folder) Replace(name string, data []byte, perm fs.FileMode, expect func(old []byte, st Stamp, exists bool) error, after func() error) (Stamp, error) {
	return Stamp{}, errSoon
}
func (f *Folder) RemoveIf(name string, expect func(old []byte, st Stamp, exists bool) error) error {
	return errSoon
}
