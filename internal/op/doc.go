// Package op is what an operation is: one thing that the system can be asked
// to do, defined once and served by every door.
//
// Define makes an operation of a function from parameters to a result; the
// JSON schemas of both follow from their Go types. A Set holds all operations
// of a server. Set.Call is the only way to run one, and always goes through
// the same gates, in this order:
//
//  1. identity: somebody asks
//  2. permission: may they use such an operation at all
//  3. filter: is the operation there for them; to whom it is not, it does not
//     exist, in lists and in calls
//  4. limits: the size of the parameters, calls at a time, time
//  5. the parameters: valid JSON of the schema, nothing unknown, nothing twice;
//     and again permission, now for what the parameters name
//  6. the operation itself, one recover around it
//  7. audit: one record of each call, also of a refused one
//
// The result is encoded here, once: every door returns the same bytes.
//
// The package stores nothing and starts no goroutine. Everything in it is safe
// for concurrent use. It knows no door, and nothing of contexts and blocks.
package op
