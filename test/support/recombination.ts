import { expect, it } from 'vitest'
import { keeperOf } from '../../src/config/keeper-section.ts'
import { versionRecord } from '../../src/features/transparent/sealing.ts'
import type { KeyReference, SealedRecord } from '../../src/hsm/hsm.ts'
import { decodeRecord, keyRecord } from '../../src/hsm/key-record.ts'
import { referenceFields } from '../../src/hsm/protocol/fields.ts'
import type { KeeperOperation, Operation } from '../../src/hsm/protocol/frame.ts'
import { vaultKeyPurpose } from '../../src/hsm/provenance.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import type { TestAppliance } from './appliance.ts'
import { ask, askKeeper, type FrameAnswer } from './frame-caller.ts'
import type { Spoils } from './worker-spoils.ts'

// Requests that an attacker in a worker combines from records of two users and sends in frames of his own.

export type Fields = readonly (Uint8Array | string | number)[]

export const nothing = Buffer.alloc(0)
export const sealed = ({ record, seal }: SealedRecord): Buffer[] => [record, seal]

export function createWorkerCalls({ config }: TestAppliance) {
  const [socket = ''] = config.hsm.sockets
  const bytesOf = (fields: Fields) =>
    fields.map((field) => (field instanceof Uint8Array ? field : Buffer.from(String(field))))
  const host = (operation: Operation, fields: Fields) => ask(socket, operation, bytesOf(fields))
  const keeper = (operation: KeeperOperation, fields: Fields) =>
    askKeeper(keeperOf(config).socket, operation, bytesOf(fields))
  return {
    host,
    keeper,
    /** Sends all calls one after another. */
    async each(operation: Operation, calls: readonly Fields[]): Promise<FrameAnswer[]> {
      const answers: FrameAnswer[] = []
      for (const fields of calls) answers.push(await host(operation, fields))
      return answers
    },
    async eachOfKeeper(operation: KeeperOperation, asked: readonly Fields[]): Promise<FrameAnswer[]> {
      const answers: FrameAnswer[] = []
      for (const fields of asked) answers.push(await keeper(operation, fields))
      return answers
    },
    /**
     * Makes the keeper seal a record of the key that a host made, with the provenance in this field. Returns its
     * answer, or that of the host where there is no key.
     */
    async placed(answer: FrameAnswer, place: (kek: string, blob: Buffer) => Buffer, at: number): Promise<FrameAnswer> {
      if ('fault' in answer) return answer
      const [kek = nothing, blob = nothing] = answer.fields
      const provenance = answer.fields[at] ?? nothing
      return keeper('seal', [
        place(String(kek), blob),
        nothing,
        nothing,
        provenance,
        nothing,
        nothing,
        nothing,
        nothing,
      ])
    },
  }
}

/** Makes the data key of a vault by the calls of a worker, who makes vaults for this user. */
export async function newVaultKey(
  { keeper, host }: Pick<ReturnType<typeof createWorkerCalls>, 'keeper' | 'host'>,
  creator: Buffer,
  grant: SealedRecord,
) {
  const vault = await keeper('sealNew', [
    composeRecord('vault', { identity: nothing, creator }),
    ...sealed(grant),
    nothing,
    nothing,
  ])
  if ('fault' in vault) throw new Error('no vault could be made')
  const [identity = nothing, seal = nothing] = vault.fields
  const purpose = vaultKeyPurpose(identity)
  const ofVault = sealed({ record: composeRecord('vault', { identity, creator }), seal })
  const permit = await keeper('permitObject', [...ofVault, ...sealed(grant)])
  if ('fault' in permit) throw new Error('there is no permit')
  const made = await host('createTokenObject', ['aes256-gcm', ...permit.fields])
  if ('fault' in made) throw new Error('no key could be made')
  const [blob = nothing, , provenance = nothing] = made.fields
  const record = keyRecord('aes256-gcm', { kek: 'vault', blob }, ['vault key 2', identity])
  return {
    blob,
    provenance,
    sealed: () => keeper('seal', [record, ...ofVault, provenance, ...sealed(grant), nothing, nothing]),
    discarded: (name = blob, proof = provenance, by?: SealedRecord) =>
      keeper(
        'sealUnused',
        ['aes256-gcm', 'vault', name, nothing, purpose, proof].concat(by ? sealed(by) : [nothing, nothing]),
      ),
  }
}

