/** The operator at the console, where somebody is named by id: no user has this one. */
export const operatorId = 0

/** Somebody else than the user set the pass phrase or gave a second factor. */
export interface Recovery {
  readonly by: number
  readonly at: number
}

/** An Admin of a vault who can log in and does not rest in it. */
export interface AwakeAdmin {
  readonly userId: number
  /** Who gave the permission, and when; null for one that is older than this record of it. */
  readonly grantedBy: number | null
  readonly grantedAt: number | null
}

/**
 * Which Admins of a vault may confirm a member after these recoveries: those who made none of them, and were not made
 * Admin since the first of them by one who may not confirm. Otherwise who recovers a user could appoint a confirmer.
 */
export function confirmersOf(admins: readonly AwakeAdmin[], recoveries: readonly Recovery[]): number[] {
  const since = Math.min(...recoveries.map(({ at }) => at))
  const excluded = new Set(recoveries.map(({ by }) => by))
  const isAppointed = ({ grantedBy, grantedAt }: AwakeAdmin): boolean =>
    grantedBy !== null && grantedAt !== null && grantedAt >= since && excluded.has(grantedBy)
  const nextAppointed = (): AwakeAdmin | undefined =>
    admins.find((admin) => !excluded.has(admin.userId) && isAppointed(admin))
  for (let found = nextAppointed(); found !== undefined; found = nextAppointed()) excluded.add(found.userId)
  return admins.map(({ userId }) => userId).filter((userId) => !excluded.has(userId))
}
