import { Fault, isFault } from '../fault.ts'

/**
 * Adds to the refusal of a name that is taken what to do where an interrupted run of the command has taken it. The
 * command cannot tell that account from another one's.
 */
export function explainTaken(error: unknown, made: string, howToGoOn: string): never {
  if (!isFault(error, 'user.exists')) throw error
  throw new Fault(
    'user.exists',
    `${error.detail} An interrupted run of this command may have added ${made}: ${howToGoOn}.`,
    {
      cause: error,
    },
  )
}
