import { call } from '../interface/calls.ts'
import { bytesGiven, type BenchDraft, type GivenBytes } from './bench-draft.ts'
import { encodeBase64 } from '../interface/base64-text.ts'
import { bytesOfBase64 } from './binary-text.ts'
import { familyOf } from './type-names.ts'

type Bytes = Uint8Array<ArrayBuffer>

export type BenchOperation =
  'encrypt' | 'decrypt' | 'rewrap' | 'datakey' | 'sign' | 'verify' | 'hmac' | 'hash' | 'random'

/** The key that the bench uses. */
export interface BenchKey {
  readonly vaultid: string
  readonly name: string
  readonly type: string
}

/** A part of a result. `label` is the key of a text. */
export type BenchResult =
  | { readonly label: 'ciphertext' | 'signature' | 'hmac'; readonly text: string }
  | {
      readonly label: 'plaintext' | 'dataKey' | 'sum' | 'randomBytes'
      readonly bytes: Bytes
      readonly isSecret: boolean
    }
  | { readonly label: 'verdict'; readonly isValid: boolean }

/** A call that was made, without the data that the person entered. The samples are written from it. */
export interface DoneCall {
  readonly operation: BenchOperation
  readonly key: BenchKey | undefined
  /** The members of its body without the data, by their names in the interface. */
  readonly members: Readonly<Record<string, string | number | boolean>>
  /** Name of the member that holds the data. */
  readonly dataMember?: 'plaintext' | 'input'
  /** The part of the path, for a data key. */
  readonly dataKeyType?: 'plaintext' | 'wrapped'
}

export interface BenchOutcome {
  readonly done: DoneCall
  readonly results: readonly BenchResult[]
  readonly version?: string
  /** Input that the next operation probably needs. */
  readonly kept?: Partial<BenchDraft>
}

/** Leaves out empty members. */
function members(given: Readonly<Record<string, string | boolean | undefined>>): Record<string, string | boolean> {
  const said = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || value === '' || value === false ? [] : [[name, value] as const],
  )
  return Object.fromEntries(said)
}

const base64Given = (given: GivenBytes): string => encodeBase64(bytesGiven(given) ?? new Uint8Array())
const decoded = (text = ''): Bytes => bytesOfBase64(text) ?? new Uint8Array()

interface Task {
  readonly key: BenchKey
  readonly draft: BenchDraft
  readonly signal: AbortSignal
}

/** The members that choose the form of a signature. Only those that the type of the key leaves open are sent. */
function signingForm({ type }: BenchKey, { hash, padding, form, isPrehashed }: BenchDraft) {
  const family = familyOf(type)
  if (family !== 'rsa' && family !== 'ecdsa') return {}
  return members({
    prehashed: isPrehashed,
    hash_algorithm: hash,
    signature_algorithm: family === 'rsa' && padding === 'pkcs1v15' ? padding : '',
    marshaling_algorithm: family === 'ecdsa' && form === 'jws' ? form : '',
  })
}

const aadOf = ({ type }: BenchKey, { aad }: BenchDraft): string => (familyOf(type) === 'gcm' ? base64Given(aad) : '')

type OfKey = Exclude<BenchOperation, 'hash' | 'random'>

