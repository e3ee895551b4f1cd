import type { FaultCode } from '../../fault.ts'
import type { FaultRow } from './fault-row.ts'

/** The rows of the error catalogue for objects and their files. */
export const objectFaults = {
  'object.not_found': {
    status: 404,
    number: 1610,
    text: 'There is no such object, or its vault is not shared with you.',
  },
  'object.invalid': { status: 400, number: 1611, text: 'The object cannot be saved like this.' },
  'object.parent_unknown': {
    status: 400,
    number: 1612,
    text: 'The parent is not an object of this vault: send parentid 0 for the root of the vault.',
  },
  'object.not_empty': { status: 409, number: 1613, text: 'Other objects lie in this one: delete them first.' },
  'object.tampered': {
    status: 503,
    number: 1614,
    text: 'Something of this object is not as the appliance wrote it, and is not handed out. Tell the operator.',
  },
  'object.key_exhausted': {
    status: 409,
    number: 1615,
    text: 'The data key of this vault has encrypted as often as is safe: make a new vault.',
  },
  'object.no_file': { status: 400, number: 1616, text: 'This object holds no file.' },
  'object.busy': {
    status: 429,
    number: 1617,
    text: 'Too many large files are under way at this moment: try again soon.',
  },
  'object.changed': {
    status: 409,
    number: 1618,
    text: 'Another call has changed this object since it was read: read it again, and decide what to keep.',
  },
} as const satisfies Readonly<Record<Extract<FaultCode, `object.${string}`>, FaultRow>>
