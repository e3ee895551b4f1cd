import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Config } from '../../config/schema.ts'
import { lastChange } from '../../daemon/monitor/clock-lag.ts'
import { OtpDeviceTable } from '../../features/otp/records.ts'
import { withStore } from '../console-context.ts'
import { judgeClock } from '../../monitor/judgement.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'clock'
const { ok, warning, judged } = findingsOf(topic)
const run = promisify(execFile)

/** Checks the clock: accepted time-based passwords and audit records cannot be from the future. */
export const clockCheck: Check = {
  topic,
  async run(config) {
    const latestMs = Math.max(await lastWritten(config), await lastPassword(config))
    const judgement = judgeClock(latestMs - Date.now(), config.warnings)
    if (judgement.state !== 'ok') return [judged(judgement)]
    if ((await isSynchronised()) === false) return [warning('it is not kept by a time service', judgement.remedy)]
    return [ok(new Date().toISOString())]
  },
}

async function lastWritten({ audit }: Config): Promise<number> {
  return existsSync(audit.directory) ? lastChange(audit.directory) : 0
}

function lastPassword(config: Config): Promise<number> {
  return withStore(config, async (store) => {
    const devices = await store.read.findBy(OtpDeviceTable, { kind: 'totp' })
    // The rows of removed devices stay, so that their seeds are not enrolled again.
    const used = devices.filter(({ userId }) => userId !== null)
    return Math.max(0, ...used.map(({ counter, periodSeconds }) => counter * (periodSeconds ?? 30) * 1000))
  })
}

/** Whether a time service sets the clock; undefined without systemd. */
async function isSynchronised(): Promise<boolean | undefined> {
  try {
    const { stdout } = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value'], { timeout: 5_000 })
    return stdout.trim() === 'yes'
  } catch {
    return undefined
  }
}
