import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { clientKey, findClient } from '../../src/features/otp-validation/records.ts'
import { findKey } from '../../src/features/transparent/records.ts'
import { sealedPolicy, sealedVersion } from '../../src/features/transparent/sealing.ts'
import { encodeRecord, keyRecord } from '../../src/hsm/key-record.ts'
import type { KeyReference, SealedRecord } from '../../src/hsm/hsm.ts'
import { versionPurpose } from '../../src/hsm/provenance.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { referenceFields } from '../../src/hsm/protocol/fields.ts'
import { type Operation, operations } from '../../src/hsm/protocol/frame.ts'
import { grantIn, newIdentity, sealedGrant } from '../support/grant-kit.ts'
import {
  backupParts,
  batches,
  createWorkerCalls,
  edited,
  itRefuses,
  type Attack,
  nothing,
  planted,
  recombined,
  sealed,
} from '../support/recombination.ts'
import { spoilsOf, type Spoils } from '../support/worker-spoils.ts'

/**
 * The attacker runs code in a worker. He has the sockets of token hosts and every record of the database. Each
 * operation is tried with mixed records of two users. An operation without a row here fails the test.
 */
const appliance = applianceForTests()
const worker = workerForTests(appliance)
let victim: Spoils
let own: Spoils
let calls: ReturnType<typeof createWorkerCalls>
let client: SealedRecord

beforeAll(async () => {
  victim = await spoilsOf(appliance, {})
  own = await spoilsOf(appliance, { allow_export: true, allow_plaintext_export: true })
  calls = createWorkerCalls(appliance)
  const { id } = await appliance.services.validationClients.add(
    { name: 'spoils', allowUnsigned: false },
    appliance.commit,
  )
  const row = await findClient(appliance.store.read, id)
  if (row === undefined) throw new Error('no client of the validator')
  client = clientKey(row).key
})

const data = Buffer.alloc(48, 7)
/** Records that are not those of a client of the validator. */
const signers = () =>
  [edited(client), ...(['totp', 'device', 'mac', 'cipher'] as const).map((name) => victim.references[name].key)].map(
    sealed,
  )
const none = [nothing, nothing]
const scheme = ['sha256', 'pss', ''] as const
const mixed = (name: keyof Spoils['references'], another: keyof Spoils['references'] = 'vaultKey') =>
  recombined({ victim, own }, name, another)
const inVictimsKey = (kek: string, blob: Buffer) => planted(victim, kek, blob)
const asVaultKey = (kek: string, blob: Buffer) =>
  keyRecord('aes256-gcm', { kek, blob }, ['vault key 2', victim.cipher.key.vault])
/** The place of a new key: that of a key of this user. */
const placeOf = ({ cipher: { key }, references }: Spoils) => [
  nothing,
  key.identity ?? nothing,
  key.vault ?? nothing,
  ...sealed(references.vaultKey.key),
]
const noPlace = [nothing, nothing, nothing, ...none]
const flags = (place: readonly Uint8Array[]) => ['0', '0', ...place]

/** These operations have no input and reveal nothing about keys. */
const tellsNothing = ['ping', 'status', 'kindSupport', 'auditPublicKey'] as const

/** Known gaps, which are not refused yet. Once one is refused, its test fails until it is removed from this list. */
const open: ReadonlySet<string> = new Set()

