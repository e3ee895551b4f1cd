import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { userBits } from './user-record.ts'

const statusbits = { userbits: userBits, vaultbits: { Read: 0, Write: 1, Admin: 2 } }
const bits = z.record(z.string(), z.int())

/** `GET /utils/statusvalues`: what the bits of `status` are called. */
export const listStatusValues = () =>
  endpoint({
    operation: 'utils.statusvalues',
    handler: 'UtilsHandler',
    method: 'GET',
    path: '/utils/statusvalues',
    summary: 'List the bits of status',
    access: { kind: 'session' },
    success: 200,
    reply: { callinfo: z.object({ statusbits: z.object({ userbits: bits, vaultbits: bits }) }) },
    params: z.object({}),
    body: z.object({}),
    run: () => Promise.resolve({ callinfo: { statusbits } }),
  })
