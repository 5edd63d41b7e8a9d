// Package config reads the configuration file (3-interfaces, "Configuration
// file"): providers and job types, in YAML.
//
// It says every mistake of the file at once, each with line and column. Keys
// that it does not know are refused by name, and so are keys whose feature this
// version does not have yet: nothing is ever ignored. Values that came from the
// environment are secrets; they stand in no mistake and are masked by
// [Config.Mask].
package config
