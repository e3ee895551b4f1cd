import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { permissionBits } from '../../src/access/permission.ts'
import { findKey } from '../../src/features/transparent/records.ts'
import { policyRecord, sealedPolicy } from '../../src/features/transparent/sealing.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import { encodeRecord } from '../../src/hsm/key-record.ts'
import { type KeeperOperation, keeperOperations } from '../../src/hsm/protocol/frame.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { serviceText } from '../../src/hsm/service-account.ts'
import type { FrameAnswer } from '../support/frame-caller.ts'
import { grantIn, grantRequest, newIdentity, sealedGrant, sealedPerson } from '../support/grant-kit.ts'
import {
  type Attack,
  createWorkerCalls,
  edited,
  type Fields,
  itRefuses,
  newVaultKey,
  nothing,
  planted,
  sealed,
} from '../support/recombination.ts'
import { spoilsOf, type Spoils } from '../support/worker-spoils.ts'

/**
 * The attacker runs code in a worker and uses the keeper's socket for workers. Each operation is tried with mixed
 * records of two users. An operation without a row here fails the test.
 */
const appliance = applianceForTests()
let victim: Spoils
let own: Spoils
let calls: ReturnType<typeof createWorkerCalls>

beforeAll(async () => {
  victim = await spoilsOf(appliance, {})
  own = await spoilsOf(appliance, { allow_export: true, allow_plaintext_export: true })
  calls = createWorkerCalls(appliance)
})

const none = [nothing, nothing]
function granted(vaultNumber: string): Promise<FrameAnswer> {
  const { token, session, user, applicationKey, membership } = grantRequest(appliance.token)
  const shown = [session, user, applicationKey, membership].flatMap((one) => (one === undefined ? none : sealed(one)))
  return calls.keeper('grant', [token, ...shown, vaultNumber])
}
const makesVaults = capabilitiesOf(['read', 'active', 'createVault'])

/** Known gaps, which are not refused yet. Once one is refused, its test fails until it is removed from this list. */
const open: ReadonlySet<string> = new Set()

