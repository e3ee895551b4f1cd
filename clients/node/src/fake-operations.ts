import { errorCatalogue, type Operations } from './api.ts'
import { fromBase64, toBase64 } from './base64.ts'
import { addVersion, FakeRefusal, readVersioned, useOf, writeVersioned, type FakeKey } from './fake-keys.ts'

type Members = Readonly<Record<string, unknown>>

/** A call to the fake. */
export interface FakeCall {
  readonly operation: keyof Operations
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Members
}

/** An answer: members of CALLINFO, and members beside it. */
export interface FakeAnswer {
  readonly callinfo?: Members
  readonly members?: Members
}

export type FakeOperation = (call: FakeCall) => FakeAnswer | Promise<FakeAnswer>

type Operation = keyof Operations
export type FakeOperations = Partial<Record<Operation, FakeOperation>>

/** The operations that the fake supports, with vaults and keys in memory. */
export function fakeOperations(): FakeOperations {
  const keys = createKeys()
  return { ...vaultOperations(), ...keyOperations(keys), ...cipherOperations(keys), ...signingOperations(keys) }
}

type Keys = ReturnType<typeof createKeys>

const place = ({ params: { vaultid, name } }: FakeCall): string => `${vaultid}/${name}`

function createKeys() {
  const keys = new Map<string, FakeKey>()
  return {
    has: (call: FakeCall): boolean => keys.has(place(call)),
    find(call: FakeCall): FakeKey {
      const key = keys.get(place(call))
      if (key === undefined) throw new FakeRefusal('key.not_found', 'There is no key of this name in the vault.')
      return key
    },
    async create(call: FakeCall): Promise<FakeKey> {
      const key = await addVersion(text(call.body['type']) ?? 'aes128-gcm96')
      keys.set(place(call), key)
      return key
    },
  }
}

function vaultOperations(): FakeOperations {
  const rest = { policy: '7', description: '', status: '4', statustext: 'Admin' }
  const vaults = [{ id: '1', groupname: 'Test', ...rest }]
  return {
    'auth.check': () => ({}),
    'vault.list': () => ({ members: { VAULTS: vaults } }),
    'vault.create': ({ body }) => {
      const vault = { id: String(vaults.length + 1), groupname: text(body['vaultname']) ?? '', ...rest }
      vaults.push(vault)
      return { members: { VAULT: [vault] } }
    },
    'transparent.random': ({ body }) => {
      const bytes = crypto.getRandomValues(new Uint8Array(Number(body['bytes'] ?? 32)))
      return { callinfo: { random_bytes: toBase64(bytes) } }
    },
  }
}

const keyOperations = (keys: Keys): FakeOperations => ({
  'transparent.key.create': async (call) => {
    if (keys.has(call))
      throw new FakeRefusal('key.exists', 'The vault has a key of this name already: choose another name.')
    const { type } = await keys.create(call)
    return { callinfo: { ...named(call), type, key_version: '1' } }
  },
  'transparent.key.rotate': async (call) => {
    const { type, versions } = keys.find(call)
    await addVersion(type, versions)
    return { callinfo: { ...named(call), key_version: String(versions.length) } }
  },
})

const cipherOperations = (keys: Keys): FakeOperations => ({
  'transparent.encrypt': async (call) => {
    const key = keys.has(call) ? keys.find(call) : await keys.create(call)
    return each(call, async ({ plaintext, aad, key_version: version }) => seal(key, bytesIn(plaintext), aad, version))
  },
  'transparent.decrypt': (call) => {
    const key = keys.find(call)
    return each(call, async (item) => {
      const { version, plaintext } = await open(key, item)
      return { plaintext: toBase64(plaintext), key_version: String(version) }
    })
  },
  'transparent.rewrap': (call) => {
    const key = keys.find(call)
    return each(call, async (item) => seal(key, (await open(key, item)).plaintext, item['aad'], item['to_version']))
  },
  'transparent.datakey': async (call) => {
    const dataKey = crypto.getRandomValues(new Uint8Array(Number(call.body['bits'] ?? 256) / 8))
    const made = await seal(keys.find(call), dataKey, call.body['aad'], call.body['key_version'])
    const inOpen = call.params['type'] === 'plaintext' ? { plaintext: toBase64(dataKey) } : {}
    return { callinfo: { ...made, ...inOpen, ...named(call) } }
  },
})

function signingOperations(keys: Keys): FakeOperations {
  const signed =
    (member: string): FakeOperation =>
    async (call) => {
      const key = keys.find(call)
      const version = Number(call.body['key_version'] ?? key.versions.length)
      const bytes = await useOf(key, version, 'sign')(bytesIn(call.body['input']))
      return { callinfo: { [member]: writeVersioned(version, bytes), key_version: String(version), ...named(call) } }
    }
  return {
    'transparent.sign': signed('signature'),
    'transparent.hmac': signed('hmac'),
    'transparent.verify': async (call) => {
      const { signature, hmac, input } = call.body
      const { version, bytes } = readVersioned(signature ?? hmac, 'signature.malformed')
      const valid = await useOf(keys.find(call), version, 'verify')(bytesIn(input), bytes)
      return { callinfo: { valid, key_version: String(version), ...named(call) } }
    },
  }
}

const named = ({ params }: FakeCall): Members => ({ name: params['name'], objectid: '1' })

/** Handles the single item of a call, or each item of a batch with its own result. */
async function each(call: FakeCall, one: (item: Members) => Promise<Members>): Promise<FakeAnswer> {
  const { batch_input: batch } = call.body
  if (!Array.isArray(batch)) return { callinfo: { ...(await one(call.body)), ...named(call) } }
  const results = await Promise.all(batch.map((item: Members) => one(item).catch(asResult)))
  return { callinfo: { ...named(call), batch_results: results } }
}

async function seal(key: FakeKey, plaintext: Uint8Array<ArrayBuffer>, aad: unknown, asked: unknown): Promise<Members> {
  const version = Number(asked ?? key.versions.length)
  const bytes = await useOf(key, version, 'encrypt')(plaintext, bytesIn(aad))
  return { key_version: String(version), ciphertext: writeVersioned(version, bytes) }
}

async function open(key: FakeKey, { ciphertext, aad }: Members) {
  const { version, bytes } = readVersioned(ciphertext, 'ciphertext.malformed')
  return { version, plaintext: await useOf(key, version, 'decrypt')(bytes, bytesIn(aad)) }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function bytesIn(value: unknown): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text(value) ?? '')
  } catch {
    throw new FakeRefusal('request.invalid', 'It must be base64 of the standard alphabet (+ and /), with padding.')
  }
}

function asResult(error: unknown): Members {
  if (!(error instanceof FakeRefusal)) throw error
  return { error: { code: String(errorCatalogue[error.code].number), text: error.message } }
}
