import { Fault } from '../fault.ts'

/**
 * The server was lost during the commit. It may have made the change, or may still make it, for example once the standby
 * that it waits for is back. So nothing that the change refers to may be destroyed.
 */
export class UndecidedCommit extends Fault {
  constructor(cause: unknown) {
    super(
      'store.unavailable',
      'PostgreSQL did not say whether it made the change: look whether it is there before you try again.',
      { cause },
    )
  }
}
