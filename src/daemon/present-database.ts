import { statSync } from 'node:fs'
import { storeLocation } from '../config/store-location.ts'
import type { Config } from '../config/schema.ts'
import { errorCodeOf, Fault } from '../fault.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { tables } from './tables.ts'

/**
 * Opens the database that is there. Only `strongroom init` creates the file and the first tables. If the daemon or
 * another command did so where a disk is not mounted, or `store` is mistyped, it would serve without users, vaults and
 * keys.
 * @throws Fault `store.unavailable` if the file does not exist, or the database has no tables
 */
export async function openPresentStore(config: Config): Promise<Store> {
  const location = storeLocation(config)
  if ('sqlite' in location && isAbsent(location.sqlite))
    throw new Fault(
      'store.unavailable',
      `The database ${location.sqlite} does not exist: mount its disk, restore it, or correct store.sqlite. ${onNew}`,
    )
  const [which, correction] =
    'sqlite' in location
      ? [`The database ${location.sqlite}`, 'store.sqlite']
      : ['The PostgreSQL database in store.postgresUrlFile', 'the URL']
  return openStore(location, tables, {
    refusalOfEmpty: `${which} is empty: restore it, or correct ${correction}. ${onNew}`,
  })
}

const onNew = 'On a new appliance run "strongroom init" once.'

/** Other errors of `stat` are left to the opening of the file, whose message says more. */
function isAbsent(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined
  } catch (error) {
    return errorCodeOf(error) === 'ENOTDIR'
  }
}
