import { numberField } from '../protocol/fields.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'
import type { KeeperMemory } from './keeper-memory.ts'
import { noteRoots } from './known-roots.ts'
import { checkOperator, type Origin } from './record-change.ts'

/** Subjects in one reply. */
const most = 10_000

/** Operations of the operator about all records that the keeper was shown. */
export function createShownHandlers(
  {
    exchange,
    sealedRecords,
    floors,
    vaultNumbers,
  }: Pick<KeeperMemory, 'exchange' | 'sealedRecords' | 'floors' | 'vaultNumbers'>,
  origin: Origin,
) {
  return {
    acceptRestored() {
      checkOperator(origin)
      exchange.restored()
      return []
    },
    restoredShown() {
      checkOperator(origin)
      sealedRecords.noteAllShown()
      return []
    },
    checkVaultNumber(fields) {
      checkOperator(origin)
      vaultNumbers.check(fields.integer(), fields.bytes())
      return []
    },
    noteRoots(fields) {
      checkOperator(origin)
      noteRoots(
        floors,
        Array.from({ length: fields.integer() }, () => fields.text()),
      )
      return []
    },
    /** The next subjects with this beginning, each with its generation, from where the last reply ended. */
    knownSubjects(fields) {
      checkOperator(origin)
      const [beginning, from] = [fields.bytes(), fields.bytes()]
      const found = floors.from(from, most)
      const end = found.findIndex(({ subject }) => !subject.subarray(0, beginning.length).equals(beginning))
      return found
        .slice(0, end === -1 ? found.length : end)
        .flatMap(({ subject, number }) => [subject, numberField(number)])
    },
  } satisfies KeeperHandlers
}