const attacks: Record<Exclude<KeeperOperation, 'ping' | 'status' | 'lastAuditEnd' | 'auditKeys'>, Attack> = {
  async seal() {
    const theirs = victim.references.cipher
    const loose = policyRecord({ ...victim.cipher.key, allowExport: 1, allowPlaintextExport: 1 })
    const { kek, blob } = victim.cipher.latest
    const attempts: Fields[] = [
      [loose, ...sealed(sealedPolicy(victim.cipher.key)), nothing, ...none],
      [loose, ...sealed(sealedPolicy(own.cipher.key)), nothing, ...none],
      [loose, ...none, nothing, ...none],
      [planted(own, kek, blob), ...none, nothing, ...none],
      [planted(own, kek, blob), ...sealed(theirs.key), nothing, ...none],
      [own.count.record, ...sealed(victim.count), nothing, ...none],
      [own.count.record, own.count.record, victim.count.seal, nothing, ...none],
      [victim.job.record, ...sealed(own.job), nothing, ...none],
      [randomBytes(40), ...none, nothing, ...none],
      [victim.count.record, ...none, nothing, ...sealed(victim.count)],
    ]
    const answers: FrameAnswer[] = []
    for (const fields of attempts) answers.push(await calls.keeper('seal', [...fields, ...none]))
    return answers
  },
  sealNew: async () => [
    await calls.keeper('sealNew', [policyRecord(own.cipher.key), ...none, ...none]),
    await calls.keeper('sealNew', [planted(own, 'strict.v1', randomBytes(40)), ...none, ...none]),
    await calls.keeper('sealNew', [encodeRecord(['a type of my own', nothing]), ...none, ...none]),
  ],
  signAuditEnd: async () => [
    await calls.keeper('signAuditEnd', ['worker-1', 1, 'ab'.repeat(32), '{}', '', nothing]),
    await calls.keeper('signAuditEnd', ['worker-1', 1e9, 'ab'.repeat(32), '{}', 'a statement', randomBytes(64)]),
    await calls.keeper('signAuditEnd', ['../worker-1', 1, 'ab'.repeat(32), '{}', '', nothing]),
  ],
  succeedAuditKey: async () => [
    await calls.keeper('succeedAuditKey', [0]),
    await calls.keeper('succeedAuditKey', [1, 'a statement', randomBytes(64)]),
  ],
  grant: async () => [
    await calls.keeper('grant', ['a token', ...sealed(victim.count), ...none, ...none, ...none, 1]),
    await calls.keeper('grant', ['a token', ...sealed(sealedPolicy(own.cipher.key)), ...none, ...none, ...none, 1]),
    // A vault by what is no number.
    await granted('x'),
    await granted('1.5'),
    await granted('-3'),
    await granted('1e30'),
  ],
  endSessions: async () => [
    await calls.keeper('endSessions', [1, ...sealed(victim.count), nothing, nothing]),
    await calls.keeper('endSessions', [1, victim.count.record, own.count.seal, nothing, nothing]),
  ],
  rewrapVersion: async () => [
    await calls.keeper('rewrapVersion', sealed(victim.references.cipher.key)),
    await calls.keeper('rewrapVersion', sealed(edited(victim.references.cipher.key))),
  ],
  sealAnew: async () => [
    await calls.keeper('sealAnew', [1, ...sealed(victim.references.cipher.key)]),
    await calls.keeper('sealAnew', [1, ...sealed(edited(victim.count))]),
  ],
  sealFirstCount: async () => [
    await calls.keeper('sealFirstCount', [victim.count.record, ...none]),
    await calls.keeper('sealFirstCount', [victim.count.record, ...sealed(await grantIn(appliance, own.vault.id))]),
    await calls.keeper('sealFirstCount', [victim.references.cipher.key.record, ...none]),
    await calls.keeper('sealFirstCount', [victim.job.record, ...none]),
    await calls.keeper('sealFirstCount', [randomBytes(40), ...none]),
  ],
  // Only a key that is due gets it: worker-keys.test.ts.
  grantRotation: async () => {
    const { cipher, mac } = victim.references
    const [policy, count] = [sealed(sealedPolicy(victim.cipher.key)), sealed(victim.count)]
    return [
      await calls.keeper('grantRotation', [...policy, ...sealed(cipher.key), ...count]),
      await calls.keeper('grantRotation', [...policy, ...sealed(mac.key), ...count]),
      await calls.keeper('grantRotation', [...policy, ...sealed(cipher.key), ...sealed(own.count)]),
      await calls.keeper('grantRotation', [...policy, ...sealed(edited(cipher.key)), ...count]),
      await calls.keeper('grantRotation', [...sealed(cipher.key), ...policy, ...count]),
    ]
  },
  signImportJob: async () => [
    await calls.keeper('signImportJob', sealed(victim.count)),
    await calls.keeper('signImportJob', sealed(edited(victim.job))),
    await calls.keeper('signImportJob', [victim.job.record, own.job.seal]),
  ],
  signManifest: async () => [
    await calls.keeper('signManifest', ['ab'.repeat(32)]),
    await calls.keeper('signManifest', ['{}']),
  ],
  copyState: async () => [await calls.keeper('copyState', [])],
  raiseOtps: async () => [
    await calls.keeper('raiseOtps', [0]),
    await calls.keeper('raiseOtps', [1, ...sealed(victim.count), 1, 0]),
  ],
  async sealTombstone() {
    const grants = [
      none,
      sealed(await grantIn(appliance, own.vault.id, { capabilities: makesVaults })),
      sealed(await grantIn(appliance, victim.vault.id, { capabilities: makesVaults, permission: 2 })),
      sealed(await grantIn(appliance, victim.vault.id, { capabilities: makesVaults, expiresAt: Date.now() - 1 })),
    ]
    const admin = sealed(await grantIn(appliance, victim.vault.id))
    const theirs = [victim.vaultRecord, sealedPolicy(victim.cipher.key)]
    const others = [victim.references.vaultKey.key, victim.references.cipher.key, edited(victim.vaultRecord)]
    return calls.eachOfKeeper('sealTombstone', [
      ...theirs.flatMap((last) => grants.map((grant) => [...sealed(last), ...grant])),
      ...others.map((last) => [...sealed(last), ...admin]),
      [...sealed(victim.vaultRecord), ...admin],
      [...sealed(edited(sealedPolicy(victim.cipher.key))), ...admin],
    ])
  },
  async sealUnused() {
    const creator = newIdentity()
    const used = await newVaultKey(
      calls,
      creator,
      sealedGrant(appliance.token, { user: creator, capabilities: makesVaults }),
    )
    expect(await used.sealed()).toHaveProperty('fields')
    const theirs = Buffer.from(victim.vaultKeyId, 'hex')
    return [
      await used.discarded(theirs, nothing),
      await used.discarded(theirs),
      await used.discarded(),
      await used.discarded(used.blob, randomBytes(48)),
    ]
  },
  raise: async () => [
    await calls.keeper('raise', [1, victim.count.record, own.count.seal]),
    await calls.keeper('raise', [2, ...sealed(victim.count), ...sealed(edited(victim.count))]),
  ],
  // Records of others, altered ones, and ones of another type. For users who are not let in see worker-login.test.ts.
  login: async () => {
    const { totp, cipher } = victim.references
    const passkeyShown = (passkey: Fields, signCount = 0): Fields => [
      'AAAAAAAAAA',
      ...none,
      randomBytes(32),
      ...none,
      'passkey',
      ...passkey,
      signCount,
      '{}',
      randomBytes(37),
      randomBytes(70),
    ]
    const shown = ['AAAAAAAAAA', ...none, randomBytes(32), ...none, 'otp']
    return [
      await calls.keeper('login', [...none, ...shown, 0, randomBytes(16)]),
      await calls.keeper('login', [...none, ...shown, 1, ...sealed(totp.key), 0, 0, '123456']),
      await calls.keeper('login', [...sealed(cipher.key), ...shown, 0, '123456']),
      await calls.keeper('login', [...sealed(victim.count), ...shown, 0, '123456']),
      await calls.keeper('login', [
        ...none,
        'AAAAAAAAAA',
        ...sealed(victim.count),
        randomBytes(32),
        ...none,
        'otp',
        0,
        '123456',
      ]),
      await calls.keeper('login', [...none, 'AAAAAAAAAA', ...none, randomBytes(32), ...sealed(victim.count)]),
      await calls.keeper('login', [...none, 'AAAAAAAAAA', ...none, randomBytes(31), ...sealed(totp.key)]),
      await calls.keeper('login', [...none, ...passkeyShown(none)]),
      await calls.keeper('login', [...none, ...passkeyShown(sealed(totp.key))]),
      await calls.keeper('login', [...none, ...passkeyShown(none, -1)]),
    ]
  },
  // Records of another type, and altered ones. For accounts that are not let in see worker-services.test.ts.
  serviceLogin: async () => [
    await calls.keeper('serviceLogin', [...none, 'static', 'A'.repeat(43), nothing]),
    await calls.keeper('serviceLogin', [...none, 'jwt', 'a.b.c', nothing]),
    await calls.keeper('serviceLogin', [...none, 'none', nothing, nothing]),
    await calls.keeper('serviceLogin', [...sealed(victim.count), 'static', 'A'.repeat(43), nothing]),
    await calls.keeper('serviceLogin', [...sealed(edited(victim.count)), 'certificate', randomBytes(400), nothing]),
    await calls.keeper('serviceLogin', [...sealed(victim.references.cipher.key), 'none', nothing, nothing]),
    await calls.keeper('serviceLogin', [madeUpService(), randomBytes(32), 'static', 'A'.repeat(43), nothing]),
  ],
  // For calls with the grant of a session see worker-fresh-grants.test.ts.
  async freshGrant() {
    const { totp } = victim.references
    const grant = sealed(sealedGrant(appliance.token))
    const person = sealed(sealedPerson(appliance.token))
    const shown = ['otp', 1, ...sealed(totp.key), 0, 0, '123456']
    return [
      await calls.keeper('freshGrant', [...none, ...person, ...shown]),
      await calls.keeper('freshGrant', [...grant, ...person, ...shown]),
      await calls.keeper('freshGrant', [...grant, ...sealed(victim.count), ...shown]),
      await calls.keeper('freshGrant', [...sealed(victim.count), ...person, ...shown]),
      await calls.keeper('freshGrant', [
        ...grant,
        ...sealed(edited(sealedPerson(appliance.token))),
        'otp',
        0,
        '123456',
      ]),
    ]
  },
  // Without a grant anyone may have its result. With something that is no grant it gives nothing.
  passkeyChallenge: async () => [
    await calls.keeper('passkeyChallenge', sealed(edited(sealedGrant(appliance.token)))),
    await calls.keeper('passkeyChallenge', sealed(sealedGrant(appliance.token, { expiresAt: Date.now() - 1 }))),
    await calls.keeper('passkeyChallenge', sealed(victim.count)),
  ],
  // That they tell nothing when they are asked too often is tested in worker-login.test.ts.
  checkOtp: () => shownOtps('checkOtp'),
  useOtp: () => shownOtps('useOtp'),
  // For an existing client of the validator see worker-validation.test.ts.
  async acceptOtp() {
    const { device, totp, cipher } = victim.references
    const [block, text] = [randomBytes(16), 'otp=x&status=OK&t=2026-01-01']
    const answers: FrameAnswer[] = []
    const shown = [...sealed(device.key), 0, 0, ...sealed(sealedPerson(appliance.token)), block, text]
    for (const key of [device.key, cipher.key, edited(totp.key), victim.count])
      answers.push(await calls.keeper('acceptOtp', [...sealed(key), ...shown]))
    return answers
  },
  resynchroniseOtp: async () => [
    await calls.keeper('resynchroniseOtp', [...sealed(victim.references.totp.key), 0, 0, '123456', '123456']),
    await calls.keeper('resynchroniseOtp', [...sealed(victim.references.cipher.key), 0, 0, '123456', '123456']),
    await calls.keeper('resynchroniseOtp', [...sealed(edited(victim.references.totp.key)), 0, 0, '123456', '123456']),
  ],
  newPassphraseCheck: async () => [
    await calls.keeper('newPassphraseCheck', [Buffer.from(`passphrase\0${'A'.repeat(32)}`)]),
    await calls.keeper('newPassphraseCheck', [nothing]),
  ],
  matchesPassphrase: async () => [
    await calls.keeper('matchesPassphrase', [randomBytes(31), randomBytes(32)]),
    await calls.keeper('matchesPassphrase', [randomBytes(48), randomBytes(64)]),
  ],
  applicationKeyCheck: async () => [await calls.keeper('applicationKeyCheck', [Buffer.alloc(10_000)])],
  seedCheck: async () => [
    await calls.keeper('seedCheck', ['totp', 'otp-hmac-sha1', 30, randomBytes(6)]),
    await calls.keeper('seedCheck', ['passphrase', 'otp-hmac-sha1', 30, randomBytes(32)]),
    await calls.keeper('seedCheck', ['totp', 'passphrase', 30, randomBytes(32)]),
  ],
  privateIdCheck: async () => [await calls.keeper('privateIdCheck', [randomBytes(32)])],
  sessionTokenSuccessor: async () => [
    await calls.keeper('sessionTokenSuccessor', ['passphrase\0'.padEnd(42, 'A')]),
    await calls.keeper('sessionTokenSuccessor', ['A'.repeat(41)]),
  ],
  sealEarlier: async () => [
    await calls.keeper('sealEarlier', [madeUpUser()]),
    await calls.keeper('sealEarlier', [victim.count.record]),
  ],
  takeOverVaultKey: async () => [
    await calls.keeper('takeOverVaultKey', [...sealed(victim.references.cipher.key), ...sealed(victim.count)]),
  ],
  takeOverKey: async () => [
    await calls.keeper('takeOverKey', [...sealed(sealedPolicy(victim.cipher.key)), ...none, ...none, 0]),
    await calls.keeper('takeOverKey', [...none, ...none, ...none, 0]),
  ],
  endTakeover: async () => [await calls.keeper('endTakeover', [])],
  floorNews: async () => [
    await calls.keeper('floorNews', ['{']),
    await calls.keeper('floorNews', [JSON.stringify({ 'another name': 1 })]),
    await calls.keeper('floorNews', [JSON.stringify({ ['ab'.repeat(16)]: '1' })]),
  ],
  // An attempt to raise a floor above all records: a batch of a machine that does not exist.
  takeFloors: async () => [
    await calls.keeper('takeFloors', [1, ...sealed(victim.count)]),
    await calls.keeper('takeFloors', [1, ownNews(), victim.count.seal]),
    await calls.keeper('seal', [ownNews(), ...none, nothing, ...none, ...none]),
    await calls.keeper('sealNew', [ownNews(), ...none, ...none]),
  ],
  acceptRestored: async () => [await calls.keeper('acceptRestored', [])],
  restoredShown: async () => [await calls.keeper('restoredShown', [])],
  knownSubjects: async () => [await calls.keeper('knownSubjects', [nothing, nothing])],
  noteRoots: async () => [await calls.keeper('noteRoots', [1, 'strongroom.kek.strict.v9'])],
  async permitObject() {
    const [theirs, resident] = [victim.vaultRecord, await residentPolicy()]
    const grants = [
      none,
      sealed(await grantIn(appliance, victim.vault.id, { permission: permissionBits.Read })),
      sealed(await grantIn(appliance, own.vault.id, { capabilities: makesVaults })),
      sealed(await grantIn(appliance, victim.vault.id, { expiresAt: Date.now() - 1 })),
    ]
    const admin = sealed(await grantIn(appliance, victim.vault.id, { capabilities: makesVaults }))
    const others = [edited(resident), sealedPolicy(victim.cipher.key), victim.references.vaultKey.key, theirs]
    return calls.eachOfKeeper('permitObject', [
      ...[theirs, resident].flatMap((holder) => grants.map((grant) => [...sealed(holder), ...grant])),
      ...others.map((holder) => [...sealed(holder), ...admin]),
    ])
  },
  checkVaultNumber: async () => [await calls.keeper('checkVaultNumber', [1, Buffer.alloc(16)])],
}

