import { createCipheriv, createHash, createHmac, constants, publicEncrypt, randomBytes } from 'node:crypto'
import { generateKeyPairSync } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { abandonCeremony, adoptBackupKeys, beginCeremony } from '../../src/hsm/pkcs11/backup-adoption.ts'
import { shareBackupKeys } from '../../src/hsm/pkcs11/backup-sharing.ts'
import { digestOf } from '../../src/hsm/pkcs11/ceremony-papers.ts'
import { ceremonyOptions } from '../support/ceremony.ts'
import { withPin } from '../support/pin-session.ts'
import { makeOtherToken, type TestToken } from '../support/token.ts'

// The attacker carries request and package between two appliances. He reads and changes both, and knows all formats.

const rejected = expect.objectContaining({ code: 'hsm.rejected' })
let here: TestToken
let there: TestToken

beforeAll(() => {
  here = makeOtherToken()
  there = makeOtherToken()
})
afterAll(() => {
  here.cleanup()
  there.cleanup()
})

const share = (request: string, heard: string) => shareBackupKeys(ceremonyOptions(here), request, heard)
const adopt = (text: string, heard: string) => adoptBackupKeys(ceremonyOptions(there), text, heard)

/** Labels of the backup keys of a token, and how many keys it trusts. */
function stateOf(token: TestToken) {
  return withPin(token, ({ lib, session, objects }) => {
    lib.C_FindObjectsInit(session, [{ type: pkcs11.CKA_TRUSTED, value: true }])
    const trusted = lib.C_FindObjects(session, 100).length
    lib.C_FindObjectsFinal(session)
    const labels = objects.map(({ label }) => label).filter((label) => /backup|ceremony/.test(label))
    return { trusted, labels: labels.toSorted() }
  })
}

/** The appliance's check value of a key, computed by OpenSSL. */
function checkOf(role: string, key: Buffer): string {
  const cipher = createCipheriv('id-aes256-wrap', key, Buffer.from('a6a6a6a6a6a6a6a6', 'hex'))
  const fingerprint =
    role === 'backup-seal'
      ? createHmac('sha256', key).update('strongroom backup seal').digest()
      : Buffer.concat([cipher.update(Buffer.alloc(16)), cipher.final()])
  return createHash('sha256').update(fingerprint).digest('hex').slice(0, 32)
}

/** A package for the receiver of `request`, with keys that the attacker knows. */
function forge(request: string, version: number): string {
  const { publicKey, receiver } = JSON.parse(request) as { publicKey: string; receiver: object }
  const recipient = { key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' } as const
  const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }
  const known = Object.fromEntries(
    ['kek.backup', 'kek.backup-exportable', 'backup-seal'].map((role) => [role, randomBytes(32)]),
  )
  const each = (of: (role: string, key: Buffer) => string) =>
    Object.fromEntries(Object.entries(known).map(([role, key]) => [role, of(role, key)]))
  const content = JSON.stringify({
    format: 'strongroom backup keys 2',
    sender: { label: 'strongroom', serial: 'anything' },
    receiver,
    request: createHash('sha256').update(request).digest('hex'),
    versions: [
      {
        version,
        keys: each((_, key) => publicEncrypt({ ...recipient, ...oaep }, key).toString('base64')),
        checks: each(checkOf),
      },
    ],
  })
  const seal = createHmac('sha256', known['backup-seal'] ?? '')
    .update(content)
    .digest('base64')
  return JSON.stringify({ content, seal })
}

describe('a courier between two appliances', () => {
  it('exchanges the public key of the request: nothing is wrapped to it', () => {
    const before = stateOf(here)
    const request = beginCeremony(ceremonyOptions(there))
    const own = generateKeyPairSync('rsa', { modulusLength: 3072 }).publicKey.export({ type: 'spki', format: 'der' })
    const exchanged = JSON.stringify({ ...JSON.parse(request), publicKey: own.toString('base64') })
    expect(() => share(exchanged, digestOf(request))).toThrow(rejected)
    expect(stateOf(here)).toEqual(before)
    abandonCeremony(ceremonyOptions(there))
  })

  it('makes a package around keys of his own: it is refused by the digits alone, which are 128 bits of all of it', () => {
    const before = stateOf(there)
    const request = beginCeremony(ceremonyOptions(there))
    const shared = share(request, digestOf(request))
    const heard = digestOf(shared.package)
    expect(heard).toMatch(/^([0-9a-f]{4} ){7}[0-9a-f]{4}$/)
    const forged = forge(request, 7)
    expect(() => adopt(forged, heard)).toThrow(rejected)
    for (let at = 0; at < shared.package.length; at += 97) {
      const changed = `${shared.package.slice(0, at)}${shared.package[at] === '0' ? '1' : '0'}${shared.package.slice(at + 1)}`
      expect(() => adopt(changed, heard), String(at)).toThrow(rejected)
    }
    // The forged package is otherwise valid: with its own digest it is accepted.
    expect(adopt(forged, digestOf(forged))).toEqual([7])
    withPin(there, ({ lib, session, objects }) => {
      for (const { handle, label } of objects) if (label.endsWith('.v7')) lib.C_DestroyObject(session, handle)
    })
    expect(stateOf(there)).toEqual(before)
  })

  it('replays the package of an earlier ceremony, with the digits that were good then: it is refused', () => {
    const first = beginCeremony(ceremonyOptions(there))
    const old = share(first, digestOf(first)).package
    const before = beginCeremony(ceremonyOptions(there))
    expect(before).not.toBe(first)
    expect(() => adopt(old, digestOf(old))).toThrow(rejected)
    const parts = JSON.parse(share(before, digestOf(before)).package) as { content: string; seal: string }
    const mixed = JSON.stringify({ content: parts.content, seal: (JSON.parse(old) as { seal: string }).seal })
    expect(() => adopt(mixed, digestOf(mixed))).toThrow(rejected)
    abandonCeremony(ceremonyOptions(there))
  })

  it('leaves nothing that could be used afterwards: no trusted key, no pair, and the PIN is refused in between', () => {
    const request = beginCeremony(ceremonyOptions(there))
    expect(() => stateOf(there)).toThrow('CKR_PIN_INCORRECT')
    const shared = share(request, digestOf(request))
    expect(() => stateOf(there)).toThrow('CKR_PIN_INCORRECT')
    adopt(shared.package, digestOf(shared.package))
    for (const token of [here, there]) {
      const { trusted, labels } = stateOf(token)
      expect(trusted).toBe(0)
      expect(labels.filter((label) => label.includes('ceremony'))).toEqual([])
      for (const version of shared.versions) expect(labels).toContain(`strongroom.kek.backup.v${version}`)
    }
    expect(() => adopt(shared.package, digestOf(shared.package))).toThrow(rejected)
    abandonCeremony(ceremonyOptions(there))
  })
})