export function edited({ record, seal }: SealedRecord): SealedRecord {
  const copy = Buffer.from(record)
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1)
  return { record: copy, seal }
}

/**
 * References that mix a victim's key with records of the attacker, and the reverse: altered, without policy, with the
 * other's policy, with records of another type, and to a key of another kind, by a grant that the victim has.
 */
export function recombined(
  { victim, own }: { readonly victim: Spoils; readonly own: Spoils },
  name: keyof Spoils['references'],
  another: keyof Spoils['references'],
): Buffer[][] {
  const [theirs, mine] = [victim.references[name], own.references[name]]
  const granted = theirs.grant === undefined ? {} : { grant: theirs.grant }
  const withPolicy = (key: SealedRecord, reference: KeyReference): KeyReference => ({ ...reference, ...granted, key })
  const swapped = [
    withPolicy({ record: theirs.key.record, seal: mine.key.seal }, theirs),
    withPolicy(edited(theirs.key), theirs),
    withPolicy(own.count, mine),
    victim.references[another],
  ]
  const { policy } = theirs
  const lent =
    policy === undefined
      ? []
      : [
          withPolicy(theirs.key, { key: theirs.key }),
          withPolicy(theirs.key, mine),
          withPolicy(mine.key, theirs),
          { ...theirs, policy: edited(policy) },
          { key: policy, policy, ...granted },
        ]
  return [...swapped, ...lent].map(referenceFields)
}

/** The fields of a batch of one item for each of these references. */
export function batches(references: readonly Buffer[][], indexes: Buffer, rest: Fields): Fields[] {
  return references.map((reference) => [1, ...reference, indexes, ...rest])
}

/** The parts of a backup: its format, the name of the backup seal, the seal, and the content under it. */
export function backupParts({ backup }: Spoils): Buffer[] {
  return decodeRecord(backup).map((field) => field.subarray(1))
}

/** A second version of the user's key, with material from elsewhere. */
export function planted({ cipher: { key } }: Spoils, kek: string, blob: Buffer): Buffer {
  const bare = { publicKey: null, backupKek: null, backupBlob: null, disabled: 0, createdAt: 0 }
  return versionRecord(key, { ...bare, generation: 1, version: 2, kek, blob })
}

/** The code of the refusal, also where it is in a batch of one item; undefined where there was none. */
export function refusalOf(answer: FrameAnswer): string | undefined {
  // A request with missing fields does not fit the operation any more and attacks nothing.
  if ('fault' in answer) return answer.detail.includes('is missing') ? 'fields are missing' : answer.fault
  const [kinds, outcome] = answer.fields
  return kinds?.equals(Buffer.from([1])) === true ? String(outcome).split(' ')[0] : undefined
}

const refusals = [
  'hsm.rejected',
  'hsm.seal_broken',
  'hsm.unsupported',
  'hsm.outdated',
  'backup.invalid',
  'session.invalid',
  'access.permission',
  'login.refused',
]

export type Attack = () => Promise<readonly FrameAnswer[]>

/** A test that each call of an attack is refused. For a known gap in `open`, a test that it is not refused yet. */
export function itRefuses(name: string, attack: Attack, open: ReadonlySet<string>): void {
  const check = open.has(name) ? it.fails : it
  check(`${name}${open.has(name) ? ' (not yet)' : ''}`, async () => {
    const answers = await attack()
    expect(answers.length).toBeGreaterThan(0)
    expect(answers.map(refusalOf).filter((code) => !refusals.includes(code ?? 'it was done'))).toEqual([])
  })
}
