// Package faultpoint marks the instants between two statements at which a
// process may die. In an ordinary build a mark does nothing; built with the tag
// `faultpoints`, a process kills or stops itself at the mark that the variable
// KWIT_FAULTPOINT names, which is how tests show that no instant loses a job or
// sends an attempt twice.
package faultpoint
