package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Work makes a result out of a request's body. An error is the provider's
// refusal of that input.
type Work func(body []byte) (result []byte, err error)

// Plausible summarises an input that has a text, and confirms any other.
func Plausible(body []byte) ([]byte, error) {
	var input struct {
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(body, &input); err == nil && input.Text != nil {
		return Summarise(body)
	}
	return Confirm(body)
}

// Summarise answers {"summary": …, "words": …}: the first sentences of the
// input's "text", always shorter than it, and how many words the text has.
func Summarise(body []byte) ([]byte, error) {
	var input struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(body, &input); err != nil {
		return nil, errors.New("the input has no text")
	}
	words := strings.Fields(input.Text)
	if len(words) == 0 {
		return nil, errors.New("the text is empty")
	}
	return encode(struct {
		Summary string `json:"summary"`
		Words   int    `json:"words"`
	}{shorter(input.Text, opening(words)), len(words)})
}

// shorter keeps the promise for a text of a word or two.
func shorter(text, summary string) string {
	if len(summary) < len(text) {
		return summary
	}
	letters := []rune(text)
	return string(letters[:len(letters)/2])
}

// opening is as many first sentences as fit half of the words, or else the
// first half of the first one.
func opening(words []string) string {
	room := (len(words) + 1) / 2
	end := 0
	for i, word := range words[:room] {
		if strings.HasSuffix(word, ".") || strings.HasSuffix(word, "!") || strings.HasSuffix(word, "?") {
			end = i + 1
		}
	}
	if end > 0 {
		return strings.Join(words[:end], " ")
	}
	return strings.TrimRight(strings.Join(words[:room], " "), ",;:") + " …"
}

// Confirm answers {"done": true, "input": …} with the input as it came.
func Confirm(body []byte) ([]byte, error) {
	if !json.Valid(body) {
		return nil, errors.New("the input is no JSON")
	}
	return encode(struct {
		Done  bool            `json:"done"`
		Input json.RawMessage `json:"input"`
	}{true, body})
}

// Broken spoils a result so that it is still JSON and keeps no output
// contract: an object gets a member that nobody asked for, at its front, and
// anything else is put into such an object.
func Broken(result []byte) []byte {
	const surplus = `{"note_from_the_provider":"Sure! Here is your result:"`
	text := bytes.TrimSpace(result)
	switch {
	case bytes.HasPrefix(text, []byte("{")) && len(bytes.TrimSpace(text[1:])) > 1:
		return append([]byte(surplus+","), text[1:]...)
	case bytes.HasPrefix(text, []byte("{")):
		return []byte(surplus + "}")
	}
	return append(append([]byte(surplus+`,"result":`), text...), '}')
}

func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
