import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { ecdsa } from './mechanisms.ts'
import { makeLimited } from './object-limits.ts'
import { keyPairRows } from './pair-kinds.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import { publicKeyOf, verifyingTemplate } from './public-keys.ts'
import { makeRoot, publicHalf, type RootMaking } from './root-makers.ts'
import { findRoot, roleOf, rootLabel, versionOf } from './root-objects.ts'
import { listObjects, type TokenObject } from './token-objects.ts'
import type { OpenToken } from './token-opening.ts'

/** The public half of one version of the audit key. */
export interface PublicAuditKey {
  readonly version: number
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
}

export function publicAuditKeys(session: Pkcs11Session, objects: readonly TokenObject[]): PublicAuditKey[] {
  return objects
    .filter(({ label, objectClass }) => roleOf(label) === 'audit' && objectClass === pkcs11.CKO_PUBLIC_KEY)
    .map(({ label, handle }) => ({
      version: versionOf(label),
      publicKey: publicKeyOf(session, handle, keyPairRows['ec-p256']),
    }))
}

/**
 * Makes the next version of the audit key in another token and copies the public halves of the earlier versions to it,
 * because backups identify the appliance by the first one. A private half never leaves its token.
 * @throws Fault `hsm.rejected` where the other token has different audit keys
 */
export function continueAuditKeys(token: OpenToken, making: RootMaking, audits: readonly PublicAuditKey[]): void {
  const objects = listObjects(token)
  const there = publicAuditKeys(token.session, objects)
  for (const one of audits) {
    const same = there.find(({ version }) => version === one.version)
    if (same === undefined) createPublicHalf(token.session, one)
    else if (!same.publicKey.equals(one.publicKey))
      throw new Fault('hsm.rejected', 'The other token has audit keys of its own: take a token without keys.')
  }
  const next = Math.max(...audits.map(({ version }) => version)) + 1
  if (findRoot(objects, rootLabel('audit', next), pkcs11.CKO_PRIVATE_KEY) === undefined) makeRoot('audit', next, making)
}

function createPublicHalf(session: Pkcs11Session, { version, publicKey }: PublicAuditKey): void {
  const lasting = publicHalf(rootLabel('audit', version))
  const own = new Set(lasting.map(({ type }) => type))
  const key = verifyingTemplate(keyPairRows['ec-p256'], publicKey).filter(({ type }) => !own.has(type))
  makeLimited([ecdsa], (limits) => session.create([...key, ...lasting, ...limits]))
}
