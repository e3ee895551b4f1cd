import { Fault } from '../../fault.ts'
import { groupsOf } from '../../groups.ts'
import { resultOf } from '../batch-outcomes.ts'
import type { Hsm, RewrapItem } from '../hsm.ts'
import type { GeneratedKey } from '../made-key.ts'
import { type KeyKind, keyKinds, type KindSupport } from '../key-kind.ts'
import { flagField, listFields, nothing, numberField, referenceFields, sealedFields } from '../protocol/fields.ts'
import { type BatchItem, mostInFrame } from '../protocol/batch-frame.ts'
import { keeperOperations, operations, type Operation } from '../protocol/frame.ts'
import { createBatchCall } from './batch-calls.ts'
import { loginCalls } from './login-calls.ts'
import { createKeyMakerClient, isForKeyMaker } from './key-maker-client.ts'
import { field, given, wrapped } from './replies.ts'
import { optionFields, schemeFields } from './request-values.ts'
import { hostStatus } from './host-status.ts'
import { RequestRouter } from './request-router.ts'
import { sealingCalls } from './sealing-calls.ts'
import { applianceBackupCalls } from './appliance-backup-calls.ts'
import { takeoverCalls } from './takeover-calls.ts'

export interface HsmClientOptions {
  /** Unix sockets of the token hosts (`hsm.sockets`). */
  readonly sockets: readonly string[]
  /** The keeper's socket for workers or for the operator (`hsm.keeper`). Without it nothing can be sealed. */
  readonly keeper?: string
  /** Unix socket of the host that makes RSA keys (`hsm.keyMakerSocket`); without it none can be made. */
  readonly keyMakerSocket?: string
  /** `hsm.deadlineMs`, `hsm.queue`. */
  readonly deadlineMs: number
  readonly queue: number
  /** Watches the requests to each kind of process. */
  readonly watch?: RequestWatch
}

/** Keeper, token hosts, and the one of them that makes RSA keys. */
export type ServingProcess = 'keeper' | 'host' | 'key-maker'

export interface RequestWatch {
  /** Called after each request, with its fault where it failed. */
  readonly ended: (process: ServingProcess, operation: string, milliseconds: number, fault: unknown) => void
  /** Called once with a function that returns the number of unanswered requests. */
  readonly opened: (underWay: () => number) => void
}

/**
 * The port, over unix sockets to keeper and token hosts. It connects by itself and again after every loss, until
 * `close`. It never handles the PIN.
 */
export function createHsmClient(options: HsmClientOptions): Hsm {
  const endedAt = (process: ServingProcess) =>
    options.watch && {
      ended: (operation: string, ms: number, fault: unknown) => options.watch?.ended(process, operation, ms, fault),
    }
  const router = new RequestRouter({ ...options, ...endedAt('host'), operations, peer: 'token host' })
  const keeperSockets = options.keeper === undefined ? [] : [options.keeper]
  const keeper = new RequestRouter({
    ...options,
    ...endedAt('keeper'),
    operations: keeperOperations,
    peer: 'keeper',
    sockets: keeperSockets,
  })
  const keyMaker = createKeyMakerClient({ ...options, ...endedAt('key-maker') })
  options.watch?.opened(() => router.underWay + keeper.underWay)
  const keeperSocket = options.keeper ?? ''
  const calls = createCalls((operation, fields) =>
    (isForKeyMaker(operation, fields) ? keyMaker : router).call(operation, fields),
  )
  const { bytes, done } = calls
  return {
    ...keyCalls(calls),
    ...tokenObjectCalls(calls),
    ...cipherCalls(calls),
    ...signatureCalls(calls),
    ...backupCalls(calls),
    status: async () => [
      ...(await Promise.all(options.sockets.map((socket) => hostStatus(router, socket)))),
      ...(await keyMaker.status()),
    ],
    keeperStatus: () => hostStatus(keeper, keeperSocket),
    random: (count) => bytes('random', [numberField(count)]),
    ...sealingCalls(keeper),
    ...takeoverCalls(keeper),
    ...applianceBackupCalls(keeper),
    verify: ({ record, seal }) => done('verify', [record, seal]),
    ...loginCalls(keeper),
    auditPublicKey: () => bytes('auditPublicKey', []),
    close() {
      router.close()
      keyMaker.close()
      keeper.close()
      return Promise.resolve()
    },
  }
}

function keyCalls({ fields, bytes, generated }: Calls) {
  return {
    async kindSupport() {
      const missing = await fields('kindSupport', [])
      const at = (index: number) => given(missing, index)?.toString()
      return new Map(
        keyKinds.map((kind, index): [KeyKind, KindSupport] => [
          kind,
          { wrapped: at(2 * index), tokenObject: at(2 * index + 1) },
        ]),
      )
    },
    generate: (kind, options) => generated('generate', [Buffer.from(kind), ...optionFields(options)]),
    async generatePair(kind, purpose = nothing) {
      const options = optionFields({ exportable: false, backup: false, purpose })
      const { kek, blob, publicKey, provenance } = await generated('generate', [Buffer.from(kind), ...options])
      if (publicKey === undefined)
        throw new Fault('hsm.unavailable', 'The token host gave a pair without a public key.')
      return { kek, blob, publicKey, provenance }
    },
    async importSecret(kind, secret, purpose = nothing) {
      const reply = await fields('importSecret', [Buffer.from(kind), secret, purpose])
      return { ...wrapped(reply, 0), provenance: field(reply, 2) }
    },
    importKey: (job, blob, { policy, vaultKey }, publicKey) =>
      generated('importKey', [
        ...sealedFields(job),
        blob,
        ...sealedFields(policy),
        ...sealedFields(vaultKey),
        publicKey ?? nothing,
      ]),
    exportKey: (key, recipient) => bytes('exportKey', [...referenceFields(key), recipient]),
    exportPlain: (key) => bytes('exportPlain', referenceFields(key)),
  } satisfies Partial<Hsm>
}

