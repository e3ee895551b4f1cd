import { hash, timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { checkValueOf } from './backup-key-check.ts'
import type { BackupSharingOptions } from './backup-sharing.ts'
import { ceremonyKey, type CeremonyKey, destroyCeremony, makePair, returnPin, withOtherPin } from './ceremony-pair.ts'
import {
  checkDigest,
  type CeremonyPackage,
  readPackage,
  requestFormat,
  type SealedPackage,
  writeRequest,
} from './ceremony-papers.ts'
import { hmacSha256 } from './mechanisms.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import { rsaPublicKeyOf } from './public-keys.ts'
import { rootMaking } from './root-creation.ts'
import { receiveRoot } from './root-makers.ts'
import { backupRoles, findRoot, rootClass, rootLabel, versionsOfBackupKeys } from './root-objects.ts'
import { sealBytes } from './seal-versions.ts'
import { listObjects } from './token-objects.ts'
import type { OpenToken } from './token-opening.ts'

/**
 * Begins a ceremony: makes its key pair, and returns the request for the appliance that shares its backup keys. An
 * earlier ceremony on this token ends. Until this one ends the token has a PIN that no person knows, because an
 * attacker with the PIN could read keys unwrapped by the pair. Stop the token hosts before.
 * @throws Fault `hsm.rejected`
 */
export function beginCeremony(options: BackupSharingOptions): string {
  return withOtherPin(options, (token) => {
    destroyCeremony(token.session)
    const publicKey = makePair(token.session)
    return requestOf(token, publicKey)
  })
}

/**
 * Adopts the keys of a package and ends the ceremony: destroys its key pair and sets the PIN of the PIN file again.
 * `heard` is the digest of the package, as the other operator read it aloud. The ceremony stays open when the package
 * is refused. `note` is told the versions in the package before it ends, so that an interrupted call can be repeated.
 * Returns them.
 * @throws Fault `hsm.rejected`
 */
export function adoptBackupKeys(
  options: BackupSharingOptions,
  text: string,
  heard: string,
  note: (versions: readonly number[]) => void = () => undefined,
): readonly number[] {
  checkDigest(text, heard)
  const papers = readPackage(text)
  const versions = withOtherPin(options, (token, pin) => {
    const pair = ceremonyKey(token.session)
    checkReceiver(token, pair.key, papers.content)
    receiveAll(token, { ...options, pin }, pair, papers)
    const adopted = papers.content.versions.map(({ version }) => version)
    note(adopted)
    destroyCeremony(token.session)
    return adopted
  })
  returnPin(options)
  return versions
}

/** Ends a ceremony without a package. */
export function abandonCeremony(options: BackupSharingOptions): void {
  withOtherPin(options, ({ session }) => destroyCeremony(session))
  returnPin(options)
}

function requestOf(token: OpenToken, publicKey: Buffer, newest = Math.max(...versionsIn(token))): string {
  return writeRequest({
    format: requestFormat,
    receiver: { label: token.info.label, serial: token.info.serialNumber },
    publicKey: publicKey.toString('base64'),
    newest,
  })
}

/** The versions of the backup keys in the token, and 0 for none. */
const versionsIn = (token: OpenToken): readonly number[] => [0, ...versionsOfBackupKeys(listObjects(token))]

function checkReceiver(token: OpenToken, key: KeyHandle, content: CeremonyPackage): void {
  const publicKey = rsaPublicKeyOf(token.session, key)
  // An interrupted call may have received versions that the request did not know of.
  if (!versionsIn(token).some((newest) => content.request === hash('sha256', requestOf(token, publicKey, newest))))
    throw new Fault('hsm.rejected', 'The package is for another appliance, or answers a request of another ceremony.')
}

/** Receives all versions or none. */
function receiveAll(token: OpenToken, options: BackupSharingOptions, pair: CeremonyKey, papers: SealedPackage): void {
  const { session } = token
  const making = rootMaking(token, options)
  const present = listObjects(token)
  const received: string[] = []
  try {
    for (const { version, keys } of papers.content.versions)
      for (const role of backupRoles) {
        const label = rootLabel(role, version)
        if (findRoot(present, label, rootClass(role)) !== undefined) continue
        receiveRoot(role, version, making, { ...pair, blob: Buffer.from(keys[role], 'base64') })
        received.push(label)
      }
    checkReceived(token, papers)
  } catch (error) {
    for (const { handle, label } of listObjects(token)) if (received.includes(label)) session.destroy(handle)
    throw error
  }
}

function checkReceived(token: OpenToken, { content, bytes, seal }: SealedPackage): void {
  const { session } = token
  const objects = listObjects(token)
  let expected: Buffer = Buffer.alloc(sealBytes)
  for (const { version, checks } of content.versions)
    for (const role of backupRoles) {
      const key = findRoot(objects, rootLabel(role, version), rootClass(role))
      if (key === undefined || checkValueOf(session, role, key) !== checks[role])
        throw new Fault('hsm.rejected', `This token has ${rootLabel(role, version)}, and it is another key.`)
      if (role === 'backup-seal') expected = session.sign(hmacSha256, key, bytes, Buffer.alloc(sealBytes))
    }
  if (seal.length !== sealBytes || !timingSafeEqual(seal, expected))
    throw new Fault('hsm.rejected', 'The keys of the package do not fit its content: it was altered.')
}
