import { systemClock } from '../../clock.ts'
import { createBackupSight } from '../../daemon/monitor/backup-sight.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'backup'
const { ok, judged } = findingsOf(topic)

/** A timer that fails is seen by its unit alone; that no backup comes is seen here. */
export const backupCheck: Check = {
  topic,
  async run(config) {
    const found = await createBackupSight(config)(systemClock.now())
    return [found === undefined ? ok('none by the timer: backup.directory is not set') : judged(found)]
  },
}