function tokenObjectCalls({ fields, done }: Calls) {
  return {
    async createTokenObject(kind, permit) {
      const reply = await fields('createTokenObject', [Buffer.from(kind), ...sealedFields(permit)])
      return { id: field(reply, 0).toString('hex'), publicKey: given(reply, 1), provenance: field(reply, 2) }
    },
    destroyObject: (key, mark) => done('destroyObject', [key, mark].flatMap(sealedFields)),
  } satisfies Partial<Hsm>
}

function cipherCalls({ fields, bytes }: Calls) {
  const many = createBatchCall(fields)

  return {
    encrypt: (key, plaintext, aad) => bytes('encrypt', [...referenceFields(key), plaintext, aad ?? nothing]),
    async makeDataKey(key, { count, aad, open }) {
      const asked = [numberField(count), aad ?? nothing, flagField(open)]
      const reply = await fields('makeDataKey', [...referenceFields(key), ...asked])
      return { ciphertext: field(reply, 0), plaintext: open ? field(reply, 1) : undefined }
    },
    decrypt: (key, ciphertext, aad) => bytes('decrypt', [...referenceFields(key), ciphertext, aad ?? nothing]),
    async rewrap(item) {
      const [outcome] = await many('rewrapMany', [rewrapItem(item)])
      return resultOf(outcome)
    },
    encryptMany: (items) =>
      many(
        'encryptMany',
        items.map(({ key, plaintext, aad }) => ({ references: [key], fields: [plaintext, aad ?? nothing] })),
      ),
    decryptMany: (items) =>
      many(
        'decryptMany',
        items.map(({ key, ciphertext, aad }) => ({ references: [key], fields: [ciphertext, aad ?? nothing] })),
      ),
    rewrapMany: (items) => many('rewrapMany', items.map(rewrapItem)),
  } satisfies Partial<Hsm>
}

function rewrapItem({ from, to, ciphertext, aad, newAad }: RewrapItem): BatchItem {
  return { references: [from, to], fields: [ciphertext, aad ?? nothing, newAad ?? nothing] }
}

function signatureCalls({ bytes, flag }: Calls) {
  return {
    sign: (key, scheme, input) => bytes('sign', [...referenceFields(key), ...schemeFields(scheme), input]),
    verifySignature: (key, scheme, input, signature) =>
      flag('verifySignature', [...referenceFields(key), ...schemeFields(scheme), input, signature]),
    hmac: (key, data) => bytes('hmac', [...referenceFields(key), data]),
    verifyHmac: (key, data, mac) => flag('verifyHmac', [...referenceFields(key), data, mac]),
    signValidation: ({ record, seal }, answer) => bytes('signValidation', [record, seal, Buffer.from(answer)]),
    verifyValidation: ({ record, seal }, text, mac) => flag('verifyValidation', [record, seal, Buffer.from(text), mac]),
  } satisfies Partial<Hsm>
}

function backupCalls({ fields, bytes, done }: Calls) {
  return {
    async sealBackup({ policy, grant, vaultKey, versions }) {
      const of = [policy, grant, vaultKey].flatMap(sealedFields)
      const sealed = (some: typeof versions, isPart: boolean, parts: readonly Buffer[]) => {
        const list = listFields(some, ({ key, count }) => [key, count].flatMap(sealedFields))
        return bytes('sealBackup', [...of, ...list, flagField(isPart), ...listFields(parts, (part) => [part])])
      }
      const parts: Buffer[] = []
      const [oldest = [], ...groups] = groupsOf(versions, mostInFrame.keys)
      // The newest first: uses of the key outdate its count meanwhile, and the whole backup would have to begin again.
      for (const some of groups.toReversed()) parts.push(await sealed(some, true, []))
      return sealed(oldest, false, parts)
    },
    verifyBackup: (backup) => done('verifyBackup', [backup]),
    async restoreKey(backup, { policy, vaultKey }, from) {
      const to = [...sealedFields(policy), ...sealedFields(vaultKey)]
      const reply = await fields('restoreKey', [backup, ...to, numberField(from)])
      const count = reply.length / generatedFields
      return Array.from({ length: count }, (_, at) => generatedKey(reply.slice(at * generatedFields)))
    },
  } satisfies Partial<Hsm>
}

type Call<T> = (operation: Operation, fields: readonly Uint8Array[]) => Promise<T>

/** Requests to a token host, by the type of the result. All reject as `RequestRouter.call` does. */
interface Calls {
  readonly fields: Call<readonly Buffer[]>
  readonly bytes: Call<Buffer>
  readonly flag: Call<boolean>
  readonly done: Call<void>
  readonly generated: Call<GeneratedKey>
}

function createCalls(call: RequestRouter<Operation>['call']): Calls {
  const bytes: Calls['bytes'] = async (operation, fields) => field(await call(operation, fields), 0)
  return {
    fields: call,
    bytes,
    flag: async (operation, fields) => (await bytes(operation, fields)).toString() === '1',
    async done(operation, fields) {
      await call(operation, fields)
    },
    generated: async (operation, fields) => generatedKey(await call(operation, fields)),
  }
}

/** Number of fields of a generated key in a reply. */
const generatedFields = 6

function generatedKey(reply: readonly Buffer[]): GeneratedKey {
  return {
    publicKey: given(reply, 2),
    backup: given(reply, 3) && wrapped(reply, 3),
    provenance: field(reply, 5),
    ...wrapped(reply, 0),
  }
}