const ofKey: Readonly<Record<OfKey, (task: Task) => Promise<BenchOutcome>>> = {
  async encrypt({ key, draft, signal }) {
    const said = members({ aad: aadOf(key, draft), key_version: draft.keyVersion })
    const body = { ...said, plaintext: base64Given(draft.data) }
    const { CALLINFO } = await call('transparent.encrypt', { params: key, body, signal })
    const ciphertext = 'ciphertext' in CALLINFO ? CALLINFO.ciphertext : ''
    return {
      done: { operation: 'encrypt', key, members: said, dataMember: 'plaintext' },
      results: [{ label: 'ciphertext', text: ciphertext }],
      kept: { ciphertext },
      ...('key_version' in CALLINFO && { version: CALLINFO.key_version }),
    }
  },

  async decrypt({ key, draft, signal }) {
    const body = { ...members({ aad: aadOf(key, draft) }), ciphertext: draft.ciphertext.trim() }
    const { CALLINFO } = await call('transparent.decrypt', { params: key, body, signal })
    const bytes = decoded('plaintext' in CALLINFO ? CALLINFO.plaintext : '')
    return {
      done: { operation: 'decrypt', key, members: body },
      results: [{ label: 'plaintext', bytes, isSecret: true }],
      ...('key_version' in CALLINFO && { version: CALLINFO.key_version }),
    }
  },

  async rewrap({ key, draft, signal }) {
    const body = {
      ...members({ aad: aadOf(key, draft), to_version: draft.keyVersion }),
      ciphertext: draft.ciphertext.trim(),
    }
    const { CALLINFO } = await call('transparent.rewrap', { params: key, body, signal })
    const ciphertext = 'ciphertext' in CALLINFO ? CALLINFO.ciphertext : ''
    return {
      done: { operation: 'rewrap', key, members: body },
      results: [{ label: 'ciphertext', text: ciphertext }],
      kept: { ciphertext },
      ...('key_version' in CALLINFO && { version: CALLINFO.key_version }),
    }
  },

  async datakey({ key, draft, signal }) {
    const type = draft.isOpen ? 'plaintext' : 'wrapped'
    const body = { ...members({ aad: aadOf(key, draft), key_version: draft.keyVersion }), bits: draft.bits }
    const { vaultid, name } = key
    const { CALLINFO } = await call('transparent.datakey', { params: { vaultid, name, type }, body, signal })
    const { ciphertext, plaintext, key_version: version } = CALLINFO
    return {
      done: { operation: 'datakey', key, members: { ...body, bits: Number(draft.bits) }, dataKeyType: type },
      results: [
        { label: 'ciphertext', text: ciphertext },
        ...(plaintext === undefined ? [] : [{ label: 'dataKey' as const, bytes: decoded(plaintext), isSecret: true }]),
      ],
      kept: { ciphertext },
      version,
    }
  },

  async sign({ key, draft, signal }) {
    const said = { ...signingForm(key, draft), ...members({ key_version: draft.keyVersion }) }
    const body = { ...said, input: base64Given(draft.data) }
    const { CALLINFO } = await call('transparent.sign', { params: key, body, signal })
    const { signature, key_version: version } = CALLINFO
    return {
      done: { operation: 'sign', key, members: said, dataMember: 'input' },
      results: [{ label: 'signature', text: signature }],
      kept: { signature },
      version,
    }
  },

  async hmac({ key, draft, signal }) {
    const said = members({ key_version: draft.keyVersion })
    const body = { ...said, input: base64Given(draft.data) }
    const { CALLINFO } = await call('transparent.hmac', { params: key, body, signal })
    const { hmac, key_version: version } = CALLINFO
    return {
      done: { operation: 'hmac', key, members: said, dataMember: 'input' },
      results: [{ label: 'hmac', text: hmac }],
      kept: { signature: hmac },
      version,
    }
  },

  async verify({ key, draft, signal }) {
    const member = familyOf(key.type) === 'hmac' ? 'hmac' : 'signature'
    const said = { ...signingForm(key, draft), [member]: draft.signature.trim() }
    const body = { ...said, input: base64Given(draft.data) }
    const { CALLINFO } = await call('transparent.verify', { params: key, body, signal })
    return {
      done: { operation: 'verify', key, members: said, dataMember: 'input' },
      results: [{ label: 'verdict', isValid: CALLINFO.valid }],
      version: CALLINFO.key_version,
    }
  },
}

async function hash(draft: BenchDraft, signal: AbortSignal): Promise<BenchOutcome> {
  const algorithm = draft.hash === '' ? 'sha2-256' : draft.hash
  const { CALLINFO } = await call('transparent.hash', { body: { algorithm, input: base64Given(draft.data) }, signal })
  return {
    done: { operation: 'hash', key: undefined, members: { algorithm }, dataMember: 'input' },
    results: [{ label: 'sum', bytes: decoded(CALLINFO.sum), isSecret: false }],
  }
}

async function random(draft: BenchDraft, signal: AbortSignal): Promise<BenchOutcome> {
  const { CALLINFO } = await call('transparent.random', { body: { bytes: draft.count.trim() }, signal })
  const bytes = decoded(CALLINFO.random_bytes)
  return {
    done: { operation: 'random', key: undefined, members: { bytes: bytes.length } },
    results: [{ label: 'randomBytes', bytes, isSecret: true }],
  }
}

/** Makes the call of an operation. @throws Refusal */
export async function perform(
  operation: BenchOperation,
  key: BenchKey | undefined,
  draft: BenchDraft,
  signal: AbortSignal,
): Promise<BenchOutcome> {
  if (operation === 'hash') return hash(draft, signal)
  if (operation === 'random') return random(draft, signal)
  if (key === undefined) throw new TypeError(`${operation} needs a key`)
  return ofKey[operation]({ key, draft, signal })
}
