import { objectsIn } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import type { VisitOptions } from './browser-kit.ts'
import type { ConsoleStage } from './console-stage.ts'

/** A person with an empty vault, before its import and export. */
export async function beforeImport({ appliance, visitor }: ConsoleStage, options?: VisitOptions) {
  const user = await appliance.addUser()
  const { id, admin } = await makeVault(appliance, 'Moved', await appliance.login(user))
  const visit = await visitor(options)
  await visit.arrive(user)
  await visit.open('/exchange')
  await visit.sees('Import and export')
  const objects = async () => objectsIn(await admin.must('GET', `/vault/${id}`), 'OBJECTS')
  return { visit, page: visit.page, admin, id, objects }
}
