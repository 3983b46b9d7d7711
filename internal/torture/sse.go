package torture

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"

	"kaijutsu"
)

// maxFrameBytes bounds one frame of an event stream: a snapshot is one.
const maxFrameBytes = 64 << 20

// frame is one server-sent event.
type frame struct {
	id, name, data string
}

// readFrames calls opened when the stream stands and gives its frames to f until
// it ends or f fails. A frame that the connection's end cuts short is not one.
func readFrames(ctx context.Context, client *http.Client, url, token, lastID string, opened func(), f func(frame) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("follow events: %s: %w", resp.Status, kaijutsu.ErrUnavailable)
	}
	opened()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 64<<10), maxFrameBytes)
	var fr frame
	for lines.Scan() {
		line := lines.Text()
		if line == "" {
			if fr.data != "" || fr.name != "" {
				if err := f(fr); err != nil {
					return err
				}
			}
			fr = frame{}
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			fr.id = value
		case "event":
			fr.name = value
		case "data":
			if fr.data != "" {
				fr.data += "\n"
			}
			fr.data += value
		}
	}
	return lines.Err()
}
