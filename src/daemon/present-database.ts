import { statSync } from 'node:fs'
import { storePlace } from '../config/store-place.ts'
import type { Config } from '../config/schema.ts'
import { errorCodeOf, Fault } from '../fault.ts'

/**
 * Where the database is that the daemon serves. Only `strongroom init` makes its file: one that the daemon made, where a disk
 * is not mounted or `store.sqlite` is mistyped, would serve without users, vaults and keys, as if all were well.
 * @throws Fault `store.unavailable` where there is no such file
 */
export function presentPlace(config: Config): ReturnType<typeof storePlace> {
  const place = storePlace(config)
  if ('sqlite' in place && isAbsent(place.sqlite))
    throw new Fault(
      'store.unavailable',
      `The database ${place.sqlite} does not exist: mount its disk, restore it, or correct store.sqlite. On a new appliance run "strongroom init" once.`,
    )
  return place
}

/** Of a file that cannot be reached opening it tells more. */
function isAbsent(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined
  } catch (error) {
    return errorCodeOf(error) === 'ENOTDIR'
  }
}
