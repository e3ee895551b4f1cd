import { groupsOf } from '../../groups.ts'

/** Requests sent at once. A key may have thousands of versions, which would fill `hsm.queue` for all others. */
const askedAtOnce = 32

/**
 * Calls `ask` for each version, a limited number at a time; resolves to the answers in the order of the versions, and
 * rejects as `ask` does.
 */
export async function ofEachVersion<Version, Answer>(
  versions: readonly Version[],
  ask: (version: Version) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const some of groupsOf(versions, askedAtOnce)) answers.push(...(await Promise.all(some.map(ask))))
  return answers
}
