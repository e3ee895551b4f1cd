import type { FaultCode } from '../../fault.ts'
import type { FaultRow } from './fault-row.ts'

/** The rows of the error catalogue about the appliance itself: its token, its database, its trail. */
export const applianceFaults = {
  'hsm.unavailable': {
    status: 503,
    number: 1900,
    text: 'The hardware security module does not answer: try again, and tell the operator if it lasts.',
    hidesDetail: true,
  },
  'hsm.sealed': {
    status: 503,
    number: 1901,
    text: 'The hardware security module refused its PIN: the operator must correct it.',
    hidesDetail: true,
  },
  'hsm.rejected': {
    status: 400,
    number: 1902,
    text: 'The hardware security module could not work with this data: check what was sent.',
  },
  'hsm.seal_broken': {
    status: 503,
    number: 1903,
    text: 'A record is not as the appliance wrote it and is not used. Tell the operator.',
  },
  'hsm.outdated': {
    status: 503,
    number: 1911,
    text: 'A record in the database is older than one that this appliance has already seen, and is not used: tell the operator.',
  },
  'hsm.unsupported': {
    status: 400,
    number: 1904,
    text: 'The hardware security module does not offer this: see /transparent/types, or ask the operator.',
  },
  'store.unavailable': {
    status: 503,
    number: 1905,
    text: 'The database cannot be used: try again, and tell the operator if it lasts.',
  },
  'store.conflict': {
    status: 409,
    number: 1906,
    text: 'Another call changed this at the same time: read it again and retry.',
  },
  'audit.unavailable': {
    status: 503,
    number: 1907,
    text: 'The call cannot be recorded, so it is refused. Tell the operator.',
  },
  'appliance.stopping': { status: 503, number: 1908, text: 'The appliance is stopping: try again in a moment.' },
  'appliance.busy': {
    status: 503,
    number: 1910,
    text: 'The appliance has more incoming calls than it can hold: try again in a moment.',
  },
  internal: {
    status: 500,
    number: 1909,
    text: 'Something went wrong inside the appliance; the operator finds the cause in its journal.',
  },
} as const satisfies { readonly [code in FaultCode]?: FaultRow }
