import type { OtpDevice } from './records.ts'

/** ASCII digits alone: nothing is trimmed or folded. */
export const codeForm = /^\d{6,8}$/

export interface DriftRules {
  /** How many time steps a TOTP device may deviate, either way, from its last known deviation. */
  readonly totpDriftSteps: number
  /** How far the last known deviation itself may be from our clock, in time steps. */
  readonly totpLargestDriftSteps: number
}

/**
 * Whether the last accepted time step lies further ahead than our clock allows: the clock was set back since, or was
 * wrong then.
 */
export function clockWentBack(device: OtpDevice, nowMs: number, rules: DriftRules): boolean {
  const { periodSeconds, driftSteps, counter } = device
  if (periodSeconds === null) return false
  const most = rules.totpLargestDriftSteps
  const drift = Math.max(-most, Math.min(most, driftSteps))
  return counter > Math.floor(nowMs / 1000 / periodSeconds) + Math.max(0, drift + rules.totpDriftSteps)
}