const attacks: Record<Exclude<Operation, (typeof tellsNothing)[number]>, Attack> = {
  random: () => calls.each('random', [[0], [-1], [1e9], ['x'], ['Infinity']]),
  verify: () =>
    calls.each('verify', [
      sealed(edited(victim.count)),
      [victim.count.record, own.count.seal],
      [victim.count.record, nothing],
    ]),
  async generate() {
    const mine = await calls.host('generate', ['aes256-gcm', ...flags(placeOf(own))])
    return [
      ...(await calls.each('generate', [
        ['rsa-4096', ...flags(noPlace)],
        ['nothing', ...flags(noPlace)],
        // His key wrapped by the data key of another vault, and by a key that is no data key.
        ['aes256-gcm', ...flags([...placeOf(own).slice(0, 3), ...sealed(victim.references.vaultKey.key)])],
        ['aes256-gcm', ...flags([...placeOf(own).slice(0, 3), ...sealed(own.references.cipher.key)])],
      ])),
      await calls.placed(mine, inVictimsKey, 5),
      await calls.placed(mine, asVaultKey, 5),
    ]
  },
  async importSecret() {
    const known = await calls.host('importSecret', ['aes256-gcm', Buffer.alloc(32, 7), purposeOf(own)])
    return [await calls.placed(known, inVictimsKey, 2), await calls.placed(known, asVaultKey, 2)]
  },
  encrypt: () =>
    calls.each(
      'encrypt',
      mixed('cipher', 'mac').map((one) => [...one, data, nothing]),
    ),
  decrypt: () =>
    calls.each(
      'decrypt',
      mixed('cipher', 'totp').map((one) => [...one, data, nothing]),
    ),
  makeDataKey: () =>
    calls.each(
      'makeDataKey',
      mixed('vaultKey', 'mac').map((one) => [...one, 32, nothing, '1']),
    ),
  encryptMany: () => calls.each('encryptMany', batches(mixed('cipher', 'mac'), Buffer.alloc(4), [data, nothing])),
  decryptMany: () => calls.each('decryptMany', batches(mixed('vaultKey', 'totp'), Buffer.alloc(4), [data, nothing])),
  rewrapMany: () =>
    calls.each('rewrapMany', batches(mixed('cipher', 'pair'), Buffer.alloc(8), [data, nothing, nothing])),
  sign: () =>
    calls.each(
      'sign',
      mixed('pair', 'cipher').map((one) => [...one, ...scheme, data.subarray(0, 32)]),
    ),
  verifySignature: () =>
    calls.each(
      'verifySignature',
      mixed('pair', 'cipher').map((one) => [...one, ...scheme, data.subarray(0, 32), data]),
    ),
  hmac: () =>
    calls.each(
      'hmac',
      mixed('mac', 'totp').map((one) => [...one, data]),
    ),
  verifyHmac: () =>
    calls.each(
      'verifyHmac',
      mixed('mac', 'totp').map((one) => [...one, data, data.subarray(0, 32)]),
    ),
  signValidation: () =>
    calls.each('signValidation', [
      ...signers().map((key) => [...key, 'otp=x&status=BAD_OTP&t=2026-01-01']),
      [...sealed(client), 'otp=x&status=OK&t=2026-01-01'],
      [...sealed(client), 'id=1&nonce=0123456789abcdef&otp=x'],
      [...sealed(client), 'id=1&nonce=0123456789abcdef&otp=x&status=OK&t=2026-01-01'],
      [...sealed(client), data.subarray(0, 8)],
    ]),
  verifyValidation: () =>
    calls.each(
      'verifyValidation',
      signers().map((key) => [...key, data.subarray(0, 8), data.subarray(0, 20)]),
    ),
  async createTokenObject() {
    const permit = await ownPermit()
    return calls.each('createTokenObject', [
      ['aes256-gcm', ...noPlace],
      ['aes256-gcm', ...sealed(edited(permit))],
      ['aes256-gcm', permit.record, victim.count.seal],
      ['aes256-ofb', ...sealed(permit)],
      ['rsa-4096', ...sealed(permit)],
      ['strongroom.kek.strict.v1', ...sealed(permit)],
      ...[victim.count, victim.vaultRecord, victim.references.vaultKey.key, sealedPolicy(own.cipher.key)].map(
        (other) => ['aes256-gcm', ...sealed(other)],
      ),
    ])
  },
  async destroyObject() {
    const tombstone = await ownTombstone()
    const { resident, policy, deleted } = await residentKey()
    const { vaultKey, cipher } = victim.references
    // The keeper was not shown his own tombstone.
    const marks = [
      tombstone,
      edited(tombstone),
      victim.vaultRecord,
      vaultKey.key,
      policy,
      deleted,
      cipher.key,
      own.count,
    ]
    const keys = [vaultKey.key, resident, own.references.vaultKey.key]
    return calls.each(
      'destroyObject',
      keys.flatMap((key) => marks.map((mark) => [...sealed(key), ...sealed(mark)])),
    )
  },
  importKey() {
    const [theirs, mine] = [sealed(sealedPolicy(victim.cipher.key)), sealed(sealedPolicy(own.cipher.key))]
    return calls.each('importKey', [
      ...[
        { record: victim.job.record, seal: own.job.seal },
        edited(victim.job),
        victim.references.cipher.key,
        victim.count,
      ].map((job) => [...sealed(job), data, ...mine, ...vaultKeyOf(own), nothing]),
      [...sealed(own.job), data, ...mine, ...vaultKeyOf(own), nothing],
      [...sealed(own.job), data, ...theirs, ...vaultKeyOf(victim), nothing],
      [...sealed(own.job), data, ...none, ...vaultKeyOf(own), nothing],
    ])
  },
  exportKey() {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const recipient = publicKey.export({ type: 'spki', format: 'der' })
    const references = [
      ...mixed('cipher'),
      referenceFields(victim.references.cipher),
      referenceFields(own.references.totp),
    ]
    return calls.each(
      'exportKey',
      references.map((one) => [...one, recipient]),
    )
  },
  exportPlain: () =>
    calls.each('exportPlain', [
      ...mixed('cipher', 'device'),
      ...(['cipher', 'mac', 'pair', 'vaultKey'] as const).map((name) => referenceFields(victim.references[name])),
    ]),
  sealBackup() {
    const [theirs, mine] = [fieldsOf(victim.references.cipher), fieldsOf(own.references.cipher)]
    const [count, other] = [sealed(victim.count), sealed(own.count)]
    const grant = sealed(victim.references.cipher.grant ?? victim.count)
    const [one, whole] = [
      [1, ...theirs.key, ...count],
      [0, 0],
    ]
    return calls.each('sealBackup', [
      [...mine.policy, ...grant, ...mine.vaultKey, ...one, ...whole],
      [...theirs.policy, ...grant, ...theirs.vaultKey, 1, ...theirs.key, ...other, ...whole],
      [...theirs.policy, ...grant, ...theirs.vaultKey, 1, ...mine.key, ...other, ...whole],
      [
        ...theirs.policy,
        ...grant,
        ...theirs.vaultKey,
        1,
        ...sealed(edited(victim.references.cipher.key)),
        ...count,
        ...whole,
      ],
      [...theirs.policy, ...grant, ...theirs.vaultKey, 0, ...whole],
      [...theirs.policy, ...grant, ...theirs.vaultKey, 2, ...theirs.key, ...count, ...theirs.key, ...count, ...whole],
      [
        ...theirs.policy,
        ...grant,
        ...theirs.vaultKey,
        65,
        ...Array.from({ length: 65 }, () => one.slice(1)).flat(),
        ...whole,
      ],
      // A whole backup is no part of one.
      [...theirs.policy, ...grant, ...theirs.vaultKey, ...one, 0, 1, victim.backup],
      [...theirs.policy, ...grant, ...theirs.vaultKey, ...one, 0, 625, ...Array.from({ length: 625 }, () => nothing)],
    ])
  },
  verifyBackup() {
    const [format = nothing, name = nothing, seal = nothing, content = nothing] = backupParts(victim)
    const [, , otherSeal = nothing] = backupParts(own)
    return calls.each('verifyBackup', [
      [encodeRecord([String(format), String(name), otherSeal, content])],
      [encodeRecord([String(format), 'backup-seal.v1', seal, content])],
      [victim.count.record],
    ])
  },
  restoreKey: () =>
    calls.each(
      'restoreKey',
      [own.cipher, victim.cipher]
        .map(({ key }) => [victim.backup, ...sealed(edited(sealedPolicy(key))), ...vaultKeyOf(own), 0])
        .concat([
          [victim.backup, ...sealed(sealedPolicy(own.cipher.key)), ...vaultKeyOf(own), 0],
          [victim.count.record, ...sealed(sealedPolicy(own.cipher.key)), ...vaultKeyOf(own), 0],
        ]),
    ),
}

