import { spawnSync } from 'node:child_process'
import pkcs11, { type Mechanism, type Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { withDirectorySync } from './directory-sync.ts'
import { signOnly, wrapOnly } from './key-kinds.ts'
import { privateUsage, usageAttributes } from './key-templates.ts'
import { aesKeyGen, ecKeyPairGen, paddedWrap, rsaKeyPairGen, secretKeyGen } from './mechanisms.ts'
import { makeLimited } from './object-limits.ts'
import { p256 } from './pair-kinds.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import { findRoot, roleOf, rootId, rootMechanisms } from './root-objects.ts'
import { lastingTemplate, listObjects } from './token-objects.ts'
import { type OpenToken, type TokenLocation, withToken } from './token-opening.ts'

export interface RootCreationOptions extends TokenLocation {
  /** The folder of a software token (`hsm.tokenDirectory`). */
  readonly tokenDirectory?: string | undefined
  /** Path of the ceremony helper that `softhsm/build-ceremony` compiles. */
  readonly ceremony: string
}

export interface RootCreation {
  readonly token: { readonly label: string; readonly serial: string }
  /** Labels in the order of making. */
  readonly created: readonly string[]
  readonly present: readonly string[]
  /** What the token refused and what that means, in sentences; empty for SoftHSM2. */
  readonly warnings: readonly string[]
}

/**
 * Makes the root objects that the token lacks and touches none that is there. Loads the module into this process and
 * ends its session; run it while no token host makes objects. Throws `hsm.unavailable` when the token cannot be reached
 * or fails, with the PIN refused as TokenFailure (`fatal`), and `hsm.unsupported` when the ceremony helper has not been
 * built.
 */
export function createRootObjects(options: RootCreationOptions): RootCreation {
  return withToken(options, (token) => withDirectorySync(options.tokenDirectory, () => createMissing(token, options)))
}

interface Ceremony {
  readonly session: Pkcs11Session
  readonly info: OpenToken['info']
  readonly mechanisms: ReadonlySet<number>
  readonly options: RootCreationOptions
  readonly warnings: string[]
}

type Maker = (label: string, ceremony: Ceremony) => void

const makers: readonly (readonly [label: string, objectClass: number, make: Maker])[] = [
  ['strongroom.kek.strict.v1', pkcs11.CKO_SECRET_KEY, makeStrictKek],
  ['strongroom.kek.exportable.v1', pkcs11.CKO_SECRET_KEY, makeKek],
  // Never extractable: backups under version 1 are restorable on this token and its copies. Versions that appliances
  // share are made by `createSharedBackupKeys`.
  ['strongroom.kek.backup.v1', pkcs11.CKO_SECRET_KEY, makeKek],
  ['strongroom.backup-seal.v1', pkcs11.CKO_SECRET_KEY, makeHmacKey],
  ['strongroom.seal.v1', pkcs11.CKO_SECRET_KEY, makeHmacKey],
  ['strongroom.pepper.v1', pkcs11.CKO_SECRET_KEY, makeHmacKey],
  ['strongroom.audit.v1', pkcs11.CKO_PRIVATE_KEY, makeAuditPair],
  ['strongroom.transport.v1', pkcs11.CKO_PRIVATE_KEY, makeTransportPair],
]

function createMissing(token: OpenToken, options: RootCreationOptions): RootCreation {
  const { session, info, mechanisms } = token
  const objects = listObjects(token)
  const created: string[] = []
  const present: string[] = []
  const warnings: string[] = []
  for (const [label, objectClass, make] of makers) {
    if (findRoot(objects, label, objectClass) !== undefined) present.push(label)
    else {
      make(label, { session, info, mechanisms, options, warnings })
      created.push(label)
    }
  }
  return { token: { label: info.label, serial: info.serialNumber }, created, present, warnings }
}

const tokenRefuses = 3
const madeUnlimited = 4

/** Nested templates are beyond pkcs11js; so a helper of its own, which logs in by itself, makes the strict KEK. */
function makeStrictKek(label: string, ceremony: Ceremony): void {
  const { label: tokenLabel, serialNumber } = ceremony.info
  const { module, ceremony: helper, readPin } = ceremony.options
  const padded = String(paddedWrap(ceremony.mechanisms)?.mechanism ?? 0)
  const done = spawnSync(helper, [module, tokenLabel, serialNumber, label, rootId(label).toString('hex'), padded], {
    input: readPin(),
    encoding: 'utf8',
  })
  if (done.error !== undefined) {
    throw new Fault(
      'hsm.unsupported',
      `The ceremony helper ${helper} does not run: build it with softhsm/build-ceremony.`,
      { cause: done.error },
    )
  }
  if (done.status === madeUnlimited) warnUnlimited(ceremony)
  if (done.status === 0 || done.status === madeUnlimited) return
  if (done.status !== tokenRefuses)
    throw new Fault('hsm.unavailable', `The strict KEK could not be made: ${done.stderr.trim()}`)
  makeKek(label, ceremony)
  ceremony.warnings.push(
    'This token takes no unwrap template: whoever holds the PIN could unwrap keys from under the strict KEK readable.',
  )
}

function makeKek(label: string, ceremony: Ceremony): void {
  makeSecret(label, ceremony, aesKeyGen, [...secret(pkcs11.CKK_AES), ...usageAttributes(wrapOnly)])
}

function makeHmacKey(label: string, ceremony: Ceremony): void {
  makeSecret(label, ceremony, secretKeyGen, [...secret(pkcs11.CKK_GENERIC_SECRET), ...usageAttributes(signOnly)])
}

function makeSecret(label: string, ceremony: Ceremony, mechanism: Mechanism, template: Template): void {
  limited(label, ceremony, (limits) =>
    ceremony.session.generate(mechanism, [...template, ...lastingTemplate(label, rootId(label)), ...limits]),
  )
}

function limited<T>(label: string, ceremony: Ceremony, make: (limits: Template) => T): T {
  const role = roleOf(label)
  const mechanisms = role === undefined ? [] : rootMechanisms(role, ceremony.mechanisms)
  return makeLimited(mechanisms, make, () => warnUnlimited(ceremony))
}

const unlimited =
  'This token does not limit keys to their mechanisms, or does not forbid copies of them: whoever holds the PIN can use and copy them in ways that Strongroom does not.'

function warnUnlimited({ warnings }: Ceremony): void {
  if (!warnings.includes(unlimited)) warnings.push(unlimited)
}

function secret(keyType: number): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: keyType },
    { type: pkcs11.CKA_VALUE_LEN, value: 32 },
  ]
}

