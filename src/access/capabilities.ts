/**
 * What a user may do on the appliance: a bitmap (spec: "Users hold capabilities"; bit numbers as published for this
 * API). A capability says nothing about any vault: that is `permission.ts`.
 */
export const capabilityBits = {
  read: 0,
  createVault: 1,
  admin: 2,
  audit: 3,
  escrow: 4,
  changePassphrase: 6,
  active: 7,
  /** This and the next are published without a meaning: kept for clients, and never read. */
  ugList: 8,
  mail: 9,
} as const

export type Capability = keyof typeof capabilityBits

export const capabilityNames: readonly Capability[] = [
  'read',
  'createVault',
  'admin',
  'audit',
  'escrow',
  'changePassphrase',
  'active',
  'ugList',
  'mail',
]

/** Every bit that a user's bitmap may hold. */
export const allCapabilities: Capabilities = capabilitiesOf(capabilityNames)

/** The bitmap itself, as `userstatus` carries it: 140 is Active + Audit + Admin. */
export type Capabilities = number

export function holds(capabilities: Capabilities, capability: Capability): boolean {
  return (capabilities & (1 << capabilityBits[capability])) !== 0
}

export function capabilitiesOf(names: readonly Capability[]): Capabilities {
  return names.reduce((bitmap, name) => bitmap | (1 << capabilityBits[name]), 0)
}

export function namesOf(capabilities: Capabilities): Capability[] {
  return capabilityNames.filter((name) => holds(capabilities, name))
}

/** For people: every capability, and whether the user is disabled. */
export function capabilityText(capabilities: Capabilities): string {
  const names = namesOf(capabilities).join(' ')
  return holds(capabilities, 'active') ? names : `${names} (disabled)`.trim()
}

/** May log in at all: active, and not an escrow account. */
export function mayLogIn(capabilities: Capabilities): boolean {
  return holds(capabilities, 'active') && !holds(capabilities, 'escrow')
}

/** An administrator who can act as one. */
export function mayAdminister(capabilities: Capabilities): boolean {
  return mayLogIn(capabilities) && holds(capabilities, 'admin')
}

/**
 * Whether a bitmap is allowed at all. An escrow account is read by others in an emergency; it must not be able to name
 * those who do.
 */
export function isPossible(capabilities: Capabilities): boolean {
  return (
    capabilities >= 0 &&
    (capabilities & ~allCapabilities) === 0 &&
    !(holds(capabilities, 'escrow') && holds(capabilities, 'admin'))
  )
}

/** Whether users who change their own bitmap would raise themselves: they can give up capabilities, and take on restrictions. */
export function raisesOwn(current: Capabilities, next: Capabilities): boolean {
  return ((current ^ next) & (next ^ capabilitiesOf(['changePassphrase']))) !== 0
}
