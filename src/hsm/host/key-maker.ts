import { Fault } from '../../fault.ts'
import { rsaKinds } from '../key-kind.ts'
import { createRsaPool, type RsaPool } from '../pkcs11/rsa-pool.ts'
import { createTokenObject } from '../pkcs11/token-keys.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { operations } from '../protocol/frame.ts'
import type { Dispatch } from '../server/frame-server.ts'
import { generated, pong, statusFields, tokenObject } from '../server/reply-fields.ts'
import type { Journal } from '../server/journal.ts'
import { createRequestFields } from '../server/request-fields.ts'
import type { RequestQueue } from '../server/request-queue.ts'

/** Most requests that wait while keys are made for others. Together they take about as long as a request may wait. */
export const keyMakerQueue = 8

export interface KeyMaker {
  readonly dispatch: Dispatch
  /** Fills the pool from now on, one key at a time, while no request waits. */
  readonly fill: (queue: RequestQueue) => { readonly close: () => void }
}

export interface KeyMakerOptions {
  readonly token: Token
  readonly tokenDirectory: string | undefined
  /** Number of ready keys of each size. */
  readonly keysAhead: number
  readonly log: Journal
}

/** The token host that only makes RSA keys, so that no other operation waits for one. */
export function createKeyMaker({ token, tokenDirectory, keysAhead, log }: KeyMakerOptions): KeyMaker {
  const pool = createRsaPool(token, keysAhead)
  return {
    dispatch({ code, fields: list }) {
      const fields = createRequestFields(list)
      switch (operations[code]) {
        case 'ping':
          return pong(token)
        case 'status':
          return statusFields(token)
        case 'generate': {
          const kind = fields.oneOf(rsaKinds)
          const options = fields.generateOptions()
          return generated(token, kind, options.purpose, pool.generate(kind, options))
        }
        case 'createTokenObject': {
          const kind = fields.oneOf(rsaKinds)
          return tokenObject(
            token,
            kind,
            createTokenObject(token, kind, fields.sealed(), { tokenDirectory, movable: false }),
          )
        }
        default:
          throw new Fault('hsm.rejected', 'This token host makes RSA keys and does nothing else.')
      }
    },
    fill: (queue) => fill(pool, token, queue, log),
  }
}

/** Pause between two keys, so that a request which arrived meanwhile waits for one key at most. */
const breathMs = 20
const idleMs = 500
const retryMs = 30_000

function fill(pool: RsaPool, token: Token, queue: RequestQueue, log: Journal): { readonly close: () => void } {
  const round = (): number => {
    if (token.state() !== 'ready' || !queue.isIdle()) return idleMs
    try {
      return pool.refill() ? breathMs : idleMs
    } catch (error) {
      log.warn({ err: error }, 'no RSA key could be made ahead')
      return retryMs
    }
  }
  let timer: NodeJS.Timeout | undefined
  const next = (pauseMs: number) => {
    timer = setTimeout(() => next(round()), pauseMs)
  }
  next(idleMs)
  return { close: () => clearTimeout(timer) }
}
