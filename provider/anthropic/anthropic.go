// Package anthropic is the provider of kind anthropic: the Messages API
// (3-interfaces, "Configuration file").
//
// Anthropic's library writes the request and kwit sends it; package modelapi
// says why. What an answer means is drawn from
// https://platform.claude.com/docs/en/api/messages,
// https://platform.claude.com/docs/en/api/errors and
// https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons.
package anthropic

import (
	"context"
	"errors"
	"fmt"
	"time"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"kwit/provider"
	"kwit/provider/modelapi"
)

// The versions of the API, as its header anthropic-version names them.
const (
	Version2026 = "2026-10-21" // refuses a temperature, so none is sent
	Version2023 = "2023-06-01" // takes a temperature, if the model does
)

// Options are what the configuration says of one provider. The base address
// ends before /v1/messages.
type Options struct {
	modelapi.Options
	// APIVersion is one of the versions; empty is Version2026.
	APIVersion string
}

// Anthropic is one provider of kind anthropic.
type Anthropic struct {
	api      *modelapi.API
	messages anthropic.MessageService
	model    anthropic.Model
	version  string
}

var _ provider.Provider = (*Anthropic)(nil)

// New makes the provider. Its error is a [provider.Mistakes].
func New(o Options) (*Anthropic, error) {
	api, err := modelapi.New(o.Options)
	var m provider.Mistakes
	if err != nil && !errors.As(err, &m) {
		return nil, err
	}
	if o.APIKey == "" {
		m.Add("api_key", errors.New("the Messages API needs a key"))
	}
	if o.APIVersion == "" {
		o.APIVersion = Version2026
	}
	if o.APIVersion != Version2026 && o.APIVersion != Version2023 {
		m.Add("api_version", fmt.Errorf("%q is not known; write %s or %s", o.APIVersion, Version2026, Version2023))
	}
	if len(m) > 0 {
		return nil, m
	}
	return &Anthropic{
		api: api,
		// The service alone, not the client: the client reads the environment.
		messages: anthropic.NewMessageService(
			option.WithBaseURL(o.BaseURL),
			option.WithHeader("X-Api-Key", o.APIKey), // as documented for both versions
			option.WithHeader("Anthropic-Version", o.APIVersion),
			option.WithMaxRetries(0),
			option.WithoutOpenTelemetry(),
			// Without one the library refuses long answers and sets its own; it
			// times nothing here, since it only writes.
			option.WithRequestTimeout(time.Hour),
		),
		model:   o.Model,
		version: o.APIVersion,
	}, nil
}

// Send asks for one message; see [provider.Provider].
func (p *Anthropic) Send(ctx context.Context, gate *provider.Gate, r provider.Request, keep func(provider.Answer) error) provider.End {
	written, err := p.write(r.Prompt)
	if err != nil {
		return modelapi.Unwritten(gate, err)
	}
	return p.api.Wire().Do(ctx, gate, p.api.Exchange(r, written, p.Judge), keep)
}

func (p *Anthropic) write(prompt *provider.Prompt) (*modelapi.Written, error) {
	switch {
	case prompt == nil:
		return nil, errors.New("the job type has no prompt, and a language model needs one")
	case prompt.Parameters.MaxTokens == nil:
		return nil, errors.New("the Messages API needs a limit; write max_tokens into the job type's parameters")
	}
	var options []option.RequestOption
	if t := prompt.Parameters.Temperature; t != nil && p.version == Version2023 {
		options = append(options, option.WithJSONSet("temperature", *t))
	}
	return modelapi.Write(func(pen *modelapi.Pen) error {
		_, err := p.messages.New(context.Background(), p.params(prompt), append(options, option.WithHTTPClient(pen))...)
		return err
	})
}

func (p *Anthropic) params(prompt *provider.Prompt) anthropic.MessageNewParams {
	params := anthropic.MessageNewParams{
		Model:     p.model,
		MaxTokens: *prompt.Parameters.MaxTokens,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt.User))},
	}
	if prompt.System != "" {
		params.System = []anthropic.TextBlockParam{{Text: prompt.System}}
	}
	return params
}