/** The tombstone of his own vault, which was not committed. */
async function ownTombstone(): Promise<SealedRecord> {
  const capabilities = capabilitiesOf(['read', 'active', 'createVault'])
  const grant = await grantIn(appliance, own.vault.id, { capabilities })
  const answer = await calls.keeper('sealTombstone', [...sealed(own.vaultRecord), ...sealed(grant)])
  if ('fault' in answer) throw new Error(answer.detail)
  const [record = nothing, seal = nothing] = answer.fields
  return { record, seal }
}

/** A permit for the key of a vault that he makes. */
async function ownPermit(): Promise<SealedRecord> {
  const creator = newIdentity()
  const grant = sealedGrant(appliance.token, { user: creator, capabilities: capabilitiesOf(['createVault']) })
  const vault = await worker.sealNew(composeRecord('vault', { identity: nothing, creator }), { grant })
  const record = composeRecord('vault', { identity: vault.identity, creator })
  return worker.permitObject({ record, seal: vault.seal }, grant)
}

/** A resident key of the victim, with its policy before and after it was deleted. */
async function residentKey() {
  const path = `/transparent/${victim.vault.id}/keys/resident`
  const stored = async () => {
    const found = await findKey(appliance.store.read, Number(victim.vault.id), 'resident')
    if (found === undefined) throw new Error('there is no such key')
    return found
  }
  await victim.vault.admin.must('POST', path, { residency: 'token' })
  const { key, latest } = await stored()
  await victim.vault.admin.must('DELETE', path)
  return {
    resident: sealedVersion(key, latest),
    policy: sealedPolicy(key),
    deleted: sealedPolicy((await stored()).key),
  }
}

const fieldsOf = ({ key, policy, vaultKey }: KeyReference) => ({
  key: sealed(key),
  policy: policy ? sealed(policy) : none,
  vaultKey: vaultKey ? sealed(vaultKey) : none,
})
const vaultKeyOf = ({ references }: Spoils) => sealed(references.vaultKey.key)
function purposeOf({ cipher: { key } }: Spoils): Buffer {
  return versionPurpose({ identity: key.identity ?? nothing, vault: key.vault ?? nothing })
}

describe('a token host does no more for a worker than its row says', () => {
  for (const [name, attack] of Object.entries(attacks)) itRefuses(name, attack, open)
  it.each(tellsNothing)('%s', async (name) => {
    const answer = await calls.host(name, sealed(victim.references.cipher.key))
    const told = 'fields' in answer ? Buffer.concat(answer.fields) : nothing
    for (const secret of [readFileSync(appliance.token.pinFile, 'utf8').trim(), victim.cipher.latest.blob])
      expect(told.includes(secret)).toBe(false)
  })
})

it('every operation is attacked', () => {
  expect([...Object.keys(attacks), ...tellsNothing].toSorted()).toEqual([...operations].toSorted())
})
