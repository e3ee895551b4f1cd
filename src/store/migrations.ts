import { Foundation1700000000001 } from './migrations/0001-foundation.ts'

/** Every change of the tables since the first release, in order. A released one is never edited. */
export const migrations = [Foundation1700000000001]
