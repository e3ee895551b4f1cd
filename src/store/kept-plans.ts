import type { ClientBase } from 'pg'
import { errorCodeOf } from '../fault.ts'

/** Limit of what the server keeps for each connection. The source has some hundred and fifty hand-written statements. */
const mostNames = 400

const names = new Map<string, string>()

/**
 * A search, or a page of a list. Its best plan depends on the values; one for all values reads each object of the
 * database where an index has the few of one vault.
 */
const dependsOnValues = /(?:LIKE|LIMIT|OFFSET|>) \$/

/**
 * The name under which connections to PostgreSQL keep the plan of this statement, which is a constant of the source.
 * Undefined for one that is planned anew each time, and beyond the limit.
 */
export function planNameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known !== undefined || names.size === mostNames || dependsOnValues.test(sql)) return known
  const name = `strongroom_${names.size}`
  names.set(sql, name)
  return name
}

/** SQLSTATE of a plan that a migration has outdated: the statement now gives another type. */
const outdated = '0A000'

/**
 * Has a new connection keep the plans of the statements that have a name. PostgreSQL plans the others anew each time:
 * for the statement that admits a caller it takes 2 ms to do so, and 0.1 ms to execute the plan.
 */
export function keepPlans(client: ClientBase & { end(): Promise<void> }): void {
  const ask = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  const asking = async (text: unknown, values: unknown): Promise<unknown> => {
    const name = typeof text === 'string' ? names.get(text) : undefined
    if (name === undefined) return ask(text, values)
    try {
      return await ask({ name, text, values })
    } catch (error) {
      // The driver would send the same name again for as long as the connection lasts.
      if (errorCodeOf(error) === outdated) void client.end()
      throw error
    }
  }
  Object.assign(client, { query: asking })
}
