import { createHash } from 'node:crypto'
import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The names for which failed logins were counted, hashed as the throttle hashes them: each may be a pass phrase. */
export class HashedLoginNames1700000000043 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [first, second] = runner.connection.options.type === 'postgres' ? ['$1', '$2'] : ['?', '?']
    const rows: { readonly subject: string }[] = await runner.query('SELECT subject FROM login_attempts')
    const taken = new Set<string>()
    for (const { subject } of rows) {
      const hashed = withoutName(subject)
      if (taken.has(hashed)) await runner.query(`DELETE FROM login_attempts WHERE subject = ${first}`, [subject])
      else
        await runner.query(`UPDATE login_attempts SET subject = ${first} WHERE subject = ${second}`, [hashed, subject])
      taken.add(hashed)
    }
  }

  /** An earlier release finds no count under these subjects and counts anew. */
  async down(): Promise<void> {}
}

/** The subject with the hash in place of the name; that of a whole network as it is. */
const withoutName = (subject: string): string =>
  subject.replace(
    /^(holder of the second factor (?:in time )?of |from (?:unfamiliar places|[^ ]*): )(.*)$/s,
    (_, limit: string, name: string) => limit + createHash('sha256').update(name).digest('hex').slice(0, 8),
  )
