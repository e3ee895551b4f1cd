import { Fault } from '../../fault.ts'
import type { Hsm, HostStatus } from '../hsm.ts'
import { parseHostStatus } from './host-status.ts'
import { createKeyBackup } from './key-backup.ts'
import { createKeyLife } from './key-life.ts'
import { createKeyUse } from './key-use.ts'
import { createCalls } from './calls.ts'
import { RequestRouter, type RouterOptions } from './request-router.ts'

/**
 * The port over unix sockets to token hosts (`strongroom-tokend`), which it connects to by itself, again and again, until `close`.
 * The PIN never passes here. Options: `hsm.sockets`, `hsm.deadlineMs`, `hsm.queue`.
 */
export function createHsmClient(options: RouterOptions): Hsm {
  const router = new RequestRouter(options)
  const calls = createCalls(router)
  const { bytes, done } = calls
  return {
    ...createKeyLife(calls),
    ...createKeyUse(calls),
    ...createKeyBackup(calls),
    status: () => Promise.all(options.sockets.map((socket) => hostStatus(router, socket))),
    random: (count) => bytes('random', [Buffer.from(String(count))]),
    seal: (record) => bytes('seal', [record]),
    verify: ({ record, seal }) => done('verify', [record, seal]),
    pepper: (data) => bytes('pepper', [data]),
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
