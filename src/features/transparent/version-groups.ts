import { groupsOf } from '../../groups.ts'

/** A key may have thousands of versions, and what is asked of all at once fills `hsm.queue`, where others wait, too. */
const askedAtOnce = 32

/** Asks something of each version, of some at a time; resolves to the answers in the order of the versions. Rejects as `ask` does. */
export async function ofEachVersion<Version, Answer>(
  versions: readonly Version[],
  ask: (version: Version) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const some of groupsOf(versions, askedAtOnce)) answers.push(...(await Promise.all(some.map(ask))))
  return answers
}
