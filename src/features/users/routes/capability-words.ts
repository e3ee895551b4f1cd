import {
  capabilityBits,
  capabilityNames,
  namesOf,
  type Capabilities,
  type Capability,
} from '../../../access/capabilities.ts'

/** What the capabilities are called in the interface. */
const words: Readonly<Record<Capability, string>> = {
  read: 'Read',
  createVault: 'Write',
  admin: 'Admin',
  audit: 'Audit',
  escrow: 'Escrow',
  changePassphrase: 'Changepass',
  active: 'Active',
  ugList: 'UG-list',
  mail: 'Mail',
}

/** The number of every bit, by its name. */
export const userBits: Readonly<Record<string, number>> = Object.fromEntries(
  capabilityNames.map((name) => [words[name], capabilityBits[name]]),
)

/** The names of the bits that are set, by their numbers. */
export function bitsOf(capabilities: Capabilities): Record<string, string> {
  return Object.fromEntries(namesOf(capabilities).map((name) => [capabilityBits[name], words[name]]))
}
