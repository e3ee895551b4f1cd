import { statSync } from 'node:fs'
import { storeLocation } from '../config/store-location.ts'
import type { Config } from '../config/schema.ts'
import { errorCodeOf, Fault } from '../fault.ts'

/**
 * The location of the database that the daemon serves. Only `strongroom init` creates the file. If the daemon created one
 * where a disk is not mounted or `store.sqlite` is mistyped, it would serve without users, vaults and keys.
 * @throws Fault `store.unavailable` if the file does not exist
 */
export function presentDatabase(config: Config): ReturnType<typeof storeLocation> {
  const location = storeLocation(config)
  if ('sqlite' in location && isAbsent(location.sqlite))
    throw new Fault(
      'store.unavailable',
      `The database ${location.sqlite} does not exist: mount its disk, restore it, or correct store.sqlite. On a new appliance run "strongroom init" once.`,
    )
  return location
}

/** Other errors of `stat` are left to the opening of the file, whose message says more. */
function isAbsent(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined
  } catch (error) {
    return errorCodeOf(error) === 'ENOTDIR'
  }
}
