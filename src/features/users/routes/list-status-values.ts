import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { userBits } from './user-record.ts'

const statusbits = { userbits: userBits, vaultbits: { Read: 0, Write: 1, Admin: 2 } }
const bits = (what: string) =>
  z.record(z.string(), z.int().min(0).max(30).describe('Number of the bit, from 0.')).describe(what)

/** `GET /utils/statusvalues`: what the bits of `status` are called. */
export const listStatusValues = () =>
  endpoint({
    operation: 'utils.statusvalues',
    handler: 'UtilsHandler',
    method: 'GET',
    path: '/utils/statusvalues',
    summary: 'List the bits of status',
    access: { kind: 'session' },
    reply: {
      callinfo: z.object({
        statusbits: z
          .object({
            userbits: bits('Bits of the status of a user, by the name of the capability.'),
            vaultbits: bits('Bits of the status of a member in a vault, by the name of the permission.'),
          })
          .describe('What the bits of both kinds of status are called.'),
      }),
    },
    run: () => Promise.resolve({ callinfo: { statusbits } }),
  })
