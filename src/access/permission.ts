/** A member's permission in one vault: a single bit on the wire, where the higher implies the lower (spec: States). */
export const permissionBits = { Read: 1, Write: 2, Admin: 4 } as const

export type Permission = keyof typeof permissionBits

/** A membership by the ids of its vault and its user. */
export interface MembershipKey {
  readonly vaultId: number
  readonly userId: number
}

const byBit = new Map<number, Permission>(
  (['Read', 'Write', 'Admin'] as const).map((permission) => [permissionBits[permission], permission]),
)

/** The permission that a stored bit stands for; undefined for anything but 1, 2 and 4. */
export function permissionFromBit(bit: number): Permission | undefined {
  return byBit.get(bit)
}

export function includes(held: Permission, needed: Permission): boolean {
  return permissionBits[held] >= permissionBits[needed]
}
