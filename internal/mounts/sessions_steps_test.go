package mounts_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kaijutsu/blocks"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// session is one session in one repository. Only one goroutine uses it.
type session struct {
	*stage
	ctx    context.Context
	at     string // the mount
	mount  mounts.Mount
	counts counts
	trace  []string

	files   map[string]*model // by path, also those that are gone
	head    map[string]string // what the last commit has, by path
	commits []string          // hashes, the oldest first
	notes   map[string]note   // by commit
	ever    map[string]map[string]bool
	unit    int
}

func (s *session) say(format string, args ...any) {
	s.trace = append(s.trace, fmt.Sprintf(format, args...))
}

// fail ends the session.
func (s *session) fail(format string, args ...any) {
	panic(failure{fmt.Errorf(format, args...)})
}

func (s *session) must(err error) {
	if err != nil {
		s.fail("%w", err)
	}
}

// begin makes a repository with some files and mounts it.
func (s *session) begin(name string) {
	dir := filepath.Join(s.home, name)
	s.must(os.MkdirAll(dir, 0o755))
	s.sh(dir, "init", "-q")
	for path, text := range map[string]string{
		"a.go":             "package a\n\nfunc one() {\n\treturn\n}\n\nfunc two() {\n\treturn\n}\n",
		"docs/read me.txt": "first\r\nsecond\r\n\r\nthird\r\nfourth\r\nfifth\r\nsixth\r\n",
		"list.txt":         "alpha\nbeta\n}\ngamma\n}\ndelta\n",
	} {
		f := &model{path: path, exists: true, crlf: strings.Contains(text, "\r")}
		s.splice(f, 0, 0, plain(text), loaded)
		s.files[path], s.head[path] = f, plain(text)
		s.must(os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755))
		s.must(os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644))
	}
	s.sh(dir, "add", "-A")
	s.sh(dir, "commit", "-qm", "first")
	s.commits = []string{strings.TrimSpace(s.sh(dir, "rev-parse", "HEAD"))}
	var err error
	s.mount, err = s.Add(s.ctx, owner, mounts.AddSpec{Path: s.at, Source: "git:" + dir, ReadWrite: true})
	s.must(err)
}

// name is how the book calls a principal.
func nameOf(c op.Call) string { return c.By.Name }

// token is a text that no other line has.
func (s *session) token(who string) string {
	s.unit++
	return fmt.Sprintf("%s-%d", who, s.unit)
}

// line is a line that no other is like.
func (s *session) line(who string, n int) string {
	return s.token(strings.Trim(who, "()")) + []string{"", " some words", " { return }", " // ünïcode 世界"}[n%4]
}

// there returns the files that are there, by path.
func (s *session) there() (out []*model) {
	for _, p := range slices.Sorted(maps.Keys(s.files)) {
		if s.files[p].exists {
			out = append(out, s.files[p])
		}
	}
	return out
}

// play does what a step says; where there is nothing to do it with, nothing.
func (s *session) play(p step) {
	call := s.cast[p.who%len(s.cast)]
	files := s.there()
	switch p.kind {
	case "commit":
		s.commit(call, p)
		return
	case "new", "create":
		s.create(call, p)
		return
	}
	if len(files) == 0 {
		return
	}
	f := files[p.a%len(files)]
	s.say("%s: %s by %s (%d %d %d)", p.kind, f.path, nameOf(call), p.b, p.c, p.d)
	switch p.kind {
	case "read":
		s.open(call, f)
	case "type", "lines", "equal", "shift", "end":
		s.open(call, f)
		s.edit(call, f, p)
	case "write":
		s.sync() // what is there is looked at by no one else meanwhile
		s.open(call, f)
		s.editLines(f, p, nameOf(call))
		_, err := s.WriteFile(s.ctx, call, mounts.WriteSpec{Path: s.at + "/" + f.path, Text: f.text()})
		s.must(err)
	case "rename":
		s.rename(call, f, p)
	case "remove":
		s.open(call, f)
		s.must(s.RemoveFile(s.ctx, call, s.at+"/"+f.path, false))
		f.exists = false
		s.sync()
	case "both":
		s.both(call, f, p)
	default:
		s.sync()
		s.outside(f, p)
		s.sync()
	}
}

// open makes a file a block.
func (s *session) open(c op.Call, f *model) {
	if f.block != "" {
		return
	}
	got, err := s.ReadFile(s.ctx, c, mounts.ReadSpec{Path: s.at + "/" + f.path})
	s.must(err)
	if got.Block == "" || got.Text != f.text() {
		s.fail("%s was opened as %+v, want a block with %q", f.path, got, f.text())
	}
	f.block = got.Block
}

