package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kwit/config"
	"kwit/contract"
	"kwit/dispatch"
	"kwit/provider"
	"kwit/provider/anthropic"
	"kwit/provider/httpjson"
	"kwit/provider/modelapi"
	"kwit/provider/openai"
	"kwit/provider/simulator"
)

func configFlag(flags *pflag.FlagSet) {
	textFlag(flags, "config", "KWIT_CONFIG", defaultConfig, "the configuration file")
}

func configCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:     "config",
		Short:   "Look at the configuration file",
		Example: "  kwit config check --config kwit.yaml",
	}, configCheckCommand())
}

func configCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "Say every mistake in the configuration file, with its place",
		Example: "  kwit config check --config kwit.yaml",
		Args:    noArguments,
		RunE: does(func(cmd *cobra.Command, _ []string) error {
			path, err := cmd.Flags().GetString("config")
			if err != nil {
				return err
			}
			c, mistakes := load(path)
			for _, m := range mistakes {
				if err := printf(cmd, "%s\n", m); err != nil {
					return err
				}
			}
			if len(mistakes) > 0 {
				return errFound
			}
			return printf(cmd, "%s is right: providers: %d, job types: %d\n", path, len(c.Providers), len(c.JobTypes))
		}),
	}
	configFlag(cmd.Flags())
	return cmd
}

// configuration is a file that is right in every respect, and what was made of
// it.
type configuration struct {
	*config.Config
	contracts map[string]*contract.Contract
	providers map[string]dispatch.Provider
}

// load reads the file and has each package look at its part, so that a person
// sees every mistake at once.
func load(path string) (*configuration, []config.Mistake) {
	c, mistakes := config.Load(path, os.LookupEnv)
	return complete(c, mistakes)
}

func complete(c *config.Config, mistakes []config.Mistake) (*configuration, []config.Mistake) {
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	contracts, mistakes := contract.CompileAll(c)
	providers, more := connect(c)
	if mistakes = append(mistakes, more...); len(mistakes) > 0 {
		return nil, config.Sort(mistakes)
	}
	return &configuration{Config: c, contracts: contracts, providers: providers}, nil
}

// connect makes the providers of a configuration, by name.
func connect(c *config.Config) (map[string]dispatch.Provider, []config.Mistake) {
	providers := make(map[string]dispatch.Provider, len(c.Providers))
	var mistakes []config.Mistake
	for _, p := range c.Providers {
		made, err := newProvider(p)
		var wrong provider.Mistakes
		if errors.As(err, &wrong) {
			for _, m := range wrong {
				mistakes = append(mistakes, p.MistakeAt(m.Field, m.Field+": "+m.Err.Error()))
			}
		} else if err != nil {
			mistakes = append(mistakes, p.MistakeAt("", err.Error()))
		}
		providers[p.Name] = dispatch.Provider{Provider: made, MaxConcurrent: p.MaxConcurrent,
			Interval: p.MaxRate.Interval(), Callbacks: p.CallbackSecret != ""}
	}
	return providers, mistakes
}

func newProvider(p config.Provider) (provider.Provider, error) {
	switch p.Kind {
	case config.HTTP:
		return httpjson.New(httpjson.Options{
			URL: p.URL, Headers: p.Headers, Proxy: p.Proxy, NotProcessedStatuses: p.NotProcessedStatuses,
			StatusURL: p.StatusURL, CancelURL: p.CancelURL,
			HonoursKey: p.HonoursIdempotencyKey, KeyLifetime: p.IdempotencyKeyLifetime,
			ResultPath: p.ResultPath, IDPath: p.IDPath, UsagePath: p.UsagePath,
		})
	case config.OpenAI:
		return openai.New(openai.Options{Options: modelOptions(p), MaxCompletionTokens: p.MaxCompletionTokens})
	case config.Anthropic:
		return anthropic.New(anthropic.Options{Options: modelOptions(p), APIVersion: p.APIVersion})
	case config.Simulator:
		return simulator.New(simulator.Options{
			Latency: simulator.Range(p.Latency), Slow: simulator.Range(p.Slow), LateAfter: p.LateAfter,
		}), nil
	}
	return nil, fmt.Errorf("the kind %q is not known", p.Kind)
}

func modelOptions(p config.Provider) modelapi.Options {
	return modelapi.Options{BaseURL: p.BaseURL, APIKey: p.APIKey, Model: p.Model, Proxy: p.Proxy,
		NotProcessedStatuses: p.NotProcessedStatuses}
}
