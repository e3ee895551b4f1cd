import { z } from 'zod'
import { Fault } from '../../fault.ts'
import type { HostStatus, TokenStatus } from '../token-status.ts'
import type { FrameProcess } from '../protocol/frame.ts'
import type { RequestRouter } from './request-router.ts'

const state = z.enum(['ready', 'sealed', 'down'])

const tokenStatus = z.object({
  label: z.string(),
  serial: z.string(),
  manufacturer: z.string(),
  model: z.string(),
  slot: z.number(),
  mechanisms: z.array(z.string()),
  objects: z.object({
    root: z.array(z.string()),
    newest: z.array(z.string()),
    vaultKeys: z.number(),
    residentKeys: z.number(),
    copies: z.number(),
    others: z.number(),
    weaknesses: z.array(z.object({ label: z.string(), count: z.number(), lacks: z.array(z.string()) })),
    readableKeks: z.array(z.string()),
  }),
  sessions: z.object({ open: z.number(), max: z.number() }),
  handles: z.object({ held: z.number(), limit: z.number() }),
  epoch: z.number(),
  conformance: z.record(z.string(), z.string()),
})

const roomSchema = z.object({ kind: z.enum(['memory', 'disk']), freeBytes: z.number(), totalBytes: z.number() })

/** Asks a host or the keeper for its status. Does not reject for one that is down. */
export async function hostStatus(
  router: Pick<RequestRouter<'ping' | 'status'>, 'callHost' | 'peer'>,
  socket: string,
  question: 'ping' | 'status' = 'status',
): Promise<HostStatus> {
  try {
    return parseHostStatus(router.peer, socket, await router.callHost(socket, question))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { socket, state: error.code === 'hsm.sealed' ? 'sealed' : 'down', reason: error.detail ?? error.code }
  }
}

/**
 * Reads the reply to `ping` (state, reason and free room) or to `status` (the token as JSON in addition).
 */
export function parseHostStatus(
  peer: FrameProcess,
  socket: string,
  [stateField, reason, token, room]: readonly Buffer[],
): HostStatus {
  return {
    socket,
    state: state.parse(stateField?.toString()),
    ...(reason !== undefined && reason.length > 0 ? { reason: reason.toString() } : {}),
    ...(token !== undefined && token.length > 0 ? { token: parseTokenStatus(peer, token) } : {}),
    ...(room !== undefined && room.length > 0 ? { room: roomSchema.parse(JSON.parse(room.toString())) } : {}),
  }
}

function parseTokenStatus(peer: FrameProcess, json: Buffer): TokenStatus {
  const { data } = tokenStatus.safeParse(JSON.parse(json.toString()))
  if (data === undefined) throw new Fault('hsm.unavailable', `The ${peer} is of another release: restart it.`)
  return data
}
