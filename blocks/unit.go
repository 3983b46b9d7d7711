package blocks

import "kaijutsu"

// LastUnit returns the changes of a unit of work of some actors: the last one,
// or the one that comes skip units before it. What undid something and what it
// undid are passed over when counting back, but the last unit may itself be an
// undo, which taking back does again. The changes are in the order of the log.
//
// A unit is a change, but for two cases. Changes without a message by one
// actor, one after the other, that edit one text and are no more than three
// seconds apart are typing, and one unit. So are appends to one block: changes
// with the message "op:block_append" by one actor in that time.
//
// The error wraps kaijutsu.ErrNotFound when there is no such unit.
func LastUnit(log Log, actors func(kaijutsu.ActorID) bool, skip int) ([]kaijutsu.ChangeHash, error) {
	return nil, errHistory
}
