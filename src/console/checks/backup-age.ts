import { systemClock } from '../../clock.ts'
import { isRecipient } from '../../backup/age-stream.ts'
import { createBackupProbe } from '../../daemon/monitor/backup-probe.ts'
import { roomOf, silence } from './disk-space.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'backup'
const { ok, problem, judged } = findingsOf(topic)

/** Checks the age of the newest backup. A failing timer shows only in its unit; the missing backups show here. */
export const backupCheck: Check = {
  topic,
  async run(config) {
    const wrong = config.backup?.recipients.find((recipient) => !isRecipient(recipient))
    if (wrong !== undefined)
      return [
        problem(
          `backup.recipients: ${wrong} is not a recipient, so no backup is made`,
          'Write the age1… that "strongroom backup identity" showed.',
        ),
      ]
    if (config.backup !== undefined && (await roomOf(config.backup.directory)) === 'silent')
      return [{ ...silence(config.backup.directory), topic }]
    const found = await createBackupProbe(config)(systemClock.now())
    return [found === undefined ? ok('none by the timer: backup.directory is not set') : judged(found)]
  },
}
