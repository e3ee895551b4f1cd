import { systemClock } from '../../clock.ts'
import { createBackupProbe } from '../../daemon/monitor/backup-probe.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'backup'
const { ok, judged } = findingsOf(topic)

/** Checks the age of the newest backup. A failing timer shows only in its unit; the missing backups show here. */
export const backupCheck: Check = {
  topic,
  async run(config) {
    const found = await createBackupProbe(config)(systemClock.now())
    return [found === undefined ? ok('none by the timer: backup.directory is not set') : judged(found)]
  },
}
