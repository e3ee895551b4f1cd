import type { Tx } from '../../store/store.ts'
import type { JudgedPassphrase, PassphraseRecord } from './passphrase.ts'
import { logsIn, UserTable, type User } from './records.ts'

/** The columns of the row that concern the pass phrase. */
export function passphraseRecordOf(user: User): PassphraseRecord {
  return { salt: user.passphraseSalt, check: user.passphraseCheck, cost: user.passphraseCost }
}

/** The columns that a new pass phrase changes. `by`: who set it, null for the user. */
export function passphraseColumns({ strength, ...record }: JudgedPassphrase, now: number, by: number | null) {
  return { ...recordColumns(record), passphraseStrength: strength, passphraseChangedAt: now, passphraseBy: by }
}

/** The columns that a renewed record of the same pass phrase changes. */
export const recordColumns = ({ salt, check, cost }: PassphraseRecord) => ({
  passphraseSalt: salt,
  passphraseCheck: check,
  passphraseCost: cost,
})

/** Counts a login as failed before it is checked. */
export async function countFailedLogin(tx: Tx, userId: number, now: number): Promise<void> {
  await tx.update(UserTable, { id: userId }, { failedLogins: () => 'failed_logins + 1', lastFailedLoginAt: now })
}

/**
 * After a good login: takes its count back, and clears the failures that the user is told of now. False, with nothing
 * changed, when the pass phrase was changed or the user recovered after the check, or the user may not log in any more:
 * the session would be dead. The row stays locked until the transaction ends.
 */
export async function forgiveFailedLogins(
  tx: Tx,
  { id, failedLogins, passphraseChangedAt, recoveries }: User,
): Promise<boolean> {
  const forgiven = await tx
    .createQueryBuilder()
    .update(UserTable)
    .set({ failedLogins: () => 'CASE WHEN failed_logins > :known THEN failed_logins - :known ELSE 0 END' })
    .setParameters({ known: failedLogins + 1 })
    .where({ id, passphraseChangedAt, recoveries })
    .andWhere(logsIn('users'))
    .execute()
  return forgiven.affected === 1
}

export async function setPassphraseStrength(tx: Tx, userId: number, passphraseStrength: number): Promise<void> {
  await tx.update(UserTable, { id: userId }, { passphraseStrength })
}
