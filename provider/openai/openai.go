// Package openai is the provider of kind openai: chat completions of any
// server that speaks OpenAI's protocol (3-interfaces, "Configuration file").
//
// OpenAI's library writes the request and kwit sends it; package modelapi says
// why. What an answer means is drawn from
// https://platform.openai.com/docs/api-reference/chat and
// https://platform.openai.com/docs/guides/error-codes, and from how servers of
// others that speak the protocol document their differences.
package openai

import (
	"context"
	"errors"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"kwit/provider"
	"kwit/provider/modelapi"
)

// Options are what the configuration says of one provider. The base address
// ends before /chat/completions; the key may be empty, for a server of one's own.
type Options struct {
	modelapi.Options
	// MaxCompletionTokens sends the limit of the answer as
	// max_completion_tokens, which OpenAI's reasoning models demand, instead of
	// max_tokens, which every compatible server knows.
	MaxCompletionTokens bool
}

// OpenAI is one provider of kind openai.
type OpenAI struct {
	api              *modelapi.API
	completions      openai.ChatCompletionService
	model            string
	completionTokens bool
}

var _ provider.Provider = (*OpenAI)(nil)

// New makes the provider. Its error is a [provider.Mistakes].
func New(o Options) (*OpenAI, error) {
	api, err := modelapi.New(o.Options)
	if err != nil {
		return nil, err
	}
	return &OpenAI{
		api: api,
		// The service alone, not the client: the client reads the environment.
		completions: openai.NewChatCompletionService(
			option.WithBaseURL(o.BaseURL),
			option.WithAPIKey(o.APIKey),
			option.WithMaxRetries(0),
		),
		model:            o.Model,
		completionTokens: o.MaxCompletionTokens,
	}, nil
}

// Send asks for one chat completion; see [provider.Provider].
func (p *OpenAI) Send(ctx context.Context, gate *provider.Gate, r provider.Request, keep func(provider.Answer) error) provider.End {
	written, err := p.write(r.Prompt)
	if err != nil {
		return modelapi.Unwritten(gate, err)
	}
	return p.api.Wire().Do(ctx, gate, p.api.Exchange(r, written, p.Judge), keep)
}

func (p *OpenAI) write(prompt *provider.Prompt) (*modelapi.Written, error) {
	if prompt == nil {
		return nil, errors.New("the job type has no prompt, and a language model needs one")
	}
	return modelapi.Write(func(pen *modelapi.Pen) error {
		_, err := p.completions.New(context.Background(), p.params(prompt), option.WithHTTPClient(pen))
		return err
	})
}

func (p *OpenAI) params(prompt *provider.Prompt) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{Model: p.model}
	if prompt.System != "" {
		params.Messages = append(params.Messages, openai.SystemMessage(prompt.System))
	}
	params.Messages = append(params.Messages, openai.UserMessage(prompt.User))
	if t := prompt.Parameters.Temperature; t != nil {
		params.Temperature = openai.Float(*t)
	}
	switch n := prompt.Parameters.MaxTokens; {
	case n == nil:
	case p.completionTokens:
		params.MaxCompletionTokens = openai.Int(*n)
	default:
		params.MaxTokens = openai.Int(*n)
	}
	return params
}
