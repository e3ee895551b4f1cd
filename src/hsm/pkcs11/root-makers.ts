import pkcs11, { type Mechanism, type Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { CeremonyHelper, TemplatedKind } from './ceremony-helper.ts'
import { TokenFailure } from './failure.ts'
import { signOnly, wrapOnly } from './key-kinds.ts'
import { privateUsage, usageAttributes } from './key-templates.ts'
import { aesKeyGen, ecKeyPairGen, oaep, secretKeyGen } from './mechanisms.ts'
import { makeLimited } from './object-limits.ts'
import { p256 } from './pair-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { type backupRoles, type RootRole, rootId, rootLabel, rootMechanisms } from './root-objects.ts'
import { lastingTemplate, noticeChanges } from './token-objects.ts'

/** What the makers of root objects work with. */
export interface RootMaking {
  readonly session: Pkcs11Session
  readonly mechanisms: ReadonlySet<number>
  readonly helper: CeremonyHelper
  /** What the token refused and what that means, in sentences. */
  readonly warnings: Set<string>
}

/** Makes this version of a root object, which must not be there. */
export function makeRoot(role: RootRole, version: number, making: RootMaking): void {
  makers[role]({ ...making, role, label: rootLabel(role, version) })
}

/** A key of a package, and the RSA key of the ceremony that unwraps it. */
export interface ReceivedKey {
  readonly key: KeyHandle
  /** CKA_ID of `key`. */
  readonly id: Buffer
  readonly blob: Buffer
}

/** Takes this version in from another appliance, as this one would have made it. */
export function receiveRoot(
  role: (typeof backupRoles)[number],
  version: number,
  making: RootMaking,
  { key, id, blob }: ReceivedKey,
): void {
  const maker = { ...making, role, label: rootLabel(role, version) }
  if (role === 'kek.backup') {
    const taken = making.helper.receive('backup', maker.label, id, blob)
    noticeChanges(making.session)
    if (taken !== 'refused') return
    throw new Fault('hsm.unsupported', consequences.backup)
  }
  const { template } = role === 'backup-seal' ? hmacKey : kek
  const form = template.filter(({ type }) => type !== pkcs11.CKA_VALUE_LEN)
  limited(maker, (limits) => {
    const whole = [...form, ...lasting(maker, trustedWrapsOnly), ...limits]
    // SoftHSM2 takes no attribute after CKA_MODIFIABLE where a key is unwrapped.
    const ordered = [...whole.filter((one) => !isLast(one)), ...whole.filter(isLast)]
    return making.session.unwrap(oaep, key, blob, ordered)
  })
}

const isLast = ({ type }: Template[number]): boolean => type === pkcs11.CKA_MODIFIABLE

interface Maker extends RootMaking {
  readonly role: RootRole
  readonly label: string
}

const makers: Readonly<Record<RootRole, (maker: Maker) => void>> = {
  'kek.strict': (maker) => makeTemplated(maker, 'strict'),
  'kek.exportable': (maker) => makeSecret(maker, kek, locked),
  'kek.backup': (maker) => makeTemplated(maker, 'backup'),
  'kek.backup-exportable': (maker) => makeShareable(maker, kek),
  'backup-seal': (maker) => makeShareable(maker, hmacKey),
  seal: (maker) => makeSecret(maker, hmacKey, locked),
  pepper: (maker) => makeSecret(maker, hmacKey, locked),
  audit: makeAuditPair,
}

interface SecretForm {
  readonly mechanism: Mechanism
  readonly template: Template
}

const kek: SecretForm = {
  mechanism: aesKeyGen,
  template: [...secret(pkcs11.CKK_AES), ...usageAttributes(wrapOnly)],
}

const hmacKey: SecretForm = {
  mechanism: secretKeyGen,
  template: [...secret(pkcs11.CKK_GENERIC_SECRET), ...usageAttributes(signOnly)],
}

const locked: Template = []

/** What appliances share leaves the token wrapped by a CKA_TRUSTED key alone, which the SO alone can make. */
const trustedWrapsOnly: Template = [
  { type: pkcs11.CKA_EXTRACTABLE, value: true },
  { type: pkcs11.CKA_WRAP_WITH_TRUSTED, value: true },
]

const consequences: Readonly<Record<TemplatedKind, string>> = {
  strict:
    'This token takes no unwrap template: whoever holds the PIN could unwrap keys from under the strict KEK readable.',
  backup:
    'This token takes no unwrap template for a key that trusted keys alone wrap: whoever holds the PIN could unwrap keys that allow backup readable, and backup keys cannot be shared.',
}

function makeTemplated(maker: Maker, kind: TemplatedKind): void {
  const taken = maker.helper.make(kind, maker.label)
  noticeChanges(maker.session)
  if (taken === 'unlimited') maker.warnings.add(unlimited)
  if (taken !== 'refused') return
  maker.warnings.add(consequences[kind])
  makeSecret(maker, kek, locked)
}

function makeShareable(maker: Maker, form: SecretForm): void {
  try {
    makeSecret(maker, form, trustedWrapsOnly)
  } catch (error) {
    if (!(error instanceof TokenFailure) || error.remedy === 'fatal') throw error
    makeSecret(maker, form, locked)
    maker.warnings.add('This token has no key that trusted keys alone wrap: backup keys cannot be shared.')
  }
}

function makeSecret(maker: Maker, { mechanism, template }: SecretForm, more: Template): void {
  limited(maker, (limits) => maker.session.generate(mechanism, [...template, ...lasting(maker, more), ...limits]))
}

function lasting({ label }: Maker, more: Template): Template {
  const replaced = new Set(more.map(({ type }) => type))
  return [...lastingTemplate(label, rootId(label)).filter(({ type }) => !replaced.has(type)), ...more]
}

function limited<T>({ role, mechanisms, warnings }: Maker, make: (limits: Template) => T): T {
  return makeLimited(rootMechanisms(role, mechanisms), make, () => void warnings.add(unlimited))
}

const unlimited =
  'This token does not limit keys to their mechanisms, or does not forbid copies of them: whoever holds the PIN can use and copy them in ways that Strongroom does not.'

function secret(keyType: number): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: keyType },
    { type: pkcs11.CKA_VALUE_LEN, value: 32 },
  ]
}

function makeAuditPair(maker: Maker): void {
  const publicKey = [{ type: pkcs11.CKA_EC_PARAMS, value: p256 }, ...publicHalf(maker.label)]
  const privateKey = [
    ...lastingTemplate(maker.label, rootId(maker.label)),
    ...privateUsage({ decrypt: false, sign: true, unwrap: false }),
  ]
  limited(maker, (limits) =>
    maker.session.generatePair(ecKeyPairGen, [...publicKey, ...limits], [...privateKey, ...limits]),
  )
}

function publicHalf(label: string): Template {
  return [
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_PRIVATE, value: false },
    { type: pkcs11.CKA_MODIFIABLE, value: false },
    { type: pkcs11.CKA_LABEL, value: label },
    { type: pkcs11.CKA_ID, value: rootId(label) },
    { type: pkcs11.CKA_VERIFY, value: true },
    { type: pkcs11.CKA_ENCRYPT, value: false },
    { type: pkcs11.CKA_WRAP, value: false },
  ]
}
