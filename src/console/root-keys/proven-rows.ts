import { sealedPages } from '../../daemon/sealed-rows.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { decodeRecord, encodeRecord } from '../../hsm/key-record.ts'
import { type Generation, generationOf, lastGeneration } from '../../hsm/record-generation.ts'
import { type FieldsOf, type OpenedRecord, openRecord, type RecordType } from '../../hsm/record-layouts.ts'
import { recordDigest } from '../../hsm/sealed-record.ts'
import { namesIn } from '../../hsm/user-factors.ts'
import type { Reader } from '../../store/store.ts'
import { peppersIn } from './pepper-usage.ts'
import { judged } from './resealing.ts'

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
 * Reads all rows, before a root key is destroyed for good. The database may leave rows out, or show them otherwise: so
 * only rows with good seals count, and the keeper tells which accounts, keys and vaults are not among them.
 */
export async function provenRows(hsm: Asked, reader: Reader): Promise<ProvenRows> {
  const found = createFound()
  let hasOlderSeals = await readInto(found, hsm, reader)
  const known = await knownTo(hsm)
  // What calls have made or changed meanwhile seems to be missing, and is there when the rows are read again.
  if (missingOf(known, found).length > 0) hasOlderSeals = (await readInto(found, hsm, reader)) || hasOlderSeals
  return { keks: found.keks, peppers: found.peppers, hasOlderSeals, missing: missingOf(known, found) }
}

/** Whether an older version of the seal made the seal of a row. */
async function readInto(found: Found, hsm: Asked, reader: Reader): Promise<boolean> {
  let hasOlderSeals = false
  for await (const page of sealedPages(reader)) {
    const { good, older } = await judged(hsm, page)
    for (const record of good) found.add(record)
    hasOlderSeals ||= older.length > 0
  }
  return hasOlderSeals
}

type Found = ReturnType<typeof createFound>

function createFound() {
  const generations = new Map<string, number>()
  const [keks, peppers] = [new Set<string>(), new Set<number>()]
  const digests = new Set<string>()
  const vaults = new Set<string>()
  /** By the newest record of each user, and of each key. */
  const factors = new Map<string, Buffer[]>()
  const keys = new Map<string, FieldsOf<'transparent key 2'>>()
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
      const name = generation && nameOf(generation.subject)
      const isNewest = generation !== undefined && generation.number >= (generations.get(name ?? '') ?? 0)
      for (const kek of keksIn(record)) keks.add(kek)
      for (const version of peppersIn(record)) peppers.add(version)
      if (name !== undefined && isNewest) {
        generations.set(name, generation.number)
        if (record.type === 'user') factors.set(name, namesIn(record.fields.factors))
        if (record.type === 'transparent key 2') keys.set(name, record.fields)
      }
      if (isFactor.has(record.type)) digests.add(nameOf(recordDigest(bytes)))
      if (record.type === 'vault key 2') vaults.add(nameOf(record.fields.vault))
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

type Known = Awaited<ReturnType<typeof knownTo>>

/** What the keeper was shown. */
async function knownTo(hsm: Asked) {
  // A vault ends as a whole: its members leave no mark of their own.
  const deleted = new Set((await hsm.knownSubjects('vault')).map((one) => nameOf(vaultIn(one))))
  const subjects: { readonly type: (typeof lasting)[number]; readonly known: readonly Generation[] }[] = []
  const ended = new Set<string>()
  for (const type of lasting) {
    const all = await hsm.knownSubjects(type)
    for (const { subject, number } of all) if (number === lastGeneration) ended.add(nameOf(subject))
    const known = all.filter(
      (one) => one.number !== lastGeneration && (type !== 'membership' || !deleted.has(nameOf(vaultIn(one)))),
    )
    subjects.push({ type, known })
  }
  const versions = await hsm.knownSubjects('transparent key version 2')
  return { subjects, ended, versions: new Map(versions.map(({ subject, number }) => [nameOf(subject), number])) }
}

/** The kinds of what the keeper was shown and is in no row, or in an older one: one entry for each. */
function missingOf(
  { subjects, ended, versions }: Known,
  { generations, digests, vaults, factors, keys }: Found,
): string[] {
  const isShown = (name: string, number: number): boolean => (generations.get(name) ?? 0) >= number
  const missing: string[] = []
  for (const { type, known } of subjects) {
    missing.push(...known.filter(({ subject, number }) => !isShown(nameOf(subject), number)).map(() => type))
    if (type !== 'membership') continue
    const keyless = [...new Set(known.map((one) => nameOf(vaultIn(one))))].filter((vault) => !vaults.has(vault))
    missing.push(...keyless.map(() => 'vault key'))
  }
  missing.push(...[...factors.values()].flat().flatMap((one) => (digests.has(nameOf(one)) ? [] : ['second factor'])))
  for (const [key, { identity, oldestVersion, latestVersion }] of keys)
    for (let version = oldestVersion; version <= latestVersion && !ended.has(key); version++) {
      const name = nameOf(encodeRecord(['transparent key version 2', identity, version]))
      if (!isShown(name, versions.get(name) ?? 1)) missing.push('version of a key')
    }
  return missing
}

/** The vault in the subject of a vault or a membership. */
const vaultIn = ({ subject }: Generation): Buffer => decodeRecord(subject)[1]?.subarray(1) ?? Buffer.alloc(0)
