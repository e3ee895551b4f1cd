/** Stands for the operator at the console where a user id is stored. No user has this id. */
export const operatorId = 0

/** A recovery: another person set the user's pass phrase or gave a second factor. */
export interface Recovery {
  readonly by: number
  readonly at: number
}

/** An Admin of a vault who can log in and whose membership is not on hold. */
export interface ActiveAdmin {
  readonly userId: number
  /** Who gave the permission, and when; null where it was given before this was recorded. */
  readonly grantedBy: number | null
  readonly grantedAt: number | null
}

/**
 * The Admins of a vault who may confirm a member after these recoveries: those who made none of them and who were not
 * made Admin, since the first of them, by someone who may not confirm. Otherwise whoever recovers a user could appoint
 * an Admin to confirm.
 */
export function confirmersOf(admins: readonly ActiveAdmin[], recoveries: readonly Recovery[]): number[] {
  const since = Math.min(...recoveries.map(({ at }) => at))
  const excluded = new Set(recoveries.map(({ by }) => by))
  const isAppointed = ({ grantedBy, grantedAt }: ActiveAdmin): boolean =>
    grantedBy !== null && grantedAt !== null && grantedAt >= since && excluded.has(grantedBy)
  const nextAppointed = (): ActiveAdmin | undefined =>
    admins.find((admin) => !excluded.has(admin.userId) && isAppointed(admin))
  for (let found = nextAppointed(); found !== undefined; found = nextAppointed()) excluded.add(found.userId)
  return admins.map(({ userId }) => userId).filter((userId) => !excluded.has(userId))
}
