import type { OtpDevice } from './records.ts'

/** ASCII digits alone: nothing is trimmed or folded. */
export const codeForm = /^\d{6,8}$/

export interface DriftRules {
  /** How many steps the clock of a TOTP device may differ, either way, from where it was last seen. */
  readonly totpDriftSteps: number
  /** How far that may wander from our own clock, in steps. */
  readonly totpLargestDriftSteps: number
}

/** Whether a later step was accepted than the clock allows for: the clock was set back since, or was wrong then. */
export function clockWentBack(device: OtpDevice, nowMs: number, rules: DriftRules): boolean {
  const { periodSeconds, driftSteps, counter } = device
  if (periodSeconds === null) return false
  const most = rules.totpLargestDriftSteps
  const drift = Math.max(-most, Math.min(most, driftSteps))
  return counter > Math.floor(nowMs / 1000 / periodSeconds) + drift + rules.totpDriftSteps
}
