package drift

func Extractive() Distiller                                          { return nil }
