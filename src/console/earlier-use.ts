import { dirname } from 'node:path'
import { listSegments } from '../audit/segment.ts'
import { keeperOf } from '../config/keeper-section.ts'
import type { Config } from '../config/schema.ts'
import { Fault } from '../fault.ts'
import { holdsFloors } from '../hsm/server/floor-reader.ts'
import type { StoreInspection } from '../store/inspection.ts'

/**
 * Refuses to make a database where the files of trail or keeper show that the appliance has one, which is away: on a
 * disk that is not mounted, for example, or under another name. A package upgrade runs `strongroom init`, too, and the
 * daemon would then serve without users.
 * @throws Fault `store.unavailable`
 */
export async function refuseInPlaceOfLost(config: Config, { exists, applied }: StoreInspection): Promise<void> {
  if (applied.length > 0) return
  const evidence = await evidenceOfUse(config)
  if (evidence === undefined) return
  const { sqlite } = config.store
  const which =
    sqlite === undefined
      ? 'The PostgreSQL database in store.postgresUrlFile is empty'
      : `The database ${sqlite} ${exists ? 'is empty' : 'does not exist'}`
  const remedy =
    sqlite === undefined
      ? 'Correct the URL, or restore the database.'
      : 'Mount its disk, restore it, or correct store.sqlite.'
  throw new Fault(
    'store.unavailable',
    `${which}, but this appliance is in use: ${evidence}. Nothing was made. ${remedy} To begin anew without what was in it, move ${config.audit.directory} and the keeper's files in ${dirname(keeperOf(config).state)} aside.`,
  )
}

async function evidenceOfUse(config: Config): Promise<string | undefined> {
  const { directory } = config.audit
  const { floors } = keeperOf(config)
  if (holdsFloors(floors)) return `the keeper knows rows of its database (${floors})`
  // A folder that cannot be read is reported when the trail is opened.
  const chains = await listSegments(directory).catch(() => undefined)
  return chains === undefined || chains.size === 0 ? undefined : `${directory} has its audit trail`
}