/** The policy of a victim's key with residency `token`. */
async function residentPolicy(): Promise<SealedRecord> {
  await victim.vault.admin.must('POST', `/transparent/${victim.vault.id}/keys/resident`, { residency: 'token' })
  const found = await findKey(appliance.store.read, Number(victim.vault.id), 'resident')
  if (found === undefined) throw new Error('there is no such key')
  return sealedPolicy(found.key)
}

/** Devices without a holder, in an impossible state, and too many of them; and input that is no one-time password. */
async function shownOtps(operation: 'checkOtp' | 'useOtp'): Promise<FrameAnswer[]> {
  const { totp, device, cipher, mac } = victim.references
  const attempts: Fields[] = [
    ...[edited(totp.key), cipher.key, mac.key, device.key, victim.count].map((one) => [
      1,
      ...sealed(one),
      0,
      0,
      '123456',
    ]),
    [1, ...sealed(edited(device.key)), 0, 0, randomBytes(16)],
    [1, ...sealed(totp.key), 0, 0, randomBytes(16)],
    [1, ...sealed(totp.key), -1, 0, '123456'],
    [1, ...sealed(totp.key), 'x', 0, '123456'],
    [1, ...sealed(totp.key), 0, 'x', '123456'],
    [1, ...sealed(totp.key), 0, 0, '12345'],
    [1, ...sealed(totp.key), 0, 0, randomBytes(8)],
    [17, ...sealed(totp.key), 0, 0, '123456'],
    [-1, '123456'],
  ]
  const answers: FrameAnswer[] = []
  const noHolder = operation === 'checkOtp' ? none : []
  for (const fields of attempts) answers.push(await calls.keeper(operation, [...fields, ...noHolder]))
  // A record of another type is not the holder of a device.
  if (operation === 'checkOtp')
    answers.push(await calls.keeper(operation, [1, ...sealed(totp.key), 0, 0, '123456', ...sealed(victim.count)]))
  return answers
}

