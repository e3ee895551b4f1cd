import { z } from 'zod'
import type { HostStatus } from '../hsm.ts'

const state = z.enum(['ready', 'sealed', 'down'])

const tokenStatus = z.object({
  label: z.string(),
  serial: z.string(),
  manufacturer: z.string(),
  model: z.string(),
  slot: z.number(),
  mechanisms: z.array(z.string()),
  objects: z.object({ root: z.array(z.string()), vaultKeys: z.number(), residentKeys: z.number() }),
  sessions: z.object({ open: z.number(), max: z.number() }),
  handles: z.object({ held: z.number(), limit: z.number() }),
  epoch: z.number(),
  conformance: z.record(z.string(), z.string()),
})

/** Reads the reply to `ping` (state, reason) or `status` (and the token as JSON). */
export function parseHostStatus(socket: string, [stateField, reason, token]: readonly Buffer[]): HostStatus {
  return {
    socket,
    state: state.parse(stateField?.toString()),
    ...(reason !== undefined && reason.length > 0 ? { reason: reason.toString() } : {}),
    ...(token !== undefined && token.length > 0 ? { token: tokenStatus.parse(JSON.parse(token.toString())) } : {}),
  }
}
