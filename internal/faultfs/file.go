package faultfs

import (
	"io"
	"math/rand/v2"
	"os"
	"slices"
)

const (
	pageBytes   = 4096
	sectorBytes = 512
	// maxVersions is how many contents of a page are remembered, the one of the
	// last fsync first; later ones come to the disk by the kernel's own choice.
	maxVersions = 3
)

// file is what is not certain of a file: the pages that were written since its
// last fsync, and its length. The content is in the backing directory.
type file struct {
	certain  int64              // the length as of the last fsync or truncation
	pages    map[int64][][]byte // by index: what they held, oldest first
	failed   map[int64]struct{} // pages that an fsync failed to write: the next one does not either
	reserved int64              // pages from the front that have space
	spaced   map[int64]struct{} // further pages that have space
}

// newFile is a file of a length that is certain, with space for its first
// pages.
func newFile(size, reserved int64) *file {
	return &file{certain: size, pages: make(map[int64][][]byte), failed: make(map[int64]struct{}), reserved: reserved, spaced: make(map[int64]struct{})}
}

// remember notes what the pages in a range hold before they are written. Size
// is the file's length.
func (p *file) remember(content io.ReaderAt, offset, n int64) error {
	if n <= 0 {
		return nil
	}
	for i := offset / pageBytes; i <= (offset+n-1)/pageBytes; i++ {
		was := p.pages[i]
		delete(p.failed, i)
		if len(was) >= maxVersions {
			continue
		}
		page, err := readPage(content, i)
		if err != nil {
			return err
		}
		if len(was) == 0 || !slices.Equal(was[len(was)-1], page) {
			p.pages[i] = append(was, page)
		}
	}
	return nil
}

// readPage returns a page, with zeros behind the end of the file.
func readPage(content io.ReaderAt, i int64) ([]byte, error) {
	page := make([]byte, pageBytes)
	if _, err := content.ReadAt(page, i*pageBytes); err != nil && err != io.EOF {
		return nil, err
	}
	return page, nil
}

// synced makes all of it certain, but for what an fsync failed to write before:
// the kernel takes that for written.
func (p *file) synced(size int64) {
	for i := range p.pages {
		if _, failed := p.failed[i]; !failed {
			delete(p.pages, i)
		}
	}
	p.certain = size
}

// fail is an fsync that failed.
func (p *file) fail() {
	for i := range p.pages {
		p.failed[i] = struct{}{}
	}
}

// mood is how a loss of power treats what was on its way to the disk.
type mood struct {
	r    *rand.Rand
	kept float64 // share of pages that reached it
	torn float64 // share of pages of which some sectors did
}

func newMood(r *rand.Rand) mood {
	m := mood{r: r, kept: []float64{0, 0.1, 0.5, 0.9, 1}[r.IntN(5)]}
	if r.IntN(2) == 0 {
		m.torn = r.Float64() / 2
	}
	return m
}

// settle makes the file one that a disk might hold.
func (p *file) settle(content *os.File, m mood) error {
	info, err := content.Stat()
	if err != nil {
		return err
	}
	size := m.length(min(p.certain, info.Size()), info.Size())
	if err := content.Truncate(size); err != nil {
		return err
	}
	var written []int64 // in order, so that a seed does the same again
	for i := range p.pages {
		if i*pageBytes < size {
			written = append(written, i)
		}
	}
	slices.Sort(written)
	for _, i := range written {
		now, err := readPage(content, i)
		if err != nil {
			return err
		}
		page := m.page(append(slices.Clone(p.pages[i]), now))
		if _, err := content.WriteAt(page[:min(pageBytes, size-i*pageBytes)], i*pageBytes); err != nil {
			return err
		}
	}
	return nil
}

// length chooses where a file ends that grew.
func (m mood) length(from, to int64) int64 {
	if to <= from {
		return to
	}
	switch x := m.r.Float64(); {
	case x < m.kept:
		return to
	case x < (1+m.kept)/2:
		return from
	}
	at := from + m.r.Int64N(to-from+1)
	if m.r.IntN(2) == 0 {
		at -= at % pageBytes // as far as whole pages had been written
	}
	return max(from, at)
}

// page chooses the content of a page from all that it had, the last of which
// was written last.
func (m mood) page(versions [][]byte) []byte {
	last := len(versions) - 1
	if m.r.Float64() < m.torn {
		page := make([]byte, pageBytes)
		for at := 0; at < pageBytes; at += sectorBytes {
			copy(page[at:at+sectorBytes], versions[m.r.IntN(last+1)][at:])
		}
		return page
	}
	if last == 0 || m.r.Float64() < m.kept {
		return versions[last]
	}
	return versions[m.r.IntN(last)]
}