describe('the keeper does no more for a worker than its row says', () => {
  for (const [name, attack] of Object.entries(attacks)) itRefuses(name, attack, open)
  it('auditKeys', async () => {
    expect(await calls.keeper('auditKeys', ['worker-1'])).toEqual({ fields: [await appliance.hsm.auditPublicKey()] })
  })
  it('lastAuditEnd', async () => {
    expect(await calls.keeper('lastAuditEnd', ['a chain of my own'])).toEqual({ fields: [nothing, nothing] })
  })
})

const ownNews = (): Buffer =>
  composeRecord('floor news', {
    machine: 'ab'.repeat(16),
    name: 'mine',
    number: 1,
    previous: '',
    base: 1,
    epoch: 0,
    at: 1,
    entries: JSON.stringify([['floor', Buffer.from('a subject').toString('base64'), 2 ** 40]]),
  })

function madeUpUser(): Buffer {
  const passphrase = { passphraseSalt: randomBytes(16), passphraseCheck: randomBytes(32), passphraseCost: 'm=8192,t=1' }
  const capabilities = capabilitiesOf(['active', 'admin'])
  const times = { passphraseChangedAt: 1, factors: nothing, recoveries: 0, madeBy: null, generation: 1 }
  return composeRecord('user', {
    identity: nothing,
    id: 1e6,
    username: 'mallory',
    capabilities,
    ...passphrase,
    ...times,
  })
}

