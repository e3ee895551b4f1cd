import type { Tx } from '../../store/store.ts'
import type { JudgedPassphrase, PassphraseRecord } from './passphrase.ts'
import { logsIn, UserTable, type User } from './records.ts'

/** What the row says of the pass phrase. */
export function passphraseRecordOf(user: User): PassphraseRecord {
  return { salt: user.passphraseSalt, check: user.passphraseCheck, cost: user.passphraseCost }
}

/** What a new pass phrase changes in the row; `by`: who gave it, null for the user. */
export function passphraseColumns({ strength, ...record }: JudgedPassphrase, now: number, by: number | null) {
  return { ...recordColumns(record), passphraseStrength: strength, passphraseChangedAt: now, passphraseBy: by }
}

/** What another record of the same pass phrase changes. */
export const recordColumns = ({ salt, check, cost }: PassphraseRecord) => ({
  passphraseSalt: salt,
  passphraseCheck: check,
  passphraseCost: cost,
})

/** Counts a login as failed before it is known whether it is. */
export async function countFailedLogin(tx: Tx, userId: number, now: number): Promise<void> {
  await tx.update(UserTable, { id: userId }, { failedLogins: () => 'failed_logins + 1', lastFailedLoginAt: now })
}

/**
 * A login was good: takes back the count of it, and of the failures that the user hears of now. False, and nothing
 * changed, when the pass phrase that it was made with has been changed since, or the user may not log in any more. The
 * row stays locked until the transaction ends.
 */
export async function forgiveFailedLogins(tx: Tx, { id, failedLogins, passphraseChangedAt }: User): Promise<boolean> {
  const forgiven = await tx
    .createQueryBuilder()
    .update(UserTable)
    .set({ failedLogins: () => 'CASE WHEN failed_logins > :known THEN failed_logins - :known ELSE 0 END' })
    .setParameters({ known: failedLogins + 1 })
    .where({ id, passphraseChangedAt })
    .andWhere(logsIn('users'))
    .execute()
  return forgiven.affected === 1
}

export async function setPassphraseStrength(tx: Tx, userId: number, passphraseStrength: number): Promise<void> {
  await tx.update(UserTable, { id: userId }, { passphraseStrength })
}
