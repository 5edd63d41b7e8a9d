package httpjson

import (
	"encoding/json"
	"fmt"

	"kwit/outcome"
	"kwit/provider"
)

// Judge says what an answer means: by [provider.JudgeJSON], with the statuses
// that this provider documents as "not acted on", and by the paths into its
// body. A whole answer without a result where one was announced is done work
// with an unusable answer: contract.
func (p *HTTP) Judge(a provider.Answer) provider.End {
	end := provider.JudgeJSON(a, p.notProcessed)
	if a.Whole {
		end = p.addNames(end, a.Body)
	}
	if end.Outcome != outcome.Succeeded || p.resultPath == "" {
		return end
	}
	result, found := p.at(a.Body, p.resultPath)
	if !found {
		end.Outcome, end.Result = outcome.Contract, nil
		end.Detail = fmt.Sprintf("The provider answered %d, but there is no result at %s, where result_path says that it stands.", a.Status, p.resultPath)
		return end
	}
	end.Result = result
	return end
}

// addNames adds the provider's id and its usage, where paths lead to them. They
// are worth having and no part of the verdict, so nothing comes of it where
// they are missing.
func (p *HTTP) addNames(end provider.End, body []byte) provider.End {
	if id, found := p.at(body, p.idPath); found {
		if name, ok := provider.ID(id); ok {
			end.ProviderRequestID = name
		}
	}
	if usage, found := p.at(body, p.usagePath); found && string(usage) != "null" {
		end.Usage = usage
	}
	return end
}

// at finds what a configured path leads to.
func (p *HTTP) at(body []byte, path string) (json.RawMessage, bool) {
	if path == "" {
		return nil, false
	}
	return provider.At(body, path)
}
