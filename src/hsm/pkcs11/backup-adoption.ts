import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { checkOf } from './backup-key-check.ts'
import type { BackupSharingOptions } from './backup-sharing.ts'
import { createCeremonyHelper } from './ceremony-helper.ts'
import {
  checkDigest,
  type CeremonyPackage,
  readPackage,
  requestFormat,
  type SealedPackage,
  writeRequest,
} from './ceremony-papers.ts'
import { withDirectorySync } from './directory-sync.ts'
import { privateUsage } from './key-templates.ts'
import { hmacSha256, oaep, rsaKeyPairGen } from './mechanisms.ts'
import { makeLimited } from './object-limits.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { rsaPublicKeyOf } from './public-keys.ts'
import { receiveRoot } from './root-makers.ts'
import { backupRoles, findRoot, rootClass, rootLabel, versionsOfRole } from './root-objects.ts'
import { sealBytes } from './seal-versions.ts'
import { asSecurityOfficer, ceremonyLabel, destroyTrusted } from './security-officer.ts'
import { lastingTemplate, listObjects } from './token-objects.ts'
import { type OpenToken, withToken } from './token-opening.ts'
import { knownPin, type UserPin } from './user-pin.ts'

/**
 * Begins a ceremony: makes its key pair, and gives the request to be carried to the appliance that shares its backup
 * keys. Until the ceremony ends the token has a PIN that nobody knows, because whoever has the PIN while the pair is
 * there could read what it unwraps: stop the token hosts before. An earlier ceremony ends. Throws `hsm.rejected`.
 */
export function beginCeremony(options: BackupSharingOptions): string {
  return withOtherPin(options, (token) => {
    destroyCeremony(token.session)
    const publicKey = makePair(token.session)
    return requestOf(token, publicKey)
  })
}

/**
 * Takes the keys of a package whose digest `heard` is what the other operator has read aloud, and ends the ceremony: its
 * pair is destroyed, and the PIN is that of the file again. A refused package leaves it open. Throws `hsm.rejected`.
 */
export function adoptBackupKeys(options: BackupSharingOptions, text: string, heard: string): readonly number[] {
  checkDigest(text, heard)
  const papers = readPackage(text)
  const versions = withOtherPin(options, (token, pin) => {
    const pair = ceremonyKey(token.session)
    checkReceiver(token, pair.key, papers.content)
    receiveAll(token, { ...options, pin }, pair, papers)
    destroyCeremony(token.session)
    return papers.content.versions.map(({ version }) => version)
  })
  returnPin(options)
  return versions
}

/** Ends a ceremony without a package. */
export function abandonCeremony(options: BackupSharingOptions): void {
  withOtherPin(options, ({ session }) => destroyCeremony(session))
  returnPin(options)
}

function withOtherPin<T>(options: BackupSharingOptions, work: (token: OpenToken, pin: UserPin) => T): T {
  const text = randomBytes(24).toString('base64url')
  const pin = knownPin(text)
  return withDirectorySync(options.tokenDirectory, () => {
    asSecurityOfficer(options, options.soPin, (so) => so.setPin(text))
    return withToken({ ...options, pin }, (token) => work(token, pin))
  })
}

function returnPin(options: BackupSharingOptions): void {
  withDirectorySync(options.tokenDirectory, () =>
    asSecurityOfficer(options, options.soPin, (so) => so.setPin(options.pin.read())),
  )
  options.pin.wasSet()
}

/** It unwraps, and nothing else; its public half is given out and not kept. */
function makePair(session: Pkcs11Session): Buffer {
  const id = randomBytes(16)
  const pair = makeLimited([oaep], (limits) =>
    session.generatePair(
      rsaKeyPairGen,
      [
        { type: pkcs11.CKA_MODULUS_BITS, value: 3072 },
        { type: pkcs11.CKA_PUBLIC_EXPONENT, value: Buffer.from('010001', 'hex') },
        { type: pkcs11.CKA_TOKEN, value: false },
      ],
      [
        ...lastingTemplate(ceremonyLabel, id),
        ...privateUsage({ decrypt: false, sign: false, unwrap: true }),
        ...limits,
      ],
    ),
  )
  return rsaPublicKeyOf(session, pair.publicKey)
}

function requestOf(token: OpenToken, publicKey: Buffer): string {
  const objects = listObjects(token)
  return writeRequest({
    format: requestFormat,
    receiver: { label: token.info.label, serial: token.info.serialNumber },
    publicKey: publicKey.toString('base64'),
    newest: Math.max(0, ...backupRoles.flatMap((role) => [...versionsOfRole(objects, role).keys()])),
  })
}

interface CeremonyKey {
  readonly key: KeyHandle
  readonly id: Buffer
}

function ceremonyKey(session: Pkcs11Session): CeremonyKey {
  const [key, another] = session.find([
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PRIVATE_KEY },
    { type: pkcs11.CKA_LABEL, value: ceremonyLabel },
  ])
  const id = key && session.attributes(key, [pkcs11.CKA_ID])[0]
  if (key === undefined || id === undefined || another !== undefined)
    throw new Fault(
      'hsm.rejected',
      'No ceremony is open on this token: begin one with "strongroom backup-keys invite".',
    )
  return { key, id }
}

function checkReceiver(token: OpenToken, key: KeyHandle, content: CeremonyPackage): void {
  const request = requestOf(token, rsaPublicKeyOf(token.session, key))
  if (content.request !== createHash('sha256').update(request).digest('hex'))
    throw new Fault('hsm.rejected', 'The package is for another appliance, or answers a request of another ceremony.')
}

/** All versions or none. */
function receiveAll(token: OpenToken, options: BackupSharingOptions, pair: CeremonyKey, papers: SealedPackage): void {
  const { session, mechanisms } = token
  const making = { session, mechanisms, helper: createCeremonyHelper(options, token), warnings: new Set<string>() }
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
      if (key === undefined || checkOf(session, role, key) !== checks[role])
        throw new Fault('hsm.rejected', `This token has ${rootLabel(role, version)}, and it is another key.`)
      if (role === 'backup-seal') expected = session.sign(hmacSha256, key, bytes, Buffer.alloc(sealBytes))
    }
  if (seal.length !== sealBytes || !timingSafeEqual(seal, expected))
    throw new Fault('hsm.rejected', 'The keys of the package do not fit its content: it was altered.')
}

function destroyCeremony(session: Pkcs11Session): void {
  for (const handle of session.find([{ type: pkcs11.CKA_LABEL, value: ceremonyLabel }])) session.destroy(handle)
  destroyTrusted(session)
}
