package drift

import "errors"

func (m Meta) Encode(keep string) (string, error)                    { return "", errors.ErrUnsupported }
func ParseMeta(s string) (Meta, bool)                                { return Meta{}, false }
func ReadCitations(meta string) ([]Citation, []Mark)                 { return nil, nil }
func MarkStale(meta string, marks []Mark) (string, error)            { return "", errors.ErrUnsupported }
func EncodeItem(it Item) ([]byte, error)                             { return nil, errors.ErrUnsupported }
func DecodeItem(b []byte) (Item, error)                              { return Item{}, errors.ErrUnsupported }
func FindHandles(text string) []Found                                { return nil }
func Transcript(src Source, focus string) (system, user string)      { return "", "" }
func CommitPrompt(diff string, last []Passage) (system, user string) { return "", "" }
func Cite(src Source, answer string) (string, []Citation)            { return answer, nil }
func Extractive() Distiller                                          { return nil }
