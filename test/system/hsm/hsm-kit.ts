import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { clockSkewMs } from '../../../src/access/decision.ts'
import { createHsmClient } from '../../../src/hsm/client/hsm-client.ts'
import { createTokenSupervisor, type TokenSupervisor } from '../../../src/hsm/client/supervisor.ts'
import { type KeyKind, type SecretKeyKind, tokenObjectKek, vaultKek } from '../../../src/hsm/key-kind.ts'
import type { Hsm, KeyReference, SealedRecord } from '../../../src/hsm/hsm.ts'
import type { OtpState } from '../../../src/hsm/otp-use.ts'
import type { GeneratedKey, MadeKey, WrappedKey } from '../../../src/hsm/made-key.ts'
import type { HostStatus } from '../../../src/hsm/token-status.ts'
import { encodeRecord, keyRecord, type RecordField } from '../../../src/hsm/key-record.ts'
import { composeRecord, type FieldsOf, openRecord } from '../../../src/hsm/record-layouts.ts'
import { sealedGrant, sealedRecord } from '../../support/grant-kit.ts'
import { rawSeal } from '../../support/raw-seal.ts'
import { type TestToken, makeToken } from '../../support/token.ts'
import { openByVaultKey, sealByVaultKey } from '../../support/vault-key-opener.ts'
import { madeVaultKey } from '../../support/token-objects.ts'

export interface Hosts {
  readonly token: TestToken
  readonly hsm: Hsm
  readonly supervisor: TokenSupervisor
  readonly sockets: readonly string[]
  readonly configFile: string
  /** The status of each host after its first attempt to open the token. */
  readonly statuses: readonly HostStatus[]
  /** Process ids of the hosts, in the order of their start. */
  readonly pids: () => number[]
  /** Makes a key of this kind. Resolves to its reference. */
  readonly givenKey: (kind: KeyKind) => Promise<KeyReference>
  readonly givenSecret: (kind: SecretKeyKind, secret: Uint8Array) => Promise<KeyReference>
  /** The reference of a key, with its sealed record. */
  readonly reference: (kind: KeyKind, key: WrappedKey & { publicKey?: Buffer | undefined }) => Promise<KeyReference>
  close(): Promise<void>
}

export interface HostsOptions {
  readonly count?: number
  readonly token?: TestToken
  /** Overrides of the configuration's `hsm` part. */
  readonly hsm?: Readonly<Record<string, unknown>>
  readonly deadlineMs?: number
  readonly queue?: number
  /** Also starts the key maker. */
  readonly keyMaker?: true
  /** Also starts the keeper. */
  readonly keeper?: true
}

const root = resolve(import.meta.dirname, '../../..')
const programs = join(root, 'dist/bin')
/** The compiled program of the token host. */
export const hostEntry = join(programs, 'strongroom-tokend.js')

/** Starts real token hosts over a real token, and a client for them. */
export async function startHosts(options: HostsOptions = {}): Promise<Hosts> {
  const token = options.token ?? (await makeToken())
  const sockets = Array.from({ length: options.count ?? 1 }, (_, index) => join(token.directory, `host-${index}.sock`))
  const at = (name: string) => join(token.directory, name)
  const keeper = options.keeper && { socket: at('keeper.sock'), operatorSocket: at('operator.sock') }
  const configFile = writeConfig(token, sockets, {
    ...(keeper && { keeper: { ...keeper, state: at('keeper.sqlite') } }),
    ...options.hsm,
  })
  const pids: number[] = []
  const log = {
    info: (fields: { child?: number }) => void (fields.child !== undefined && pids.push(fields.child)),
    warn: () => undefined,
    error: () => undefined,
  }
  const deadlineMs = options.deadlineMs ?? 20_000
  const keyMaker = options.keyMaker ? { keyMakerSocket: join(token.directory, 'key-maker.sock') } : {}
  const supervisor = createTokenSupervisor({
    configFile,
    sockets,
    ...keyMaker,
    ...(keeper && { keeper }),
    deadlineMs,
    log,
    programs,
  })
  const statuses = await supervisor.start()
  const hsm = createHsmClient({
    sockets,
    ...keyMaker,
    ...(keeper && { keeper: keeper.socket }),
    deadlineMs,
    queue: options.queue ?? 4096,
  })
  let made: Promise<SealedRecord> | undefined
  const vaultKey = () => (made ??= vaultKeyOf(token, hsm))
  const reference: Hosts['reference'] = async (kind, wrapped) =>
    kind.startsWith('otp-') ? deviceOf(token, kind, wrapped) : versionOf(token, await vaultKey(), kind, wrapped)
  return {
    token,
    hsm,
    supervisor,
    sockets,
    configFile,
    statuses,
    pids: () => [...pids],
    reference,
    async givenKey(kind) {
      if (!kind.startsWith('otp-')) await vaultKey()
      return reference(kind, await hsm.generate(kind, { exportable: false, backup: false }))
    },
    givenSecret: async (kind, secret) => reference(kind, await hsm.importSecret(kind, secret)),
    async close() {
      await hsm.close()
      await supervisor.close()
      token.cleanup()
    },
  }
}

