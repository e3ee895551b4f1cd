import { Fault } from '../../fault.ts'
import type { SignedEnd } from '../audit-end.ts'
import { type PublicAuditKey, publicAuditKeys } from '../pkcs11/audit-key-copy.ts'
import { ecdsa } from '../pkcs11/mechanisms.ts'
import { findRoot, roleOf, rootClass, rootLabel, versionOf } from '../pkcs11/root-objects.ts'
import { listObjects, type TokenObject } from '../pkcs11/token-objects.ts'
import { type TokenLocation, withToken } from '../pkcs11/token-opening.ts'
import { pointsIn } from './audit-ends.ts'
import { openKeeperState } from './keeper-state.ts'
import { noteRootsIn } from './known-roots.ts'
import { composeSuccession, headsIn, openSuccessions } from './signing-keys.ts'

export interface TokenSuccession {
  /** The keeper's files. The keeper must not be running. */
  readonly files: { readonly state: string; readonly floors: string }
  /** Labels of the root keys that were made in the other token. */
  readonly made: readonly string[]
  readonly from: TokenLocation
  readonly to: TokenLocation
  /** The last ends of chains that the keeper may not know. */
  readonly shown: readonly SignedEnd[]
  readonly now: () => number
}

/**
 * Continues the trail under the newest audit key of another token. Both keys, each in its token, sign the statement
 * where one ends and the other continues. From then on the keeper signs with the other token only. Does nothing if it
 * was done before.
 */
export function succeedInOtherToken({ files, made, from, to, shown, now }: TokenSuccession): void {
  const state = openKeeperState(files.state)
  try {
    // First, because a repeated command does no more where the succession is there.
    noteRootsIn(files.floors, made)
    const successions = openSuccessions(state)
    const next = pairIn(to, (versions) => Math.max(...versions))
    if (successions.list().some(({ version }) => version === next.version)) return
    const last = successions.list().at(-1)?.version
    // Without a succession the first version signs.
    const former = pairIn(from, (versions) => last ?? Math.min(...versions))
    const heads = new Map([...headsIn(former.publicKey, shown), ...pointsIn(state)])
    const keys = { from: former.publicKey, to: next.publicKey, at: now(), heads }
    successions.keep(next.version, composeSuccession(keys, former.sign, next.sign))
  } finally {
    state.close()
  }
}

/** Whether the keeper signs with a key that this token does not have, because it has moved to another token. */
export function hasMovedOn(path: string, from: TokenLocation): boolean {
  const state = openKeeperState(path)
  try {
    const last = openSuccessions(state).list().at(-1)?.version
    return last !== undefined && !withToken(from, (token) => signingVersions(listObjects(token)).includes(last))
  } finally {
    state.close()
  }
}

/** Whether a token has the key pair of this public audit key, not only its public half. */
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

/** Opens the key pair of the version that `choose` selects. */
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
