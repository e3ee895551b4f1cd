import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchForm } from '../../../src/features/objects/content.ts'
import { searchObjects } from '../../../src/features/objects/search-records.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { tables } from '../../../src/daemon/tables.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'

const objects = 100_000
const atOnce = 10_000
const most = 1_000
const farId = 1_234_567

/** A statement for each ten thousand: all at once can take a busy PostgreSQL longer than the store lets a statement run. */
const fillPart = (series: string, after: number) =>
  `INSERT INTO vault_objects (vault_id, parent_id, template_id, name, name_given, public_fields, search_text, weak_fields, status,
   children, version, created_at, created_by, changed_at, changed_by)
 SELECT CASE WHEN i % 10 = 0 THEN 2 ELSE 1 END, 0, 1, 'Host-' || i, 0, '{}', text, '[]', 128, 0, 1, 0, 1, 0, 1
 FROM (SELECT i, 'core-' || i || '.example.test' || chr10 || 'netops' || (i * 7919 % 100003) || chr10 || 'rack ' || (i % 100) ||
   ' 100%_sure "quoted" lexis ' || CASE WHEN i = 4711 THEN 'grüße \u{1f511} NEEDLE' ELSE '' END AS text
     FROM (SELECT i, ' | ' AS chr10 FROM ${series} WHERE i > ${after} AND i <= ${after + atOnce}) AS numbers) AS texts`

/** Two vaults of user 1. User 2 is a member of the second, user 3 of neither. */
const fill = (vaults: string) => [
  `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost, key_kek, key_blob, public_key, fingerprint, created_at)
   SELECT i, 'user' || i, '', '', 131, '', '', '', '', '', '', '', 0 FROM ${vaults} WHERE i <= 3`,
  `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) SELECT i, 'v', 16, '', 'k' || i, 0 FROM ${vaults} WHERE i <= 2`,
  'INSERT INTO vault_members (vault_id, user_id, permission, added_at) VALUES (1, 1, 1, 0), (2, 1, 1, 0), (2, 2, 1, 0)',
  ...Array.from({ length: objects / atOnce }, (_, part) => fillPart(vaults, part * atOnce)),
  'UPDATE vault_objects SET search_text = lower(search_text) WHERE id = 4711',
  "UPDATE vault_objects SET deleted_at = 1, search_text = '' WHERE id = 4710",
  // With an id far above the others, as after many deletions.
  `INSERT INTO vault_objects (id, vault_id, parent_id, template_id, name, name_given, public_fields, search_text, weak_fields, status,
     children, version, created_at, created_by, changed_at, changed_by)
   VALUES (${farId}, 1, 0, 1, 'Far', 0, '{}', 'farther wq', '[]', 128, 0, 1, 0, 1, 0, 1)`,
]

const numbers = {
  sqlite: `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${objects}) SELECT i FROM n)`,
  postgres: `generate_series(1, ${objects}) AS n (i)`,
}

function finds(place: () => { place: { sqlite: string } | { postgresUrl: string }; cleanup(): void }): void {
  let at: ReturnType<typeof place>
  let store: Store

  beforeAll(async () => {
    at = place()
    store = await openStore(at.place, tables)
    await store.transaction(async (tx) => {
      for (const statement of fill(numbers[store.dialect])) await tx.query(statement)
    })
    // As autovacuum would.
    await store.query('ANALYZE', [])
  }, 120_000)
  afterAll(async () => {
    await store.close()
    at.cleanup()
  })

  const find = async (user: number, text: string) =>
    (await searchObjects(store.read, { userId: user, needles: [searchForm(text)], most }, () => undefined)).map(
      ({ id }) => id,
    )

  it('finds the same in either kind of store, among 100,000 objects', async () => {
    expect(await find(1, 'core-4711.')).toEqual([4711])
    expect(await find(1, 'CORE-4711.')).toEqual([4711])
    expect(await find(1, 'needle')).toEqual([4711])
    expect(await find(1, 'GRÜSSE')).toEqual([])
    expect(await find(1, 'GRÜßE')).toEqual([4711])
    expect(await find(1, '\u{1f511}')).toEqual([4711])
    expect(await find(1, 'core-4710.')).toEqual([])
    expect(await find(1, 'zzz')).toEqual([])
    expect(await find(1, '100%_sure "quoted"')).toHaveLength(most)
    for (const literal of [
      '100%sure',
      '100__sure',
      'core-%.example',
      '" OR "a',
      'a*',
      '\\',
      "'",
      'core AND example',
      'NEAR(core)',
    ])
      expect(await find(1, literal), literal).toEqual([])
    expect(await find(1, 'e')).toHaveLength(most)
    expect(await find(1, '%_')).toHaveLength(most)
  })

  it('finds what lies far behind, and nothing where every trigram of a text is in every object', async () => {
    expect(await find(1, 'wq')).toEqual([farId])
    expect(await find(1, 'farther')).toEqual([farId])
    expect(await find(2, 'farther')).toEqual([])
    expect(await find(1, 'lexis')).toHaveLength(most)
    expect(await find(1, 'plexis')).toEqual([])
    expect(await find(1, 'uoted" lexi')).toHaveLength(most)
  })

  it('finds nothing in vaults that the user is no member of', async () => {
    expect(await find(2, 'core-4711.')).toEqual([])
    expect(await find(2, 'core-4720.')).toEqual([4720])
    expect((await find(2, 'example')).every((id) => id % 10 === 0)).toBe(true)
    expect(await find(3, 'example')).toEqual([])
    expect(await find(3, 'e')).toEqual([])
  })

  it('takes so long, at its best of five', async () => {
    const rows: string[] = []
    for (const [user, text] of [
      [1, 'core-4711.'],
      [1, 'rack 77'],
      [1, 'example'],
      [1, 'zzzz'],
      [1, 'e'],
      [1, 'zz'],
      [1, 'plexis'],
      [2, 'core-47'],
      [3, 'example'],
    ] as const) {
      const times: number[] = []
      let found: number[] = []
      for (let round = 0; round < 5; round++) {
        const started = performance.now()
        found = await find(user, text)
        times.push(performance.now() - started)
      }
      rows.push(`user ${user} "${text}": ${found.length} in ${Math.min(...times).toFixed(1)} ms`)
    }
    console.log([`${store.dialect}, ${objects} objects`, ...rows].join('\n'))
    expect(rows).toHaveLength(9)
  })
}

describe('SQLite', () => {
  finds(() => {
    const directory = mkdtempSync(join(tmpdir(), 'strongroom-search-'))
    return { place: { sqlite: join(directory, 'test.sqlite') }, cleanup: () => rmSync(directory, { recursive: true }) }
  })
})

describe.runIf(hasPostgres)('PostgreSQL', () => {
  finds(() => {
    const server = startPostgres()
    return { place: { postgresUrl: server.url }, cleanup: () => server.cleanup() }
  })
})
