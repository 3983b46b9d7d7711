package git

// OwnName reports whether some file system takes a part of a path for ".git",
// whose files are nobody's but git's.
func OwnName(part string) bool { return isDotGit(part) }
