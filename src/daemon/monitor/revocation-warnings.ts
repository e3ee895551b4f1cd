import { hash } from 'node:crypto'
import { systemClock } from '../../clock.ts'
import { enabledSmartcard, type Config } from '../../config/schema.ts'
import { createPathValidator } from '../../features/certificates/path-validation.ts'
import type { StandingWarning } from '../../monitor/standing-warning.ts'

/** Revocation lists warn as the login does, `smartcard.crlWarningMs` before their end. */
export function createRevocationWarnings(config: Config): () => readonly StandingWarning[] {
  const settings = enabledSmartcard(config)
  // Those who use the files report what is wrong with them.
  const validator = settings?.clientCa === undefined ? undefined : createPathValidator(settings, systemClock, () => {})
  return () => warningsOf(validator?.alarms() ?? [])
}

/**
 * One warning of each CA. Its name is a label of a metric, which must be short, and there once: so it has a digest of
 * the sentence up to the time in it, the same before and after that.
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
