import { operatorId } from '../../access/confirmation.ts'
import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { random, seal, sealAnew, verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { followEachOther, generationOf, isNextGeneration, vaultGenerationOf } from '../record-generation.ts'
import { composeRecord, identityBytes, type OpenedRecord } from '../record-layouts.ts'
import type { RequestFields } from '../server/request-fields.ts'
import { accountOf } from './account-ids.ts'
import { type Authority, readAuthority } from './authority.ts'
import type { Floors } from './floors.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'
import type { KeeperMemory } from './keeper-memory.ts'
import { checkProvenance } from './provenance-check.ts'
import { raiseShown } from './raised-records.ts'
import { checkOperator, type Origin, type Person, type RuleContext } from './record-change.ts'
import { checkChange } from './record-rules.ts'
import { hasSuccession, isShownAnew, type SealedRecords } from './sealed-records.ts'
import { accountTypes, checkNewest, newestShown, type NewestShown, opened } from './shown-record.ts'
import { sealTombstone, sealUnused } from './tombstones.ts'
import { rewrapVersion } from './version-rewrapping.ts'

/** Operations that seal records, and that take note of which are the newest. */
export function createSealHandlers(token: Token, memory: KeeperMemory, origin: Origin) {
  const on = { token, ...memory, origin }
  return {
    seal(fields) {
      const record = fields.bytes()
      const previous = fields.sealed()
      const provenance = fields.bytes()
      const shownBefore = previous.record.length === 0 ? undefined : previous
      const authority = readAuthority(on, fields)
      const person = readPerson(on, fields)
      const change = { origin, previous: shownBefore, ...authority, person }
      const { next, before, replaces } = checkedChange(token, memory, record, change)
      if (!replaces)
        checkProvenance(token, memory, { next, record, provenance, policy: before, user: authority.grant?.user })
      noteSealing(memory, record, next, replaces && before ? { record: previous.record, opened: before } : undefined)
      if (next.type === 'session' && before?.type === 'session') memory.replacedTokens.note(next.fields, before.fields)
      return [seal(token, record)]
    },
    sealNew(fields) {
      const record = fields.bytes()
      const authority = readAuthority(on, fields)
      return sealNew(token, memory, record, { origin, ...authority, person: readPerson(on, fields) })
    },
    raise: (fields) => raiseShown(on, fields),
    rewrapVersion(fields) {
      checkOperator(origin)
      return rewrapVersion(on, fields.sealed(), fields.optionalSealed())
    },
    sealAnew(fields) {
      checkOperator(origin)
      return fields.list(() => sealAnew(token, fields.sealed()) ?? Buffer.alloc(0))
    },
    sealTombstone: (fields) => sealTombstone(on, fields.sealed(), readAuthority(on, fields)),
    sealUnused: (fields) => sealUnused(on, fields),
  } satisfies KeeperHandlers
}

interface AskedChange extends Authority {
  readonly origin: Origin
  readonly previous?: SealedRecord | undefined
  readonly person?: Person | undefined
}

/**
 * The user of a membership, or the owner of a service account, by the newest record; undefined where the request has
 * none.
 */
function readPerson(on: NewestShown & Pick<KeeperMemory, 'sealedRecords'>, fields: RequestFields): Person | undefined {
  const sealed = fields.optionalSealed()
  if (sealed === undefined) return undefined
  const record = newestShown(on, accountTypes, sealed)
  const generation = generationOf(record)
  return { ...record.fields, isSettled: generation !== undefined && on.sealedRecords.isSettled(generation) }
}

/**
 * Parses a record and applies the rule of its type. `replaces`: whether it replaces a record or is the first of its
 * subject.
 */
function checkedChange(
  token: Token,
  memory: KeeperMemory,
  record: Buffer,
  { previous, ...asked }: AskedChange,
): { readonly next: OpenedRecord; readonly before: OpenedRecord | undefined; readonly replaces: boolean } {
  // A new seal over an edited row would legitimize the edit.
  if (previous !== undefined) verify(token, previous)
  const next = opened(record)
  // An identity that a client chose could be that of another record. Records of these types are created by `sealNew`.
  if (previous === undefined && 'identity' in next.fields && ownsIdentity.has(next.type))
    throw new Fault('hsm.rejected', 'A new record of this type gets its identity here.')
  const before = previous && opened(previous.record)
  if (previous !== undefined && before !== undefined) checkNewest(memory, previous.record, before)
  checkGeneration(memory.floors, next, before)
  if (previous !== undefined) checkVersionIsNew(memory.sealedRecords, next, previous.record, before)
  checkChange({ next, previous: before, ...asked, ...contextOf(memory) })
  noteRecovery(memory, next, before, asked.origin === 'operator' ? operatorId : asked.grant?.userId)
  return { next, before, replaces: before !== undefined && followEachOther(before.type, next.type) }
}

const contextOf = ({ recovery, recoverers }: KeeperMemory): RuleContext => ({
  recovery,
  madeRecovery: (by, user, after, upTo) => recoverers.made(by, user, after, upTo),
  now: Date.now(),
})

/** Notes who made a recovery. Once another change of the account is committed instead, it counts as not made. */
function noteRecovery(
  { recoverers }: KeeperMemory,
  next: OpenedRecord,
  before: OpenedRecord | undefined,
  by: number | undefined,
): void {
  const isPerson = next.type === 'user' || next.type === 'service account'
  if (!isPerson || before?.type !== next.type || by === undefined) return
  const { identity, recoveries, generation } = next.fields
  if (recoveries > before.fields.recoveries) recoverers.note(by, identity, { number: recoveries, generation })
}

/** The types whose records are created by `sealNew`. */
const ownsIdentity: ReadonlySet<string> = new Set([
  'transparent key 2',
  ...accountTypes,
  'application key',
  'vault',
  'session',
  'service session',
  'one-time link',
])

/** A change must make the next generation of its subject, and a subject begins only once. */
function checkGeneration(floors: Floors, next: OpenedRecord, previous: OpenedRecord | undefined): void {
  const ofVault = vaultGenerationOf(next)
  if (ofVault !== undefined) floors.check(ofVault)
  const generation = generationOf(next)
  if (generation === undefined) return
  const shownGeneration = previous && generationOf(previous)
  // The first record of a version follows a record of its key.
  const before = previous !== undefined && followEachOther(previous.type, next.type) ? shownGeneration : undefined
  const known = before?.number ?? floors.of(generation.subject) ?? 0
  const { number, isCount } = generation
  const isNext = isCount === true ? number >= known : isNextGeneration(number, known)
  const isFirst = previous === undefined && ownsIdentity.has(next.type)
  if ((isFirst && number !== 1) || (before === undefined && known > 0) || !isNext)
    throw new Fault('hsm.rejected', 'The record is not the next generation of the one that it replaces.')
}

/**
 * A version begins only after the policy that is the first to count it. The keeper is shown the version itself at its
 * first change, which may never come.
 */
function checkVersionIsNew(
  sealedRecords: Pick<SealedRecords, 'newVersionsFrom'>,
  { type, fields }: OpenedRecord,
  shown: Buffer,
  policy: OpenedRecord | undefined,
): void {
  if (type !== 'transparent key version 2' || policy?.type !== 'transparent key 2') return
  const generation = generationOf(policy)
  const from = generation && sealedRecords.newVersionsFrom(shown, generation)
  if (from === undefined || fields.version < from)
    throw new Fault('hsm.rejected', 'The policy of the key was not sealed just now, or counts no such version more.')
}

/** @param previous the record that it replaces; undefined for the first of its subject */
function noteSealing(
  { sealedRecords }: Pick<KeeperMemory, 'sealedRecords'>,
  record: Buffer,
  next: OpenedRecord,
  previous: { readonly record: Buffer; readonly opened: OpenedRecord } | undefined,
): void {
  const generation = generationOf(next)
  if (generation === undefined || !hasSuccession(next.type)) return
  if (previous === undefined && isShownAnew(next.type)) return sealedRecords.noteFirst(record, generation)
  const number = previous && generationOf(previous.opened)?.number
  const replaced = previous && number !== undefined ? { record: previous.record, number } : undefined
  sealedRecords.note(record, generation, replaced, newVersionsFrom(next, previous?.opened))
}

/** The first of the versions that a policy counts and the one before does not; undefined where there are none. */
function newVersionsFrom({ type, fields }: OpenedRecord, before: OpenedRecord | undefined): number | undefined {
  if (type !== 'transparent key 2') return undefined
  const from = before?.type === type ? before.fields.latestVersion + 1 : 1
  return from <= fields.latestVersion ? from : undefined
}

/** Draws the identity of a new record and seals it. In the request the identity is empty. */
function sealNew(token: Token, memory: KeeperMemory, record: Buffer, asked: Omit<AskedChange, 'previous'>): Buffer[] {
  const { type, key, fields } = opened(record)
  if (key !== undefined || !('identity' in fields) || fields.identity.length > 0)
    throw new Fault('hsm.rejected', 'A record of this type gets no identity.')
  const identity = random(token, identityBytes)
  const complete = composeRecord(type, { ...fields, identity })
  const next = opened(complete)
  const account = accountOf(next)
  if (account !== undefined) memory.accountIds.check(account)
  checkGeneration(memory.floors, next, undefined)
  checkChange({ next, previous: undefined, ...asked, ...contextOf(memory) })
  if (next.type === 'one-time link') memory.countLink(next.fields.creator)
  noteSealing(memory, complete, next, undefined)
  return [identity, seal(token, complete)]
}
