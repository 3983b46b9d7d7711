// Tables that are asked for words from outside.

/** What a table has under a key that comes from outside: undefined for "constructor" and its like, which every object has. */
export const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(table, key) ? table[key] : undefined)
