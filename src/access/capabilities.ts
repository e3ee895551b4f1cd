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
  /** Published without a meaning, like the next one: stored for clients, and never read. */
  ugList: 8,
  mail: 9,
} as const

export type Capability = keyof typeof capabilityBits

export const capabilityNames: readonly Capability[] = Object.keys(capabilityBits).filter(
  (name): name is Capability => name in capabilityBits,
)

/** Every bit that a user's bitmap may hold. */
export const allCapabilities: Capabilities = capabilitiesOf(capabilityNames)

/** The bitmap, as `userstatus` contains it: 140 is Active + Audit + Admin. */
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

/** The capabilities as text for people, and whether the user is disabled. */
export function capabilityText(capabilities: Capabilities): string {
  const names = namesOf(capabilities).join(' ')
  return holds(capabilities, 'active') ? names : `${names} (disabled)`.trim()
}

/** Whether the user may log in: active, and not an escrow account. */
export function mayLogIn(capabilities: Capabilities): boolean {
  return holds(capabilities, 'active') && !holds(capabilities, 'escrow')
}

/** Whether the user is an administrator who can log in. */
export function mayAdminister(capabilities: Capabilities): boolean {
  return mayLogIn(capabilities) && holds(capabilities, 'admin')
}

/**
 * Whether a bitmap is allowed. An escrow account is opened in an emergency by others, so it must not be able to appoint
 * them.
 */
export function isPossible(capabilities: Capabilities): boolean {
  return (
    capabilities >= 0 &&
    (capabilities & ~allCapabilities) === 0 &&
    !(holds(capabilities, 'escrow') && holds(capabilities, 'admin'))
  )
}

/**
 * Whether users who change their own bitmap this way gain rights. They may give up capabilities and take on
 * restrictions.
 */
export function raisesOwn(current: Capabilities, next: Capabilities): boolean {
  return ((current ^ next) & (next ^ capabilitiesOf(['changePassphrase']))) !== 0
}