// change edits the block of a file.
func (s *session) change(c op.Call, f *model, edit func(v repo.View, tx *blocks.Tx) error) {
	_, err := s.kernel.Edit(s.ctx, c, s.mount.Context, "block_edit", edit)
	s.must(err)
}

// edit is an edit of a block, by characters or by lines.
func (s *session) edit(c op.Call, f *model, p step) {
	who := nameOf(c)
	kind, lines := p.kind, f.lines()
	if kind != "end" && !f.ended() || len(lines) == 0 {
		kind = "type"
	}
	splice := func(pos, del int, ins string) {
		s.say("  splice %d %d %q", pos, del, ins)
		s.change(c, f, func(_ repo.View, tx *blocks.Tx) error { return tx.SpliceText(f.block, pos, del, ins) })
		s.splice(f, pos, del, ins, who)
	}
	byLine := func(at, del int, ins ...string) {
		s.say("  lines %d %d %q", at, del, ins)
		e := blocks.LineEdit{Op: blocks.LineReplace, Line: at, End: at + del, Content: strings.Join(ins, "\n") + "\n"}
		if len(ins) == 0 {
			e.Op, e.Content = blocks.LineDelete, ""
		} else if del == 0 {
			e.Op, e.End = blocks.LineInsert, 0
		}
		s.change(c, f, func(_ repo.View, tx *blocks.Tx) error { return tx.EditLines(f.block, []blocks.LineEdit{e}) })
		s.spliceLines(f, at, del, ins, who)
	}
	switch kind {
	case "type":
		most := len(f.chars)
		if f.ended() && most > 0 {
			most-- // the last line feed stays
		}
		pos := p.b % (most + 1)
		del := min(p.c%8, most-pos) * (p.d % 2)
		ins := []string{"x", s.token(who), s.token(who) + "\n" + s.token(who), "\n" + s.token(who), s.token(who) + "\n", "\n", "", "é世"}[p.c/8%8]
		if f.ended() && most == 0 && len(f.chars) == 0 {
			ins += "\n"
		}
		if del > 0 || ins != "" {
			splice(pos, del, ins)
		}
	case "end":
		if f.ended() {
			splice(len(f.chars)-1, 1, "")
		} else {
			splice(len(f.chars), 0, "\n")
		}
	case "equal":
		byLine(p.b%(len(lines)+1), 0, []string{"}", "", "\treturn", "}"}[p.c%4])
	case "shift": // a line is taken out, and the same put in elsewhere
		from := p.b % len(lines)
		text := lines[from].text
		byLine(from, 1)
		byLine(p.c%len(lines), 0, text)
	case "lines":
		at := p.b % len(lines)
		switch del := min(1+p.c%3, len(lines)-at); p.d % 3 {
		case 0:
			byLine(at, 0, s.line(who, p.c), s.line(who, p.c+1))
		case 1:
			byLine(at, del)
		default:
			byLine(at, del, s.line(who, p.c))
		}
	}
}

// editLines edits lines of a model as somebody does who writes the whole text
// anew: only such as are like no other, for what happens to one of several that
// are equal nobody could tell from the text. It reports whether lines went.
func (s *session) editLines(f *model, p step, who string) (gone bool) {
	for i := range 1 + p.d%3 {
		at := p.b + i*p.c
		n := len(f.lines())
		if n == 0 || !f.ended() {
			s.splice(f, len(f.chars), 0, s.line(who, i)+"\n", who)
			continue
		}
		at %= n
		switch {
		case (p.c+i)%4 == 0:
			s.spliceLines(f, at, 0, []string{s.line(who, i)}, who)
		case !f.unique(at):
		case (p.c+i)%4 == 1:
			s.spliceLines(f, at, 1, nil, who)
			gone = true
		case (p.c+i)%4 == 2:
			s.spliceLines(f, at, 1, []string{s.line(who, i), s.line(who, p.c)}, who)
		default: // a word in it
			s.splice(f, f.lines()[at].to-1, 0, " "+s.token(strings.Trim(who, "()")), who)
		}
	}
	return gone
}

