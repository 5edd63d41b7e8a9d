package dispatch

import "context"

// Sweep and Beat run one round of what the background does by itself.
func (d *Dispatcher) Sweep(ctx context.Context) error { return d.sweep(ctx) }

// Beat runs one heartbeat of the node and its calls.
func (d *Dispatcher) Beat(ctx context.Context) error { return d.beat(ctx) }

// Enquire and CallOff run one round each; the questions are asked in the background.
func (d *Dispatcher) Enquire(ctx context.Context) error { return d.enquire(ctx) }

// CallOff makes the cancel calls that are due.
func (d *Dispatcher) CallOff(ctx context.Context) error { return d.callOff(ctx) }