export const identity = Buffer.alloc(16, 7)
export const vault = Buffer.alloc(16, 0xab)

/** Makes the data key of a vault. Resolves to its sealed record. */
export async function vaultKeyOf(token: TestToken, hsm: Pick<Hsm, 'createTokenObject'>): Promise<SealedRecord> {
  const { id } = await madeVaultKey({ token, hsm })
  const record = keyRecord('aes256-gcm', { kek: vaultKek, blob: Buffer.from(id, 'hex') }, ['vault key 2', vault])
  return { record, seal: rawSeal(token, record) }
}

/** Removes the outer wrapping, by the data key of that vault, with the PIN. No host does this. */
export function inside(token: TestToken, vaultKey: SealedRecord, key: GeneratedKey): GeneratedKey {
  const id = openRecord(vaultKey.record).key?.blob ?? Buffer.alloc(0)
  const open = (content: string, { kek, blob }: WrappedKey) => ({
    kek,
    blob: openByVaultKey(token, id, blob, encodeRecord([content, identity, vault])),
  })
  return { ...key, ...open('key version', key), backup: key.backup && open('backup', key.backup) }
}

/** Adds the outer wrapping that `inside` removes. */
export function outside<K extends MadeKey>(token: TestToken, vaultKey: SealedRecord, key: K): K {
  const id = openRecord(vaultKey.record).key?.blob ?? Buffer.alloc(0)
  const close = (content: string, { kek, blob }: WrappedKey) =>
    kek === tokenObjectKek
      ? { kek, blob }
      : { kek, blob: sealByVaultKey(token, id, blob, encodeRecord([content, identity, vault])) }
  return { ...key, ...close('key version', key), backup: key.backup && close('backup', key.backup) }
}

/** A sealed policy of a key in the vault of `vaultKeyOf`, which allows everything except as `limits` say. */
export function policyOf(token: TestToken, limits: Partial<FieldsOf<'transparent key 2'>> = {}): SealedRecord {
  const versions = { oldestVersion: 1, latestVersion: 1, minEncryptionVersion: 1, minDecryptionVersion: 1 }
  const flags = { allowExport: 1, allowPlaintextExport: 1, allowBackup: 1, allowDelete: 1 }
  const names = { name: 'key', type: 'type', info: '', residency: 'database' }
  const times = { autoRotatePeriodMs: 0, createdAt: Date.now(), deletedAt: null }
  const place = { identity, vault, generation: 1 }
  const record = composeRecord('transparent key 2', { ...names, ...flags, ...versions, ...times, ...place, ...limits })
  return { record, seal: rawSeal(token, record) }
}

/** Destroys an object of the token that no record names. */
export async function destroyUnused(
  { hsm, token }: { readonly hsm: Pick<Hsm, 'destroyObject'>; readonly token: TestToken },
  kek: 'token' | 'vault',
  id: string,
): Promise<void> {
  const unused = sealedRecord(token, 'unused key', { kek, blob: Buffer.from(id, 'hex') })
  await hsm.destroyObject(unused, unused)
}

const grants = new Map<string, { readonly sealed: SealedRecord; readonly madeMs: number }>()

/** A grant for all uses of this kit's keys, valid for at least a minute. */
export function grantFor(token: TestToken): SealedRecord {
  const known = grants.get(token.directory)
  if (known !== undefined && performance.now() - known.madeMs < clockSkewMs / 2) return known.sealed
  const sealed = sealedGrant(token, { vault })
  grants.set(token.directory, { sealed, madeMs: performance.now() })
  return sealed
}

