import { currentResponseVersion, type ResponseVersion } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { randomBase62 } from '../../encoding/base62.ts'
import { Fault } from '../../fault.ts'
import { newestOf } from '../../hsm/peppered-check.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { nextGeneration } from '../../hsm/record-generation.ts'
import { composeRecord, type FieldsOf } from '../../hsm/record-layouts.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { sealChange, sealFirst, type Sealer } from '../users/sealed-change.ts'
import {
  findActiveApplicationKey,
  findRevocable,
  insertApplicationKey,
  listApplicationKeys,
  revokeApplicationKey,
  setResponseVersion,
  type ApplicationKey,
} from './application-key-records.ts'

export interface ApplicationKeys {
  /** Creates a key and stores only its check value: the key itself is in this result and nowhere else. */
  create(
    name: string,
    commit: Commit,
    responseVersion?: ResponseVersion,
  ): Promise<{ applicationKey: ApplicationKey; key: string }>
  list(): Promise<ApplicationKey[]>
  /**
   * Changes the form of the answers to this application, from the next call of each session on.
   * @throws Fault `apikey.not_found`
   */
  setResponseVersion(name: string, responseVersion: ResponseVersion, commit: Commit): Promise<void>
  /** Revokes the key. Sessions opened with it end at their next call. @throws Fault `apikey.not_found` */
  revoke(name: string, commit: Commit): Promise<void>
  /** The key with this text; undefined for an unknown or revoked one, after the same work. */
  find(key: string): Promise<ApplicationKey | undefined>
}

export function applicationKeyRecord(key: FieldsOf<'application key'>): Buffer {
  return composeRecord('application key', { ...key })
}

export const sealedApplicationKey = (key: ApplicationKey): SealedRecord => ({
  record: applicationKeyRecord(key),
  seal: key.seal,
})

export const applicationKeyLength = 10

export function createApplicationKeys({
  store,
  hsm,
  clock,
}: {
  readonly store: Store
  readonly hsm: Sealer & Pick<Hsm, 'applicationKeyChecks'>
  readonly clock: Clock
}): ApplicationKeys {
  // A key has 59 bits, few enough for a search in a stolen database. The check values need the token's pepper.
  const checksOf = (key: string): Promise<readonly Buffer[]> => hsm.applicationKeyChecks(key)

  async function revoke(tx: Tx, key: ApplicationKey): Promise<boolean> {
    const next = { revokedAt: clock.now(), generation: nextGeneration(key.generation) }
    const record = applicationKeyRecord({ ...key, ...next })
    const seal = await sealChange(hsm, tx, record, { previous: sealedApplicationKey(key) })
    return revokeApplicationKey(tx, key.id, { ...next, seal })
  }

  return {
    async create(name, commit, responseVersion = currentResponseVersion) {
      if (!/^[\w. -]{1,64}$/.test(name))
        throw new Fault(
          'user.invalid',
          'The name of an application key may hold 1 to 64 letters, digits, blanks and . _ - only.',
        )
      const key = randomBase62(applicationKeyLength)
      const row = {
        name,
        keyCheck: newestOf(await checksOf(key)),
        createdAt: clock.now(),
        revokedAt: null,
        responseVersion,
      }
      const applicationKey = await commit(async (tx) => {
        const first = { ...row, generation: 1 }
        const drawn = await sealFirst(hsm, tx, (identity) => applicationKeyRecord({ ...first, identity }))
        return insertApplicationKey(tx, { ...first, ...drawn })
      })
      return { applicationKey, key }
    },

    list: () => listApplicationKeys(store.read),

    async setResponseVersion(name, responseVersion, commit) {
      await commit(async (tx) => {
        if (!(await setResponseVersion(tx, name, responseVersion)))
          throw new Fault(
            'apikey.not_found',
            `There is no application key ${name} in use: "strongroom apikey list" shows those there are.`,
          )
      })
    },

    async revoke(name, commit) {
      await commit(async (tx) => {
        const key = await findRevocable(tx, name)
        if (key === null || !(await revoke(tx, key)))
          throw new Fault(
            'apikey.not_found',
            `There is no application key ${name} that could be revoked: "strongroom apikey list" shows those there are.`,
          )
      })
    },

    async find(key) {
      return (await findActiveApplicationKey(store.read, await checksOf(key))) ?? undefined
    },
  }
}
