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
import { type RootRole, rootId, rootLabel, rootMechanisms } from './root-objects.ts'
import { lastingTemplate, locked, noticeChanges, trustedWrapsOnly } from './token-objects.ts'

/** The tools and options for making root objects. */
export interface RootMaking {
  readonly session: Pkcs11Session
  readonly mechanisms: ReadonlySet<number>
  readonly helper: CeremonyHelper
  /** Whether new keys may leave the token wrapped by a CKA_TRUSTED key (`hsm.movable`), as backup keys always may. */
  readonly movable: boolean
  /** Features that the token refused and the consequences, in sentences. */
  readonly warnings: Set<string>
}

/** Makes a version of a root object that does not exist yet. */
export function makeRoot(role: RootRole, version: number, making: RootMaking): void {
  makers[role]({ ...making, role, label: rootLabel(role, version) })
}

/** A wrapped key from another token, and the RSA key of the ceremony that unwraps it. */
export interface ReceivedKey {
  readonly key: KeyHandle
  /** CKA_ID of `key`. */
  readonly id: Buffer
  readonly blob: Buffer
}

/** Receives a version of a root key from another token, with the attributes that this token would give it. */
export function receiveRoot(
  role: Exclude<RootRole, 'audit'>,
  version: number,
  making: RootMaking,
  { key, id, blob }: ReceivedKey,
): void {
  const maker = { ...making, role, label: rootLabel(role, version) }
  if (role === 'kek.backup' || role === 'kek.strict') {
    const kind = role === 'kek.backup' || making.movable ? 'backup' : 'strict'
    const taken = making.helper.receive(kind, maker.label, id, blob)
    noticeChanges(making.session)
    if (taken !== 'refused') return
    throw new Fault('hsm.unsupported', consequences[kind])
  }
  const { template } = role.startsWith('kek.') ? kek : hmacKey
  const leaves = making.movable || role === 'kek.backup-exportable' || role === 'backup-seal'
  const form = template.filter(({ type }) => type !== pkcs11.CKA_VALUE_LEN)
  limited(maker, (limits) =>
    unwrapLasting(making.session, { key, blob }, [
      ...form,
      ...lastingTemplate(maker.label, rootId(maker.label), leaves ? trustedWrapsOnly : locked),
      ...limits,
    ]),
  )
}

/**
 * Unwraps a lasting key. CKA_MODIFIABLE comes last, because SoftHSM2 then accepts no further attribute when it unwraps.
 */
export function unwrapLasting(
  session: Pkcs11Session,
  { key, blob }: Pick<ReceivedKey, 'key' | 'blob'>,
  template: Template,
): KeyHandle {
  return session.unwrap(oaep, key, blob, [...template.filter((one) => !isLast(one)), ...template.filter(isLast)])
}

const isLast = ({ type }: Template[number]): boolean => type === pkcs11.CKA_MODIFIABLE

interface Maker extends RootMaking {
  readonly role: RootRole
  readonly label: string
}

const makers: Readonly<Record<RootRole, (maker: Maker) => void>> = {
  'kek.strict': makeStrict,
  'kek.exportable': (maker) => makeRootSecret(maker, kek),
  'kek.backup': (maker) => makeTemplated(maker, 'backup'),
  'kek.backup-exportable': (maker) => makeShareable(maker, kek),
  'backup-seal': (maker) => makeShareable(maker, hmacKey),
  seal: (maker) => makeRootSecret(maker, hmacKey),
  pepper: (maker) => makeRootSecret(maker, hmacKey),
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

const consequences: Readonly<Record<TemplatedKind, string>> = {
  strict:
    'This token takes no unwrap template: anyone who has the PIN could unwrap keys from under the strict KEK readable.',
  backup:
    'This token takes no unwrap template for a key that only trusted keys wrap: anyone who has the PIN could unwrap keys that allow backup readable, and backup keys cannot be shared.',
}

/** A strict KEK that may move has the form of the backup KEK, with the same unwrap template. */
function makeStrict(maker: Maker): void {
  if (!maker.movable || isRefused(maker, 'backup')) makeTemplated(maker, 'strict')
}

function makeRootSecret(maker: Maker, form: SecretForm): void {
  if (maker.movable) makeShareable(maker, form)
  else makeSecret(maker, form, locked)
}

function makeTemplated(maker: Maker, kind: TemplatedKind): void {
  if (!isRefused(maker, kind)) return
  maker.warnings.add(consequences[kind])
  makeSecret(maker, kek, locked)
}

function isRefused(maker: Maker, kind: TemplatedKind): boolean {
  const taken = maker.helper.make(kind, maker.label)
  noticeChanges(maker.session)
  if (taken === 'unlimited') maker.warnings.add(unlimited)
  return taken === 'refused'
}

function makeShareable(maker: Maker, form: SecretForm): void {
  try {
    makeSecret(maker, form, trustedWrapsOnly)
  } catch (error) {
    if (!(error instanceof TokenFailure) || error.remedy === 'fatal') throw error
    makeSecret(maker, form, locked)
    maker.warnings.add(
      'This token has no key that only trusted keys wrap: backup keys cannot be shared, and no key can be moved.',
    )
  }
}

function makeSecret(maker: Maker, { mechanism, template }: SecretForm, more: Template): void {
  limited(maker, (limits) =>
    maker.session.generate(mechanism, [
      ...template,
      ...lastingTemplate(maker.label, rootId(maker.label), more),
      ...limits,
    ]),
  )
}

function limited<T>({ role, mechanisms, warnings }: Maker, make: (limits: Template) => T): T {
  return makeLimited(rootMechanisms(role, mechanisms), make, () => void warnings.add(unlimited))
}

const unlimited =
  'This token does not limit keys to their mechanisms, or does not forbid copies of them: anyone who has the PIN can use and copy them in ways that Strongroom does not.'

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

/** The template of the public half of an audit pair. The token adds the point. */
export function publicHalf(label: string): Template {
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
