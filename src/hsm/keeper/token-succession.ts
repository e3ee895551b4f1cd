import { Fault } from '../../fault.ts'
import type { SignedEnd } from '../audit-end.ts'
import { type PublicAuditKey, publicAuditKeys } from '../pkcs11/audit-key-copy.ts'
import { ecdsa } from '../pkcs11/mechanisms.ts'
import { findRoot, roleOf, rootClass, rootLabel, versionOf } from '../pkcs11/root-objects.ts'
import { listObjects, type TokenObject } from '../pkcs11/token-objects.ts'
import { type TokenLocation, withToken } from '../pkcs11/token-opening.ts'
import { pointsIn } from './audit-ends.ts'
import { openKeeperState } from './keeper-state.ts'
import { composeSuccession, headsIn, successionsIn } from './signing-keys.ts'

export interface TokenSuccession {
  /** The keeper's file; the keeper must not run. */
  readonly state: string
  readonly from: TokenLocation
  readonly to: TokenLocation
  /** The last ends of chains that the keeper may not know. */
  readonly shown: readonly SignedEnd[]
  readonly now: () => number
}

/**
 * Has the trail go on under the newest audit key of another token: both keys sign, each in its token, where the one ends.
 * From then on the keeper signs with the other token alone. Nothing is done where it was done before.
 */
export function succeedInOtherToken({ state: path, from, to, shown, now }: TokenSuccession): void {
  const state = openKeeperState(path)
  try {
    const successions = successionsIn(state)
    const next = pairIn(to, (versions) => Math.max(...versions))
    if (successions.list().some(({ version }) => version === next.version)) return
    const last = successions.list().at(-1)?.version
    // Where no succession says another, the first that there is signs.
    const former = pairIn(from, (versions) => last ?? Math.min(...versions))
    const heads = new Map([...headsIn(former.publicKey, shown), ...pointsIn(state)])
    const keys = { from: former.publicKey, to: next.publicKey, at: now(), heads }
    successions.keep(next.version, composeSuccession(keys, former.sign, next.sign))
  } finally {
    state.close()
  }
}

/** Whether the keeper signs by a key that this token has not: it has moved to another one. */
export function hasMovedOn(path: string, from: TokenLocation): boolean {
  const state = openKeeperState(path)
  try {
    const last = successionsIn(state).list().at(-1)?.version
    return last !== undefined && !withToken(from, (token) => signingVersions(listObjects(token)).includes(last))
  } finally {
    state.close()
  }
}

/** Whether a token holds the pair of this public audit key, and not its public half alone. */
export function holdsPairOf(publicKey: Buffer, location: TokenLocation): boolean {
  return withToken(location, (token) => {
    const objects = listObjects(token)
    const versions = signingVersions(objects)
    const known = publicAuditKeys(token.session, objects)
    return known.some((one) => versions.includes(one.version) && one.publicKey.equals(publicKey))
  })
}

interface Pair extends PublicAuditKey {
  /** r ‖ s over a SHA-256 digest. */
  readonly sign: (digest: Buffer) => Buffer
}

const signingVersions = (objects: readonly TokenObject[]): number[] =>
  objects
    .filter(({ label, objectClass }) => roleOf(label) === 'audit' && objectClass === rootClass('audit'))
    .map(({ label }) => versionOf(label))

/** Of the versions that sign, the one that is chosen. */
function pairIn(location: TokenLocation, choose: (versions: readonly number[]) => number): Pair {
  return withToken(location, (token) => {
    const objects = listObjects(token)
    const version = choose(signingVersions(objects))
    const label = rootLabel('audit', version)
    const found = publicAuditKeys(token.session, objects).find((one) => one.version === version)
    if (found === undefined) throw new Fault('hsm.unavailable', `The token has no ${label}.`)
    return { ...found, sign: (digest) => signIn(location, label, digest) }
  })
}

function signIn(location: TokenLocation, label: string, digest: Buffer): Buffer {
  return withToken(location, (token) => {
    const key = findRoot(listObjects(token), label, rootClass('audit'))
    if (key === undefined) throw new Fault('hsm.unavailable', `The token has no ${label} that signs.`)
    return token.session.sign(ecdsa, key, digest, Buffer.alloc(64))
  })
}
