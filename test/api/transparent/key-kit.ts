import { execFileSync } from 'node:child_process'
import { createDecipheriv } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rsaAesWrap } from '../../support/rsa-aes-wrap.ts'
import { createServices, type Services } from '../../../src/daemon/services.ts'
import type { TestAppliance } from '../../support/appliance.ts'
import type { Answer, Envelope, TestClient } from '../../support/client.ts'
import type { TestVault } from '../../support/vault.ts'

export const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64')

/** The bytes after `service:v<version>:`. */
export function bytesOf(text: unknown): Buffer {
  const [, encoded = 'nothing'] = /^service:v\d+:(.+)$/.exec(String(text)) ?? []
  return Buffer.from(encoded, 'base64')
}

/** The text after one bit of its bytes was flipped. */
export function flipped(text: string, bit: number): string {
  const prefix = /^service:v\d+:/.exec(text)?.[0] ?? ''
  const bytes = bytesOf(text)
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return prefix + bytes.toString('base64')
}

/** Runs openssl in a folder with these files. Returns its output. Throws when it fails. */
export function openssl(args: readonly string[], files: Readonly<Record<string, Uint8Array | string>>): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-openssl-'))
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
    return execFileSync('openssl', args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Decrypts GCM by node:crypto, and the stream modes by the openssl command, independently of Strongroom. */
export function openIndependently(type: string, key: Buffer, ciphertext: string, aad?: Buffer): Buffer {
  const sealed = bytesOf(ciphertext)
  const bits = key.length === 16 ? 128 : 256
  if (type.endsWith('gcm96')) {
    const decipher = createDecipheriv(`aes-${bits}-gcm`, key, sealed.subarray(0, 12)).setAuthTag(sealed.subarray(-16))
    if (aad) decipher.setAAD(aad)
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
  }
  const mode = type.endsWith('ctr') ? 'ctr' : 'ofb'
  const args = ['enc', '-d', `-aes-${bits}-${mode}`, '-K', key.toString('hex'), '-iv', sealed.toString('hex', 0, 16)]
  return openssl([...args, '-in', 'ciphertext'], { ciphertext: sealed.subarray(16) })
}

/** Makes an import job for this key. Resolves to it and its public key (DER). */
export async function importJob(client: TestClient, vaultId: string, name: string, policy: object) {
  const { CALLINFO } = await client.must('POST', `/transparent/import_job/${vaultId}/${name}`, policy)
  return { job: String(CALLINFO['job']), publicKey: Buffer.from(String(CALLINFO['public_key_der']), 'base64') }
}

/** The body of an import of this value (PKCS#8 for a private key) by a new job, wrapped by OpenSSL. */
export async function importBody(
  client: TestClient,
  vaultId: string,
  name: string,
  value: Uint8Array,
  { public_key, ...policy }: { readonly public_key?: string | undefined } & Readonly<Record<string, unknown>>,
) {
  const { job, publicKey } = await importJob(client, vaultId, name, policy)
  return { job, ...(public_key === undefined ? {} : { public_key }), wrapped_key: base64(rsaAesWrap(publicKey, value)) }
}

export interface KeyDescription {
  readonly KEYS: readonly Record<string, string>[]
  readonly VERSIONS: readonly Record<string, string>[]
}

export async function readKey(client: TestClient, vaultId: string, name: string): Promise<KeyDescription> {
  return (await client.must('GET', `/transparent/${vaultId}/keys/${name}`)) as unknown as KeyDescription
}

/** Calls about the keys of a vault, by its Admin. */
export interface KeyCalls {
  readonly keyPath: (name: string) => string
  readonly call: (method: string, path: string, body?: object) => Promise<Answer>
  readonly create: (name: string, body?: object) => Promise<Envelope>
  readonly rotate: (name: string) => Promise<Envelope>
  readonly update: (name: string, body: object) => Promise<Answer>
  readonly encrypt: (name: string, more?: object) => Promise<Answer>
  /** The KEYS item of a key. */
  readonly item: (name: string) => Promise<Record<string, string>>
}

/** @param vault the vault once it is made, which may be after this call */
export function keyCalls(vault: () => TestVault): KeyCalls {
  const keyPath = (name: string) => `/transparent/${vault().id}/keys/${name}`
  const call: KeyCalls['call'] = (method, path, body) => vault().admin.call(method, path, { body })
  return {
    keyPath,
    call,
    create: (name, body = {}) => vault().admin.must('POST', keyPath(name), body),
    rotate: (name) => vault().admin.must('POST', `${keyPath(name)}/rotate`),
    update: (name, body) => call('PUT', keyPath(name), body),
    encrypt: (name, more = {}) =>
      call('POST', `/transparent/${vault().id}/encrypt/${name}`, { plaintext: 'AAAA', ...more }),
    item: async (name) => (await readKey(vault().admin, vault().id, name)).KEYS[0] ?? {},
  }
}

/** The versions of the keys with this name, by their rows. */
export async function versionsInStore({ store }: TestAppliance, name: string): Promise<number[]> {
  const rows = await store.query<{ version: number }>(
    'SELECT kv.version FROM key_versions kv JOIN transparent_keys k ON k.id = kv.key_id WHERE k.name = $1 ORDER BY kv.version',
    [name],
  )
  return rows.map(({ version }) => version)
}

/** The domain code of the appliance, at a later time. */
export function servicesLater({ config, store, hsm }: TestAppliance, byMs: number): Services {
  const audit = { append: () => Promise.resolve() }
  return createServices({ config, store, hsm, clock: { now: () => Date.now() + byMs }, audit })
}
