/** Longest name that is told from others; those of users have 32 characters. */
const longest = 128

/**
 * The name under which an attempt is looked up and counted: one spelling for all that could mean the same user. A limit
 * counted by the raw text would be got round by a blank, a capital or a full-width letter.
 */
export function loginNameOf(typed: string): string {
  return typed.normalize('NFKC').trim().toLowerCase().slice(0, longest)
}
