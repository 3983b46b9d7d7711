package drift

func Transcript(src Source, focus string) (system, user string)      { return "", "" }
func CommitPrompt(diff string, last []Passage) (system, user string) { return "", "" }
func Cite(src Source, answer string) (string, []Citation)            { return answer, nil }
func Extractive() Distiller                                          { return nil }
