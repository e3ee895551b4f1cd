import { Fault, isFault } from '../../fault.ts'
import type { HostStatus } from '../token-status.ts'
import { isRsaKind } from '../key-kind.ts'
import { type Operation, operations } from '../protocol/frame.ts'
import { keyMakerPatience } from '../protocol/key-maker-patience.ts'
import { hostStatus } from './host-status.ts'
import { RequestRouter } from './request-router.ts'

export interface KeyMakerClientOptions {
  /** Unix socket of the host that makes RSA keys (`hsm.keyMakerSocket`); without it none can be made. */
  readonly keyMakerSocket?: string | undefined
  readonly deadlineMs: number
  readonly ended?: (operation: string, milliseconds: number, fault: unknown) => void
}

/**
 * Requests to the token host that makes RSA keys. It has a router of its own, so that no other request waits behind
 * them.
 */
export interface KeyMakerClient {
  /**
   * Rejects with `hsm.unavailable`, with a time for the next attempt, where too many requests wait or the host is down.
   */
  call: RequestRouter<Operation>['call']
  /** The status of the key maker; empty where none is configured. */
  status(): Promise<HostStatus[]>
  close(): void
}

/** Whether the request is for a new RSA key. */
export function isForKeyMaker(operation: Operation, [kind]: readonly Uint8Array[]): boolean {
  return (operation === 'generate' || operation === 'createTokenObject') && isRsaKind(String(kind))
}

/** More than the key maker allows to wait, so that the key maker itself decides which it refuses. */
const queue = 64
const retryAfterMs = 5_000

export function createKeyMakerClient({ keyMakerSocket, deadlineMs, ended }: KeyMakerClientOptions): KeyMakerClient {
  if (keyMakerSocket === undefined)
    return {
      call: () => Promise.reject(new Fault('hsm.unavailable', 'No token host makes RSA keys here.')),
      status: () => Promise.resolve([]),
      close: () => undefined,
    }
  const router = new RequestRouter({
    operations,
    peer: 'token host',
    sockets: [keyMakerSocket],
    deadlineMs: deadlineMs * keyMakerPatience,
    queue,
    ...(ended && { ended }),
  })
  return {
    async call(operation, fields) {
      try {
        return await router.call(operation, fields)
      } catch (error) {
        if (!isFault(error, 'hsm.unavailable')) throw error
        throw new Fault(error.code, `RSA keys: ${error.detail ?? error.code}`, { cause: error, retryAfterMs })
      }
    },
    status: async () => [{ ...(await hostStatus(router, keyMakerSocket)), isKeyMaker: true }],
    close: () => router.close(),
  }
}