// create makes a file, in a block or on the disk.
func (s *session) create(c op.Call, p step) {
	s.unit++
	name := fmt.Sprintf("%snew-%d.txt", []string{"", "src/", "src/deep/er/", "docs/"}[p.a%4], s.unit)
	f := &model{path: name, exists: true}
	for _, gone := range s.files { // or one that was there
		if !gone.exists && p.b%2 == 0 && (f.block == "" || gone.path < f.path) {
			f = gone
		}
	}
	s.say("%s: %s by %s", p.kind, f.path, nameOf(c))
	who := nameOf(c)
	if p.kind == "create" {
		if who = disk; f.block == "" {
			who = loaded
		}
	}
	text := ""
	for i := range 2 + p.c%5 {
		text += s.line(who, p.d+i) + "\n"
	}
	f.exists = true
	f.crlf = f.crlf && (f.block != "" || p.kind == "create") // a new file ends its lines as it came
	s.splice(f, 0, len(f.chars), text, who)
	s.files[f.path] = f
	if p.kind == "create" {
		s.put2(f, p)
		s.sync()
		return
	}
	got, err := s.WriteFile(s.ctx, c, mounts.WriteSpec{Path: s.at + "/" + f.path, Text: text, Parents: true, Exclusive: true})
	s.must(err)
	if f.block != "" && got.Block != "" && got.Block != f.block {
		s.fail("%s came back as block %s, was %s", f.path, got.Block, f.block)
	}
	f.block = got.Block
	if f.block == "" {
		info, err := s.ReadFile(s.ctx, c, mounts.ReadSpec{Path: s.at + "/" + f.path})
		s.must(err)
		f.block = info.Block
	}
}

// rename moves a file by fs_rename.
func (s *session) rename(c op.Call, f *model, p step) {
	s.unit++
	to := fmt.Sprintf("%smoved-%d.txt", []string{"", "src/", "docs/x y/"}[p.b%3], s.unit)
	if _, err := os.Stat(filepath.Join(s.mount.Dir, path.Dir(to))); err != nil {
		s.must(s.Mkdir(s.ctx, c, s.at+"/"+path.Dir(to)))
	}
	s.must(s.Rename(s.ctx, c, s.at+"/"+f.path, s.at+"/"+to))
	s.say("  to %s", to)
	s.moved(f, to)
}

func (s *session) moved(f *model, to string) {
	delete(s.files, f.path)
	f.path = to
	s.files[to] = f
}

// outside is an edit by a program on the disk, while nobody else does anything.
func (s *session) outside(f *model, p step) {
	who := disk
	if f.block == "" {
		who = loaded
	}
	full := filepath.Join(s.mount.Dir, f.path)
	switch p.kind {
	case "save":
		// Who takes lines away that were flushed a moment ago, by a rename, has perhaps
		// not seen them: those come back.
		inPlace := s.editLines(f, p, who) || p.d%2 == 0
		s.save(f.path, f.onDisk(), inPlace)
	case "append":
		text := s.line(who, p.b) + "\n"
		s.splice(f, len(f.chars), 0, text, who)
		if f.crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		file, err := os.OpenFile(full, os.O_APPEND|os.O_WRONLY, 0)
		s.must(err)
		_, err = file.WriteString(text)
		s.must(err)
		s.must(file.Close())
	case "touch":
		now := time.Now()
		s.must(os.Chtimes(full, now, now))
	case "mv":
		s.unit++
		to := fmt.Sprintf("mv-%d.txt", s.unit)
		s.must(os.Rename(full, filepath.Join(s.mount.Dir, to)))
		s.moved(f, to)
		s.until(func() string {
			if f.block == "" {
				return ""
			}
			info, err := s.Stat(s.ctx, owner, s.at+"/"+to)
			if err == nil && info.Block == string(f.block) {
				return ""
			}
			return fmt.Sprintf("%s, moved on the disk, is block %q, %v; want %s", to, info.Block, err, f.block)
		})
	case "rm", "back":
		s.must(os.Remove(full))
		f.exists = false
		s.sync()
		if p.kind == "back" {
			f.exists = true
			s.put2(f, p)
		}
	}
}

// put2 writes a file to the disk, in place or by a rename over it.
func (s *session) put2(f *model, p step) { s.save(f.path, f.onDisk(), p.d%2 == 0) }

func (s *session) save(name, text string, inPlace bool) {
	full := filepath.Join(s.mount.Dir, name)
	s.must(os.MkdirAll(filepath.Dir(full), 0o755))
	if inPlace {
		s.must(os.WriteFile(full, []byte(text), 0o644))
		return
	}
	s.must(os.WriteFile(full+".swp", []byte(text), 0o644))
	s.must(os.Rename(full+".swp", full))
}

