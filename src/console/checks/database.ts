import { storeLocation } from '../../config/store-location.ts'
import { damageIn, inspectStore } from '../../store/inspection.ts'
import { absenceOf } from '../absence.ts'
import { count } from '../output/command-answer.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'database'
const { ok, warning, problem } = findingsOf(topic)

export const databaseCheck: Check = {
  topic,
  async run(config) {
    const location = storeLocation(config)
    const name = 'sqlite' in location ? location.sqlite : 'PostgreSQL'
    const absence = 'sqlite' in location ? absenceOf(location.sqlite, 'store.sqlite') : undefined
    if (absence !== undefined) return [problem(absence.detail, absence.remedy)]
    const { applied, pending, unknown } = await inspectStore(location)
    const damage = damageIn(location)
    if (damage.length > 0)
      return [
        problem(
          `${name} is damaged: ${damage.slice(0, 3).join('; ')}`,
          'Stop the daemon and restore a backup: see docs/operations.md.',
        ),
      ]
    if (applied.length === 0) {
      const correction = 'sqlite' in location ? 'store.sqlite' : 'the URL in store.postgresUrlFile'
      return [
        problem(`${name} is empty`, `Restore it, or correct ${correction}. On a new appliance run "strongroom init".`),
      ]
    }
    if (unknown.length > 0)
      return [
        problem(
          `${name} was made by a newer release (${unknown.join(', ')})`,
          'Install that release again, or restore a backup.',
        ),
      ]
    if (pending.length > 0)
      return [
        warning(
          `${name} lacks ${pending.length} migrations of this release`,
          'Make a backup, then run "strongroom init".',
        ),
      ]
    return [ok(`${name}: sound, ${count(applied.length, 'migration')} applied`)]
  },
}
