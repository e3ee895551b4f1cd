import { groupsOf } from '../../groups.ts'
import type { FloorStanding } from '../floor-news.ts'
import { listFields, listLimits, nothing, sealedFields } from '../protocol/fields.ts'
import type { SealedRecord } from '../sealed-record.ts'
import type { SealingPort, SessionsOfAccount } from '../sealing-port.ts'
import { field, given, numberIn, sealedIn, wrapped } from './replies.ts'
import type { Keeper } from './request-router.ts'
import { shownCalls } from './shown-calls.ts'
import { trailCalls } from './trail-calls.ts'

/** Requests of workers and the operator to the keeper for seals and signatures. */
export function sealingCalls(keeper: Keeper) {
  return {
    ...endingCalls(keeper),
    async seal(record, { previous, provenance = nothing, grant, person } = {}) {
      const fields = [record, ...sealedFields(previous), provenance, ...[grant, person].flatMap(sealedFields)]
      return field(await keeper.call('seal', fields), 0)
    },
    async raise(records) {
      // A key that is taken over has two records for each of its versions, and may have more than one list holds.
      for (const some of groupsOf(records, listLimits.raise)) await keeper.call('raise', listFields(some, sealedFields))
    },
    ...shownCalls(keeper),
    async sealNew(record, { grant, person } = {}) {
      const reply = await keeper.call('sealNew', [record, ...[grant, person].flatMap(sealedFields)])
      return { identity: field(reply, 0), seal: field(reply, 1) }
    },
    async rewrapVersion(version, vaultKey) {
      const reply = await keeper.call('rewrapVersion', [...sealedFields(version), ...sealedFields(vaultKey)])
      const next = { ...wrapped(reply, 0), backup: given(reply, 3) && wrapped(reply, 2), seal: field(reply, 4) }
      return { ...next, generation: numberIn(reply, 5) }
    },
    async sealAnew(records) {
      const fields = listFields(records, sealedFields)
      const reply = await keeper.call('sealAnew', fields)
      return records.map((_, at) => given(reply, at))
    },
    async sealFirstCount(record, grant) {
      const reply = await keeper.call('sealFirstCount', [record, ...sealedFields(grant)])
      return { invocations: numberIn(reply, 0), seal: field(reply, 1) }
    },
    async grantRotation(policy, version, count) {
      const reply = await keeper.call('grantRotation', [policy, version, count].flatMap(sealedFields))
      return sealedIn(reply)
    },
    async permitObject(holder, grant) {
      const reply = await keeper.call('permitObject', [holder, grant].flatMap(sealedFields))
      return sealedIn(reply)
    },
    async floorNews(heads) {
      const reply = await keeper.call('floorNews', [Buffer.from(heads === undefined ? '' : JSON.stringify(heads))])
      const standing: FloorStanding = JSON.parse(field(reply, 0).toString())
      const number = field(reply, 1).toString()
      const sealed = sealedIn(reply, 2)
      return { ...standing, batch: number === '' ? undefined : { number: Number(number), sealed } }
    },
    async takeFloors(batches) {
      for (const some of groupsOf(batches, listLimits.takeFloors))
        await keeper.call('takeFloors', listFields(some, sealedFields))
    },
    async signImportJob(job) {
      const reply = await keeper.call('signImportJob', sealedFields(job))
      return { text: field(reply, 0).toString(), signature: field(reply, 1), signer: field(reply, 2) }
    },
    async grant({ token, session, user, applicationKey, membership, vaultNumber }) {
      const reply = await keeper.call('grant', [
        Buffer.from(token),
        ...[session, user, applicationKey, membership].flatMap(sealedFields),
        Buffer.from(String(vaultNumber ?? '')),
      ])
      return sealedIn(reply)
    },
    async endSessions(sessions, others) {
      const groups = [...groupsOf(sessions, listLimits.endSessions)]
      if (others !== undefined && groups.length === 0) groups.push([])
      // An edited record of one group does not stop the others.
      const last = groups.length - 1
      await Promise.all(groups.map((some, at) => endSome(keeper, some, at === last ? others : undefined)))
    },
    ...trailCalls(keeper),
  } satisfies SealingPort
}

/** Requests to the keeper about the end of keys. */
function endingCalls(keeper: Keeper) {
  return {
    async sealTombstone(last, grant) {
      const reply = await keeper.call('sealTombstone', [...sealedFields(last), ...sealedFields(grant)])
      return sealedIn(reply)
    },
    async sealUnused({ kind, kek, blob, publicKey, purpose, provenance }, grant) {
      const names = [Buffer.from(kind), Buffer.from(kek), blob, publicKey ?? nothing]
      const reply = await keeper.call('sealUnused', [...names, purpose, provenance, ...sealedFields(grant)])
      return sealedIn(reply)
    },
  } satisfies Partial<SealingPort>
}

function endSome(keeper: Keeper, sessions: readonly SealedRecord[], others?: SessionsOfAccount) {
  const fields = listFields(sessions, sealedFields)
  return keeper.call('endSessions', [...fields, others?.account ?? nothing, others?.keep ?? nothing])
}
