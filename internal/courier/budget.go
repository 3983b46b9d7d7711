package courier

import "context"

const (
	budgetPiece  = 64 << 10
	budgetPieces = 1024 // 64 MiB of content on its way at a time
)

// budget bounds the bytes of contents that are on their way to documents.
type budget struct {
	pieces  chan struct{}
	turning chan struct{} // a token: one takes pieces at a time
}

func (b *budget) init() {
	b.pieces, b.turning = make(chan struct{}, budgetPieces), make(chan struct{}, 1)
}

// take waits for room for so many bytes; give gives it back.
func (b *budget) take(ctx context.Context, bytes int) (give func(), err error) {
	select {
	case b.turning <- struct{}{}:
		defer func() { <-b.turning }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	n := min(1+bytes/budgetPiece, budgetPieces)
	for i := range n {
		select {
		case b.pieces <- struct{}{}:
		case <-ctx.Done():
			b.give(i)
			return nil, ctx.Err()
		}
	}
	return func() { b.give(n) }, nil
}

func (b *budget) give(n int) {
	for range n {
		<-b.pieces
	}
}
