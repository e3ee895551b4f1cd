import { systemClock } from '../../clock.ts'
import { createBackupProbe } from '../../daemon/monitor/backup-probe.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'backup'
const { ok, judged } = findingsOf(topic)

/** A timer that fails is seen by its unit alone; that no backup comes is seen here. */
export const backupCheck: Check = {
  topic,
  async run(config) {
    const found = await createBackupProbe(config)(systemClock.now())
    return [found === undefined ? ok('none by the timer: backup.directory is not set') : judged(found)]
  },
}
