import { sealedPages } from '../../daemon/sealed-rows.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { decodeRecord, encodeRecord } from '../../hsm/key-record.ts'
import { type Generation, generationOf, lastGeneration } from '../../hsm/record-generation.ts'
import { type FieldsOf, type OpenedRecord, openRecord, type RecordType } from '../../hsm/record-layouts.ts'
import { recordDigest } from '../../hsm/sealed-record.ts'
import { namesIn } from '../../hsm/user-factors.ts'
import type { Reader } from '../../store/store.ts'
import { peppersIn } from './pepper-usage.ts'

/** What the sealed rows of the database need of the root keys. */
export interface ProvenRows {
  readonly keks: ReadonlySet<string>
  /** Versions of the pepper. */
  readonly peppers: ReadonlySet<number>
  /** Whether an older version of the seal made one of their seals. */
  readonly hasOlderSeals: boolean
  /** Kinds of what is in no row, or in an older one, although the keeper was shown it: one entry for each. */
  readonly missing: readonly string[]
}

type Asked = Pick<Hsm, 'sealAnew' | 'knownSubjects'>

/**
 * Reads all rows once, before a root key is destroyed for good. The database may leave rows out, or show them otherwise:
 * so only rows with good seals count, and the keeper tells which accounts, keys and vaults are not among them.
 */
export async function provenRows(hsm: Asked, reader: Reader): Promise<ProvenRows> {
  const found = createFound()
  let hasOlderSeals = false
  for await (const page of sealedPages(reader)) {
    const rows = page.flatMap(({ record, seal }) =>
      record === undefined || seal.length === 0 ? [] : [{ record, seal }],
    )
    const seals = rows.length === 0 ? [] : await hsm.sealAnew(rows)
    for (const [at, { record, seal }] of rows.entries()) {
      const newest = seals[at]
      if (newest === undefined) continue
      found.add(record)
      hasOlderSeals ||= !newest.equals(seal)
    }
  }
  return { keks: found.keks, peppers: found.peppers, hasOlderSeals, missing: await missingOf(hsm, found) }
}

type Found = ReturnType<typeof createFound>

function createFound() {
  const generations = new Map<string, number>()
  const [keks, peppers] = [new Set<string>(), new Set<number>()]
  const digests = new Set<string>()
  const vaults = new Set<string>()
  const factors: Buffer[] = []
  const keys: FieldsOf<'transparent key 2'>[] = []
  return {
    generations,
    keks,
    peppers,
    digests,
    vaults,
    factors,
    keys,
    add(bytes: Buffer) {
      const record = openRecord(bytes)
      const generation = generationOf(record)
      if (generation !== undefined) generations.set(nameOf(generation.subject), generation.number)
      for (const kek of keksIn(record)) keks.add(kek)
      for (const version of peppersIn(record)) peppers.add(version)
      if (record.type === 'user') factors.push(...namesIn(record.fields.factors))
      if (isFactor.has(record.type)) digests.add(nameOf(recordDigest(bytes)))
      if (record.type === 'vault key 2') vaults.add(nameOf(record.fields.vault))
      if (record.type === 'transparent key 2') keys.push(record.fields)
    },
  }
}

const nameOf = (bytes: Buffer): string => bytes.toString('base64')

const isFactor: ReadonlySet<RecordType> = new Set(['otp', 'passkey', 'user certificate'] as const)

/** The KEKs without which something would be lost. */
function keksIn({ type, fields, key }: OpenedRecord): string[] {
  if (type === 'validation client' && fields.revokedAt !== null) return []
  const keks = [key?.kek, 'backupKek' in fields ? fields.backupKek : null, 'kek' in fields ? fields.kek : null]
  return keks.flatMap((kek) => kek ?? [])
}

/** The types of which every record that is not ended has a row. */
const lasting = ['user', 'application key', 'validation client', 'membership', 'transparent key 2'] as const

/** What the keeper was shown and is in no row, or in an older one, by the kind. */
async function missingOf(hsm: Asked, { generations, digests, vaults, factors, keys }: Found): Promise<string[]> {
  const isShown = ({ subject, number }: Generation): boolean => (generations.get(nameOf(subject)) ?? 0) >= number
  const missing: string[] = []
  // A vault ends as a whole: its members leave no mark of their own.
  const deleted = new Set((await hsm.knownSubjects('vault')).map((one) => nameOf(vaultIn(one))))
  for (const type of lasting) {
    const known = (await hsm.knownSubjects(type)).filter(({ number }) => number !== lastGeneration)
    const present = type === 'membership' ? known.filter((one) => !deleted.has(nameOf(vaultIn(one)))) : known
    missing.push(...present.filter((one) => !isShown(one)).map(() => type))
    if (type !== 'membership') continue
    const keyless = [...new Set(present.map((one) => nameOf(vaultIn(one))))].filter((vault) => !vaults.has(vault))
    missing.push(...keyless.map(() => 'vault key'))
  }
  missing.push(...factors.filter((name) => !digests.has(nameOf(name))).map(() => 'second factor'))

  const known = await hsm.knownSubjects('transparent key version 2')
  const versions = new Map(known.map(({ subject, number }) => [nameOf(subject), number]))
  for (const { identity, oldestVersion, latestVersion } of keys)
    for (let version = oldestVersion; version <= latestVersion; version++) {
      const subject = encodeRecord(['transparent key version 2', identity, version])
      if (!isShown({ subject, number: versions.get(nameOf(subject)) ?? 1 })) missing.push('version of a key')
    }
  return missing
}

/** The vault in the subject of a vault or a membership. */
const vaultIn = ({ subject }: Generation): Buffer => decodeRecord(subject)[1]?.subarray(1) ?? Buffer.alloc(0)
