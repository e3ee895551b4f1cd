import type { OtpDevice } from './records.ts'

/** ASCII digits alone: nothing is trimmed or folded. */
export const codeForm = /^\d{6,8}$/

export interface DriftRules {
  /** How many time steps a TOTP device may deviate, either way, from its last known deviation. */
  readonly totpDriftSteps: number
  /** How far the last known deviation itself may be from our clock, in time steps. */
  readonly totpLargestDriftSteps: number
}

/** The last time step for which the keeper accepts a code now (`hsm/keeper/otp-candidates.ts`). */
export const lastStep = (
  periodSeconds: number,
  driftSteps: number,
  nowMs: number,
  { totpDriftSteps }: Pick<DriftRules, 'totpDriftSteps'>,
): number => Math.floor(nowMs / 1000 / periodSeconds) + Math.max(0, driftSteps + totpDriftSteps)

/**
 * Whether the last accepted time step lies further ahead than our clock allows: the clock was set back since, or was
 * wrong then.
 */
export function clockWentBack(device: OtpDevice, nowMs: number, rules: DriftRules): boolean {
  const { periodSeconds, driftSteps, counter } = device
  if (periodSeconds === null) return false
  const most = rules.totpLargestDriftSteps
  const drift = Math.max(-most, Math.min(most, driftSteps))
  return counter > lastStep(periodSeconds, drift, nowMs, rules)
}
