import { z } from 'zod'
import { capabilityBits } from '../../access/capabilities.ts'
import { endpoint } from '../../api/endpoint.ts'

/** Bit numbers under the names that are published for them. */
const statusbits = {
  userbits: {
    Read: capabilityBits.read,
    Write: capabilityBits.createVault,
    Admin: capabilityBits.admin,
    Audit: capabilityBits.audit,
    Escrow: capabilityBits.escrow,
    Changepass: capabilityBits.changePassphrase,
    Active: capabilityBits.active,
    'UG-list': capabilityBits.ugList,
    Mail: capabilityBits.mail,
  },
  vaultbits: { Read: 0, Write: 1, Admin: 2 },
}

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
    params: z.object({}),
    body: z.object({}),
    run: () => Promise.resolve({ callinfo: { statusbits } }),
  })
