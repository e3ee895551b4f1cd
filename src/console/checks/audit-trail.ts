import { verifyTrail } from '../../audit/trail-verification.ts'
import { applianceTrail } from '../audit/verification-input.ts'
import { despiteArchiving } from '../audit/moved-files.ts'
import { trailBytes } from '../audit/verify.ts'
import { absenceOf } from '../absence.ts'
import { count } from '../output/command-answer.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'audit trail'
const { ok, warning, problem } = findingsOf(topic)
const largestBytes = 256 * 2 ** 20

/** Verifies the trail like `strongroom audit verify`, unless it is so large that this would take long. */
export const trailCheck: Check = {
  topic,
  async run(config, invocation) {
    const { directory } = config.audit
    const absence = absenceOf(directory, 'audit.directory')
    if (absence !== undefined) return [problem(absence.detail, absence.remedy)]
    const bytes = await trailBytes(directory)
    if (bytes > largestBytes)
      return [
        warning(
          `${Math.round(bytes / 2 ** 20)} MiB are too much to check here`,
          'Run "strongroom audit verify" when there is time.',
        ),
      ]
    const { sound, chains } = await despiteArchiving([directory], async () =>
      verifyTrail(await applianceTrail(invocation, config)),
    )
    const found = chains.reduce((sum, { findings, moreFindings }) => sum + findings.length + moreFindings, 0)
    if (!sound)
      return [
        problem(
          `${count(found, 'finding')}: records were changed, removed or added`,
          'Run "strongroom audit verify" and keep a copy of what it reads.',
        ),
      ]
    const records = chains.reduce((sum, chain) => sum + chain.records, 0)
    return [ok(`${count(records, 'record')} in ${count(chains.length, 'chain')}, as they were written`)]
  },
}
