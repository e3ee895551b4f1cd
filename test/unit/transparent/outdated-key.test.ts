import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { Fault } from '../../../src/fault.ts'
import { retryOutdated } from '../../../src/features/transparent/outdated-key.ts'
import type { StoredKey } from '../../../src/features/transparent/records.ts'
import type { Reader } from '../../../src/store/store.ts'

// Whether a use that token hosts refuse as outdated is tried again depends on the rows that the database has meanwhile.

const outdated = () => Promise.reject(new Fault('hsm.outdated'))
const row = (generation: number) => ({
  'key.id': 1,
  'key.name': 'busy',
  'key.vaultId': 1,
  'key.generation': generation,
})
const read = { id: 1, name: 'busy', vaultId: 1, generation: 1 }
const stored = { key: read, latest: { version: 1 } } as unknown as StoredKey

/**
 * A database whose key has one of these generations at each look, the last one from then on, and whose versions have
 * one of these numbers of encryptions in all.
 */
function reading(generations: readonly number[], encryptions: readonly number[] = [0]): Reader {
  let looks = 0
  const at = (numbers: readonly number[]) => numbers[looks] ?? numbers.at(-1) ?? 0
  const query = (sql: string) => {
    if (!sql.includes('sum(')) return Promise.resolve([row(at(generations))])
    const invocations = at(encryptions)
    looks += 1
    return Promise.resolve([{ version: 1, generation: 1, invocations }])
  }
  return { query, connection: { options: { type: 'better-sqlite3' } } } as unknown as Reader
}

const rising = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

describe('the use of a key that token hosts refuse as outdated', () => {
  it('is tried again for as long as honest changes of the key overtake it', async () => {
    const uses: number[] = []
    const used = await retryOutdated(reading(rising(2, 40)), stored, (current) => {
      const generation = current?.key.generation ?? 0
      uses.push(generation)
      return generation < 40 ? outdated() : Promise.resolve('used')
    })
    expect(used).toBe('used')
    expect(uses).toEqual(rising(1, 40))
  })

  it('is tried again, too, for as long as encryptions are reserved for any version', async () => {
    let uses = 0
    const used = await retryOutdated(reading([1], rising(1, 40)), stored, () =>
      ++uses < 40 ? outdated() : Promise.resolve('used'),
    )
    expect(used).toBe('used')
  })

  it('is tried again, too, for as long as one version after the other is sealed anew', async () => {
    const versions = new Database(':memory:')
    versions.exec(`CREATE TABLE key_versions (key_id, version, generation, invocations);
      INSERT INTO key_versions VALUES (1, 1, 1, 0), (1, 2, 1, 0), (1, 3, 1, 0)`)
    const { connection } = reading([1])
    const query = (sql: string, parameters: readonly unknown[]) =>
      sql.includes('sum(') ? versions.prepare(sql.replaceAll(/\$\d/g, '?')).all(...parameters) : [row(1)]
    const reader = { connection, query: (...of: Parameters<typeof query>) => Promise.resolve(query(...of)) }
    let sealed = 0
    const used = await retryOutdated(reader as unknown as Reader, stored, () => {
      if (sealed === 3) return Promise.resolve('used')
      versions.prepare('UPDATE key_versions SET generation = 2 WHERE version = ?').run(++sealed)
      return outdated()
    })
    expect(used).toBe('used')
  })

  it.each([
    ['stays as it was', [1]],
    ['goes back and forth between two old ones', [2, 1, 2, 1]],
  ])('is refused, with a cause for the journal, where the row %s', async (_what, generations) => {
    const refusal = await retryOutdated(reading(generations), stored, outdated).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'hsm.outdated' })
    expect(refusal).toHaveProperty('cause', expect.any(Fault))
  })
})
