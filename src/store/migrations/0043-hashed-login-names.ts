import { hash } from 'node:crypto'
import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The names for which failed logins were counted, hashed as the throttle hashes them: each may be a pass phrase. */
export class HashedLoginNames1700000000043 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Where names share a hash, the most failures stay.
    const rows: Attempts[] = await runner.query('SELECT * FROM login_attempts ORDER BY failures')
    const bySubject = new Map(rows.map((row) => [withoutName(row.subject), row]))
    // All rows go first: a name may look like the hash of another.
    await runner.query('DELETE FROM login_attempts')
    const values = runner.connection.options.type === 'postgres' ? '$1, $2, $3, $4' : '?, ?, ?, ?'
    for (const [subject, { failures, last_at, blocked_until }] of bySubject)
      await runner.query(`INSERT INTO login_attempts (subject, failures, last_at, blocked_until) VALUES (${values})`, [
        subject,
        failures,
        last_at,
        blocked_until,
      ])
  }

  /** An earlier release finds no count under these subjects and counts anew. */
  async down(): Promise<void> {}
}

interface Attempts {
  readonly subject: string
  /** PostgreSQL's driver gives a bigint as text. */
  readonly failures: number | string
  readonly last_at: number | string
  readonly blocked_until: number | string
}

/** The subject with the hash in place of the name; that of a whole network as it is. */
const withoutName = (subject: string): string =>
  subject.replace(
    /^(holder of the second factor (?:in time )?of |from (?:unfamiliar places|[^ ]*): )(.*)$/s,
    (_, limit: string, name: string) => limit + hash('sha256', name).slice(0, 8),
  )
