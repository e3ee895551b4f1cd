import { Fault } from '../../fault.ts'
import type { Hsm, HostStatus, KeyReference, SealedRecord, WrappedKey } from '../hsm.ts'
import { parseHostStatus } from './host-status.ts'
import { RequestRouter, type RouterOptions } from './request-router.ts'

const nothing = Buffer.alloc(0)

/**
 * The port over unix sockets to token hosts (`strongroom-tokend`), which it connects to by itself, again and again, until `close`.
 * The PIN never passes here. Options: `hsm.sockets`, `hsm.deadlineMs`, `hsm.queue`.
 */
export function createHsmClient(options: RouterOptions): Hsm {
  const router = new RequestRouter(options)
  const bytes = async (...[operation, fields]: Parameters<RequestRouter['call']>) =>
    field(await router.call(operation, fields), 0)
  return {
    status: () => Promise.all(options.sockets.map((socket) => hostStatus(router, socket))),
    random: (count) => bytes('random', [Buffer.from(String(count))]),
    seal: (record) => bytes('seal', [record]),
    async verify(sealed) {
      await router.call('verify', sealedFields(sealed))
    },
    pepper: (data) => bytes('pepper', [data]),
    async generate(kind, { exportable, backup }) {
      const reply = await router.call('generate', [Buffer.from(kind), flag(exportable), flag(backup)])
      return { ...wrapped(reply, 0), backup: backup ? wrapped(reply, 2) : undefined }
    },
    async generatePair(kind) {
      const reply = await router.call('generatePair', [Buffer.from(kind)])
      return { ...wrapped(reply, 0), publicKey: field(reply, 2) }
    },
    importSecret: async (kind, secret) => wrapped(await router.call('importSecret', [Buffer.from(kind), secret]), 0),
    encrypt: (key, plaintext, aad) => bytes('encrypt', [...referenceFields(key), plaintext, aad ?? nothing]),
    decrypt: (key, sealedText, aad) => bytes('decrypt', [...referenceFields(key), sealedText, aad ?? nothing]),
    decryptOtpBlock: (key, block) => bytes('decryptOtpBlock', [...referenceFields(key), block]),
    otpHmac: (key, data) => bytes('otpHmac', [...referenceFields(key), data]),
    createVaultKey: async () => (await bytes('createVaultKey', [])).toString(),
    async destroyVaultKey(id) {
      await router.call('destroyVaultKey', [Buffer.from(id)])
    },
    signAudit: (digest) => bytes('signAudit', [digest]),
    auditPublicKey: () => bytes('auditPublicKey', []),
    close() {
      router.close()
      return Promise.resolve()
    },
  }
}

async function hostStatus(router: RequestRouter, socket: string): Promise<HostStatus> {
  try {
    return parseHostStatus(socket, await router.callHost(socket, 'status'))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { socket, state: error.code === 'hsm.sealed' ? 'sealed' : 'down', reason: error.detail ?? error.code }
  }
}

function sealedFields({ record, seal }: SealedRecord): Buffer[] {
  return [record, seal]
}

function referenceFields({ key, policy }: KeyReference): Buffer[] {
  return [key.record, key.seal, policy?.record ?? nothing, policy?.seal ?? nothing]
}

function flag(value: boolean): Buffer {
  return Buffer.from(value ? '1' : '0')
}

function wrapped(reply: readonly Buffer[], at: number): WrappedKey {
  return { kek: field(reply, at).toString(), blob: field(reply, at + 1) }
}

function field(reply: readonly Buffer[], at: number): Buffer {
  const found = reply[at]
  if (found === undefined)
    throw new Fault('hsm.unavailable', 'The token host answered with too few fields: it is of another version.')
  return found
}