// both lets somebody type into a line while a program edits another one on the
// disk, each without the other's edit.
func (s *session) both(c op.Call, f *model, p step) {
	s.open(c, f)
	s.sync()
	lines := f.lines()
	if len(lines) < 5 || !f.ended() {
		return
	}
	i, j := p.b%len(lines), p.c%len(lines)
	if !f.unique(i) || !f.unique(j) || max(i, j)-min(i, j) < 3 {
		return
	}
	old, typed := lines[i].text, lines[j].text
	edit := func() {
		s.change(c, f, func(v repo.View, tx *blocks.Tx) error {
			b, _ := v.Block(f.block)
			at := strings.Index("\n"+b.Content, "\n"+typed+"\n")
			if at < 0 {
				return fmt.Errorf("line %q is gone from %q", typed, b.Content)
			}
			return tx.SpliceText(f.block, len([]rune(b.Content[:at])), 0, "+")
		})
		for k, l := range f.lines() {
			if l.text == typed {
				s.splice(f, f.lines()[k].from, 0, "+", nameOf(c))
				break
			}
		}
		typed = "+" + typed
	}
	program := func() {
		data, err := os.ReadFile(filepath.Join(s.mount.Dir, f.path))
		s.must(err)
		line := s.line(disk, p.d)
		eol := "\n"
		if f.crlf {
			eol = "\r\n"
		}
		text := eol + string(data)
		if !strings.Contains(text, eol+old+eol) {
			s.fail("line %q is gone from the disk: %q", old, text)
		}
		s.save(f.path, strings.TrimPrefix(strings.Replace(text, eol+old+eol, eol+line+eol, 1), eol), p.d%3 == 0)
		for k, l := range f.lines() {
			if l.text == old {
				s.spliceLines(f, k, 1, []string{line}, disk)
				break
			}
		}
	}
	for k := range 3 + p.d%5 {
		if k == p.d%4 {
			program()
		}
		edit()
	}
	s.sync()
}

// until waits until there is nothing to complain of.
func (s *session) until(wrong func() string) {
	end := time.Now().Add(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for why := wrong(); why != ""; why = wrong() {
		if time.Now().After(end) {
			s.fail("%s, for %v; %s", why, patience, s.health())
		}
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			s.fail("%s: %w", why, s.ctx.Err())
		}
	}
}

// health is what the mount says of itself.
func (s *session) health() string {
	m, err := s.Get(s.ctx, owner, s.at)
	out := fmt.Sprintf("the mount is %s %s%s, %d files dirty, %d in conflict, %v", m.State, m.Reason, m.Paused, m.Dirty, m.Conflicts, err)
	err = s.kernel.View(s.ctx, owner, s.mount.Context, func(v repo.View) error {
		for _, b := range v.Blocks() {
			if b.Kind == blocks.KindError && !b.Deleted {
				out += "\n" + b.Content
			}
		}
		return nil
	})
	if err != nil {
		out += err.Error()
	}
	return out
}

// sync waits until blocks and disk hold what they should.
func (s *session) sync() {
	for _, p := range slices.Sorted(maps.Keys(s.files)) {
		f := s.files[p]
		s.until(func() string { return s.differs(f) })
	}
}

func (s *session) differs(f *model) string {
	data, err := os.ReadFile(filepath.Join(s.mount.Dir, f.path))
	switch {
	case f.exists && err != nil:
		return fmt.Sprintf("%s on the disk: %v", f.path, err)
	case !f.exists && err == nil:
		return fmt.Sprintf("%s is on the disk, and should be gone", f.path)
	case f.exists && string(data) != f.onDisk():
		return fmt.Sprintf("%s on the disk holds\n%q, want\n%q", f.path, data, f.onDisk())
	case f.block == "":
		return ""
	}
	var b repo.Block
	var there bool
	err = s.kernel.View(s.ctx, owner, s.mount.Context, func(v repo.View) error {
		b, there = v.Block(f.block)
		return nil
	})
	switch {
	case err != nil || !there:
		return fmt.Sprintf("%s has no block: %v", f.path, err)
	case b.Deleted == f.exists:
		return fmt.Sprintf("block of %s is deleted: %v", f.path, b.Deleted)
	case f.exists && b.Content != f.text():
		return fmt.Sprintf("block of %s holds\n%q, want\n%q", f.path, b.Content, f.text())
	}
	return ""
}
