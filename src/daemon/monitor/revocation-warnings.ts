import { hash } from 'node:crypto'
import { systemClock } from '../../clock.ts'
import { enabledSmartcard, type Config } from '../../config/schema.ts'
import { createPathValidator } from '../../features/certificates/path-validation.ts'
import type { StandingWarning } from '../../monitor/standing-warning.ts'

/** Warnings about revocation lists, `smartcard.crlWarningMs` before their end, as at a login. */
export function createRevocationWarnings(config: Config): () => readonly StandingWarning[] {
  const settings = enabledSmartcard(config)
  // The users of the files report their problems.
  const validator = settings?.clientCa === undefined ? undefined : createPathValidator(settings, systemClock, () => {})
  return () => warningsOf(validator?.alarms() ?? [])
}

/**
 * One warning per CA. Its name is a metric label, which must be short and unique: it contains a digest of the sentence
 * without its time, so that it stays the same.
 */
export function warningsOf(alarms: readonly string[]): readonly StandingWarning[] {
  const warnings = new Map<string, StandingWarning>()
  for (const alarm of alarms) {
    const name = `revocation.${hash('sha256', alarm.replace(/ expire[sd] on .*$/, '')).slice(0, 8)}`
    const before = warnings.get(name)
    const isEnding = alarm.includes(' expires on ') && before?.state !== 'problem'
    warnings.set(name, {
      name,
      state: isEnding ? 'warning' : 'problem',
      detail: [before?.detail, alarm.replace(/\.$/, '')].filter((part) => part !== undefined).join('. '),
      remedy: 'No restart is needed: the file is read again when it changes.',
    })
  }
  return [...warnings.values()]
}