/** The record of a key for one-time passwords, as the feature stores it. */
function deviceOf(
  token: TestToken,
  kind: KeyKind,
  wrapped: WrappedKey,
  context: readonly RecordField[] = ['otp', 'totp', null, 7, null, 6, 30],
): KeyReference {
  const record = keyRecord(kind, wrapped, context)
  return { key: { record, seal: rawSeal(token, record) } }
}

/** A version of a key in a vault, with a policy that allows everything. */
function versionOf(
  token: TestToken,
  vaultKey: SealedRecord,
  kind: KeyKind,
  wrapped: WrappedKey & { publicKey?: Buffer | undefined },
): KeyReference {
  const { publicKey = null } = wrapped
  const context = ['transparent key version 2', identity, vault, 'type', 1, publicKey, null, null, 0, 0, 1]
  const record = keyRecord(
    kind,
    outside(token, vaultKey, { publicKey: undefined, backup: undefined, ...wrapped }),
    context,
  )
  return {
    key: { record, seal: rawSeal(token, record) },
    policy: policyOf(token),
    vaultKey,
    get grant() {
      return grantFor(token)
    },
  }
}

/** A device for one-time passwords with this secret and counter. */
export async function otpDevice(
  { hsm, token }: Hosts,
  kind: SecretKeyKind,
  secret: Uint8Array,
  {
    device = 'hotp',
    digits = 8,
    periodSeconds = null,
    privateIdCheck = null,
    counter = 0,
  }: {
    readonly device?: string
    readonly digits?: number
    readonly periodSeconds?: number | null
    readonly privateIdCheck?: Buffer | null
    readonly counter?: number
  } = {},
): Promise<OtpState> {
  const isBlock = device === 'hwkey_otp'
  const context = [
    'otp',
    device,
    isBlock ? 'cccccccccccc' : null,
    7,
    privateIdCheck,
    isBlock ? null : digits,
    periodSeconds,
  ]
  const { key } = deviceOf(token, kind, await hsm.importSecret(kind, secret), context)
  return { device: key, counter, driftSteps: 0 }
}

function writeConfig(token: TestToken, sockets: readonly string[], hsm: Readonly<Record<string, unknown>>): string {
  const file = join(token.directory, 'strongroom.json')
  const config = {
    tls: { certificate: 'unused.pem', key: 'unused.pem' },
    store: { sqlite: 'unused.sqlite' },
    audit: { directory: 'audit' },
    log: { level: 'fatal' },
    hsm: {
      module: token.module,
      token: token.tokenUri,
      pinFile: token.pinFile,
      ...(token.softhsmConf !== '' && { softhsmConf: token.softhsmConf, tokenDirectory: token.tokenDirectory }),
      sockets,
      rsaKeysAhead: 0,
      ...hsm,
    },
  }
  writeFileSync(file, JSON.stringify(config))
  return file
}

export interface Shim {
  /** Path of the module. */
  readonly module: string
  /** Sets the behaviour of the module from now on, for example `C_Encrypt fail 0x30`. */
  command(line: string): void
  behave(): void
  /** Lines in the module's log that name this function. */
  calls(name: string): string[]
}

/** Makes a module that forwards to that of the token, and misbehaves on command. */
export function makeShim(token: TestToken): Shim {
  const module = join(token.directory, 'shim.so')
  const control = join(token.directory, 'control')
  const journal = join(token.directory, 'journal')
  copyFileSync(compiledShim(token.module), module)
  return {
    module,
    command: (line) => writeFileSync(control, line),
    behave: () => rmSync(control, { force: true }),
    calls: (name) =>
      existsSync(journal)
        ? readFileSync(journal, 'utf8')
            .split('\n')
            .filter((line) => line.split(' ')[1] === name)
        : [],
  }
}

const shims = new Map<string, string>()

function compiledShim(realModule: string): string {
  const known = shims.get(realModule)
  if (known !== undefined) return known
  const shim = join(mkdtempSync(join(tmpdir(), 'strongroom-shim-')), 'shim.so')
  const headers = join(root, 'node_modules/pkcs11js/includes/pkcs11')
  const flags = ['-shared', '-fPIC', '-O1', '-Wall', '-Wextra', '-Werror', '-isystem', headers, '-o', shim]
  execFileSync('cc', [...flags, `-DREAL_MODULE="${realModule}"`, join(import.meta.dirname, 'shim.c'), '-ldl'])
  shims.set(realModule, shim)
  return shim
}
