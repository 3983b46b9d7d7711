// Package courier carries drifts from context to context.
package courier
