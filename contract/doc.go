// Package contract holds the contract of a job type: what its input must look
// like, the prompt that is rendered from it, what its output must look like
// before it becomes a result (C17), and the browser form that is made from the
// input's schema.
//
// Input and output have JSON Schemas of draft 2020-12. Numbers are compared
// exactly, known formats are asserted, references reach no further than the
// schema itself, and a panic in the validator is one refused value. Prompts are
// templates of text/template, in which what somebody typed is never code.
package contract
