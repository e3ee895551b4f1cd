import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createAuditHeads } from '../src/audit/records.ts'
import { createAuditTrail } from '../src/audit/trail-writer.ts'
import { systemClock } from '../src/clock.ts'
import { findUserById, insertUser } from '../src/features/users/records.ts'
import { sealNewUser } from '../src/features/users/user-seals.ts'
import type { TestAppliance } from '../test/support/appliance.ts'
import type { TestClient } from '../test/support/client.ts'
import { createObject } from '../test/support/object-kit.ts'
import { eventOf } from '../test/support/event-kit.ts'

/** Makes rows in bulk as the daemon does. A comment tells where a seal or a ciphertext is bound to another row. */

const usersPerTransaction = 500

/** Makes users with seals of the keeper. They have the pass phrase of the user `like`, and no second factor. */
export async function makeUsers({ store, hsm }: TestAppliance, like: number, wanted: number): Promise<void> {
  const known = await findUserById(store.read, like)
  if (known === null) throw new Error(`there is no user ${like}`)
  const { id: _, ...model } = known
  for (let made = 0; made < wanted; made += usersPerTransaction)
    await store.transaction(async (tx) => {
      for (let number = made; number < Math.min(wanted, made + usersPerTransaction); number++) {
        const name = `person${number}`
        const told = { username: name, fullname: `Person ${word(number)} ${number}`, email: `${name}@example.test` }
        await sealNewUser(hsm, tx, await insertUser(tx, { ...model, ...told }))
      }
    })
}

const words = ['harbour', 'meadow', 'granite', 'orchard', 'falcon', 'lantern', 'copper', 'willow', 'summit', 'ember']
const word = (number: number): string => words[number % words.length] ?? ''

/** Texts that `makeObjects` puts into objects for searches, with the number of `objects` that contain them. */
export const needles = {
  one: (objects: number) => hostOf(objects >> 1),
  hundred: 'heron',
  tenth: 'amber',
  none: 'zyxwvut',
  /** Only in the second half of the vaults. */
  elsewhere: 'cobalt',
  /** Every object contains each of its trigrams, but no object all of them together. */
  noneOfCommonParts: 'lexample',
  noneOfTwoLetters: 'qz',
}

const hostOf = (number: number): string => `${word(number)}-${String(number).padStart(7, '0')}.example.test`

/**
 * Distributes copies of an object over the vaults, while the daemon does not run. The ciphertext of the password is
 * bound to the original: only there it can be read, but its length is realistic.
 */
export function makeObjects(database: string, model: string, vaults: readonly number[], wanted: number): void {
  const file = new Database(database)
  file.exec('PRAGMA synchronous = OFF')
  const columns = file.pragma('table_info(vault_objects)') as { readonly name: string }[]
  const kept = columns.map(({ name }) => name).filter((name) => name !== 'id')
  const own = ['vault_id', 'name', 'public_fields', 'search_text']
  const values = kept.map((name) => (own.includes(name) ? '?' : name)).join(', ')
  const object = file.prepare(
    `INSERT INTO vault_objects (${kept.join(', ')}) SELECT ${values} FROM vault_objects WHERE id = ?`,
  )
  const secret = file.prepare(
    `INSERT INTO object_secrets (object_id, field, version, sealed_text)
     SELECT ?, field, version, sealed_text FROM object_secrets WHERE object_id = ?`,
  )
  file.transaction(() => {
    for (let number = 0; number < wanted; number++) {
      const host = hostOf(number)
      // Pseudo-random, so that patterns in the numbers do not recur in the vaults.
      const place = (Math.imul(number, 2_654_435_761) >>> 16) % vaults.length
      const special = [
        number % 10 === 3 ? needles.tenth : '',
        number % Math.ceil(wanted / 100) === 5 ? needles.hundred : '',
        number % 5 === 1 && place >= vaults.length / 2 ? needles.elsewhere : '',
      ]
      const fields = { host, username: `netops${number % 97}`, info: ['lexis', ...special.filter(Boolean)].join(' ') }
      const text = [...new Set([host, ...Object.values(fields)])].join('\n')
      const made = object.run(vaults[place], host, JSON.stringify(fields), text, model)
      secret.run(made.lastInsertRowid, model)
    }
  })()
  file.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  file.close()
}

const recordsAtOnce = 10_000

/**
 * Makes a chain by the product's own writer, signed by the keeper. It is that of a second worker, which the daemon may
 * have had before: the keeper signs for chains of its own machine only, and the first worker's is in use.
 */
export async function makeTrail({ config, hsm, store }: TestAppliance, wanted: number): Promise<void> {
  const trail = await createAuditTrail({
    ...config.audit,
    chain: 'worker-2',
    hsm,
    heads: createAuditHeads(store),
    clock: systemClock,
  })
  for (let written = 0; written < wanted; written += recordsAtOnce) {
    const at = Date.now()
    await Promise.all(
      Array.from({ length: Math.min(recordsAtOnce, wanted - written) }, (_, index) =>
        trail.append(eventOf({ at, key: `k${(written + index) % 100_000}` })),
      ),
    )
  }
  await trail.close()
}

/** Makes vaults of a user over the wire. Resolves to their ids. */
export async function makeVaults(admin: TestClient, wanted: number): Promise<number[]> {
  const ids: number[] = []
  for (let number = 0; number < wanted; number++) {
    const [vault] = (await admin.must('POST', '/vault', { vaultname: `Vault ${number}` }))['VAULT'] as { id: string }[]
    ids.push(Number(vault?.id))
  }
  return ids
}

/** Makes the object that the others are copies of. */
export const makeModel = (admin: TestClient, vault: string): Promise<string> =>
  createObject(admin, vault, { host: 'model.example.test', info: 'lexis' })

export const databaseOf = ({ config }: TestAppliance): string =>
  config.store.sqlite ?? join(config.audit.directory, '../strongroom.sqlite')
