import { join } from 'node:path'
import { readFileSync, writeFileSync } from 'node:fs'
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

/** Rows as the daemon makes them, in bulk. Where a seal or a ciphertext is bound to its row, a comment says what stands there. */

const usersPerTransaction = 500

/** Users with seals of the keeper. They share the pass phrase of the one that they are made after, and have no second factor. */
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

/** What `makeObjects` puts into objects, for searches: how many of `objects` hold it. */
export const needles = {
  one: (objects: number) => hostOf(objects >> 1),
  hundred: 'heron',
  tenth: 'amber',
  none: 'zyxwvut',
  /** In the second half of the vaults alone. */
  elsewhere: 'cobalt',
  /** Each of its trigrams is in every object; nowhere do they stand together. */
  noneOfCommonParts: 'lexample',
  noneOfTwoLetters: 'qz',
}

const hostOf = (number: number): string => `${word(number)}-${String(number).padStart(7, '0')}.example.test`

/**
 * Copies of an object that the daemon made, shared out among the vaults, while the daemon does not run. The ciphertext of the
 * password is bound to the first: it can be read there alone, and is as long as any.
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
      // In no order, so that what recurs in the numbers does not in the vaults.
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

/** A chain that the product's own writer wrote and the keeper signed; the first worker goes on with it after `nameMachine`. */
export async function makeTrail({ config, hsm, store }: TestAppliance, wanted: number): Promise<void> {
  const trail = await createAuditTrail({
    ...config.audit,
    chain: `${machine}-worker-1`,
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

const machine = 'bench'

/** From the next start on the daemon's chains begin with the name of the machine. */
export function nameMachine({ configFile, config }: TestAppliance): void {
  const settings = JSON.parse(readFileSync(configFile, 'utf8'))
  writeFileSync(configFile, JSON.stringify({ ...settings, audit: { ...config.audit, machine } }))
}

/** Vaults of a user, over the wire; resolves to their ids. */
export async function makeVaults(admin: TestClient, wanted: number): Promise<number[]> {
  const ids: number[] = []
  for (let number = 0; number < wanted; number++) {
    const [vault] = (await admin.must('POST', '/vault', { vaultname: `Vault ${number}` }))['VAULT'] as { id: string }[]
    ids.push(Number(vault?.id))
  }
  return ids
}

/** The object that others are copies of. */
export const makeModel = (admin: TestClient, vault: string): Promise<string> =>
  createObject(admin, vault, { host: 'model.example.test', info: 'lexis' })

export const databaseOf = ({ config }: TestAppliance): string =>
  config.store.sqlite ?? join(config.audit.directory, '../strongroom.sqlite')
