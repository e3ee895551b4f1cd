import { hash } from 'node:crypto'
import type { PemBlock } from '../../encoding/pem.ts'

/** The properties of an SSH key that are readable without its pass phrase. */
export interface SshKey {
  readonly algorithm: string
  /**
   * `SHA256:` and base64 without padding, as ssh-keygen writes it; empty where the file lacks a part of the public key.
   */
  readonly fingerprint: string
  readonly comment: string
}

const publicLine =
  /^((?:sk-)?(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3})(?:-cert-v01)?(?:@openssh\.com)?)[ \t]+(AAAA[A-Za-z0-9+/]*={0,2})(?:[ \t]+([^\n]{0,1024}))?/
/** PuTTY's own format, and RFC 4716 §3. */
const otherKey =
  /^(?:PuTTY-User-Key-File-\d: *([a-z0-9@.-]{1,64})|---- BEGIN SSH2 (?:ENCRYPTED PRIVATE|PUBLIC) KEY ----)/
const magic = Buffer.from('openssh-key-v1\0')

/** @param text the beginning of the file, one character per byte (latin1) */
export function sshKeyOf(text: string, block: PemBlock | undefined): SshKey | undefined {
  if (block?.label === 'OPENSSH PRIVATE KEY') return privateKey(block.bytes)
  const [line, algorithm = '', base64 = '', comment = ''] = publicLine.exec(text) ?? []
  if (line !== undefined) {
    // Where nothing follows, the base64 text may be cut off, and its fingerprint would be that of another key.
    const isWhole = text.length > text.indexOf(base64) + base64.length
    const blob = Buffer.from(base64, 'base64')
    const readable = Buffer.from(comment, 'latin1').toString('utf8').trim()
    return {
      algorithm,
      fingerprint: isWhole && nameOf(blob) === algorithm ? fingerprintOf(blob) : '',
      comment: readable,
    }
  }
  const [other, name = ''] = otherKey.exec(text) ?? []
  return other === undefined ? undefined : { algorithm: name, fingerprint: '', comment: '' }
}

/** The public key stands before the part that may be encrypted (OpenSSH, PROTOCOL.key). */
function privateKey(content: Buffer): SshKey {
  const unknown = { algorithm: '', fingerprint: '', comment: '' }
  if (!content.subarray(0, magic.length).equals(magic)) return unknown
  const [cipher, kdf, options, rest] = stringsAt(content, magic.length, 3)
  if (cipher === undefined || kdf === undefined || options === undefined || rest === undefined) return unknown
  // The number of keys stands before them. It is 1 in every file that ssh-keygen writes.
  const [blob] = stringsAt(rest, 4, 1)
  return blob === undefined ? unknown : { ...unknown, algorithm: nameOf(blob), fingerprint: fingerprintOf(blob) }
}

const fingerprintOf = (blob: Buffer): string => `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`

/** A public key begins with the name of its type (RFC 4253 §6.6). */
function nameOf(blob: Buffer): string {
  const name = stringsAt(blob, 0, 1)[0]?.toString('latin1') ?? ''
  return /^[a-z0-9@.-]{1,64}$/.test(name) ? name : ''
}

/** Reads `count` strings, each with its length in front (RFC 4251 §5), and the rest; nothing where they are cut off. */
function stringsAt(bytes: Buffer, start: number, count: number): Buffer[] {
  const strings: Buffer[] = []
  let at = start
  while (strings.length < count) {
    if (at + 4 > bytes.length) return []
    const to = at + 4 + bytes.readUInt32BE(at)
    if (to > bytes.length) return []
    strings.push(bytes.subarray(at + 4, to))
    at = to
  }
  return [...strings, bytes.subarray(at)]
}