function makeAuditPair(label: string, ceremony: Ceremony): void {
  const publicKey = [
    { type: pkcs11.CKA_EC_PARAMS, value: p256 },
    ...publicHalf(label, { verify: true, encrypt: false }),
  ]
  makePair(label, ceremony, ecKeyPairGen, publicKey, privateUsage({ decrypt: false, sign: true, unwrap: false }))
}

function makeTransportPair(label: string, ceremony: Ceremony): void {
  const publicKey = [
    { type: pkcs11.CKA_MODULUS_BITS, value: 3072 },
    { type: pkcs11.CKA_PUBLIC_EXPONENT, value: Buffer.from('010001', 'hex') },
    ...publicHalf(label, { verify: false, encrypt: true }),
  ]
  makePair(label, ceremony, rsaKeyPairGen, publicKey, privateUsage({ decrypt: false, sign: false, unwrap: true }))
}

function makePair(label: string, ceremony: Ceremony, mechanism: Mechanism, publicKey: Template, usage: Template): void {
  limited(label, ceremony, (limits) =>
    ceremony.session.generatePair(
      mechanism,
      [...publicKey, ...limits],
      [...lastingTemplate(label, rootId(label)), ...usage, ...limits],
    ),
  )
}

function publicHalf(label: string, usage: { verify: boolean; encrypt: boolean }): Template {
  return [
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_PRIVATE, value: false },
    { type: pkcs11.CKA_MODIFIABLE, value: false },
    { type: pkcs11.CKA_LABEL, value: label },
    { type: pkcs11.CKA_ID, value: rootId(label) },
    { type: pkcs11.CKA_VERIFY, value: usage.verify },
    { type: pkcs11.CKA_ENCRYPT, value: usage.encrypt },
    { type: pkcs11.CKA_WRAP, value: usage.encrypt },
  ]
}