function madeUpService(): Buffer {
  const account = { owner: 'ab'.repeat(16), ownerRecoveries: 0, addresses: [], expiresAt: null, credentials: [] }
  const row = { id: 1e6, username: 'mallory', capabilities: capabilitiesOf(['active']), recoveries: 0, generation: 1 }
  return composeRecord('service account', { identity: nothing, ...row, account: serviceText(account) })
}
itRefuses(
  'a service account that no administrator made',
  async () => [await calls.keeper('sealNew', [madeUpService(), ...none, ...none])],
  open,
)
itRefuses(
  'an administrator whom nobody made',
  async () => [await calls.keeper('sealNew', [madeUpUser(), ...none, ...none])],
  open,
)

function madeUpLink(change: object = {}): Buffer {
  const times = { createdAt: Date.now(), expiresAt: Date.now() + 60_000, closedAt: null }
  const link = { creator: randomBytes(16), opener: randomBytes(32), digest: randomBytes(32), state: 'waiting' }
  return composeRecord('one-time link', { identity: nothing, ...link, ...times, generation: 1, ...change })
}
itRefuses(
  'a one-time link of a user who did not make it, without an end, or opened before it was made',
  async () => {
    const creator = newIdentity()
    const grant = sealed(sealedGrant(appliance.token, { user: creator, capabilities: makesVaults }))
    const made = (change: object) => calls.keeper('sealNew', [madeUpLink({ creator, ...change }), ...grant, ...none])
    expect(await made({})).toHaveProperty('fields')
    return [
      await calls.keeper('sealNew', [madeUpLink(), ...none, ...none]),
      await calls.keeper('sealNew', [madeUpLink(), ...grant, ...none]),
      await made({ expiresAt: Date.now() + 1e11 }),
      await made({ createdAt: 1 }),
      await made({ state: 'opened', closedAt: Date.now() }),
      await made({ state: 'for ever' }),
      await made({ generation: 2 }),
    ]
  },
  open,
)

/** Tries to get records of a session of the victim with a token that the worker knows. */
async function madeSession(): Promise<FrameAnswer[]> {
  const [user, applicationKey] = [randomBytes(16), randomBytes(16)]
  const times = { recoveries: 0, certificate: null, createdAt: Date.now(), expiresAt: Date.now() + 60_000 }
  const record = composeRecord('session', { identity: nothing, tokenHash: 'mine', user, applicationKey, ...times })
  return [await calls.keeper('sealNew', [record, ...none, ...none])]
}
itRefuses('a session that no login made', madeSession, open)

it('every operation is attacked', () => {
  const named = [...Object.keys(attacks), 'ping', 'status', 'lastAuditEnd', 'auditKeys']
  expect(named.toSorted()).toEqual([...keeperOperations].toSorted())
})
