import { candidatesOf, clockWentBack, codeForm, isCodeAt } from './codes.ts'
import { sparedWork } from './spared-work.ts'
import type { ExaminedOtp, OtpDependencies } from './otp.ts'
import { devicesOf, type DeviceKind } from './records.ts'

type CodeExamination = (userId: number | undefined, code: string) => Promise<ExaminedOtp | undefined>

/** An id that no user has: who does not exist is looked up all the same. */
const nobody = -1

/** Tries a code of 6 to 8 digits on every device of a user that makes such codes. */
export function createCodeExamination(dependencies: OtpDependencies): CodeExamination {
  const { store, hsm, clock, rules, enabledTypes, alarm } = dependencies
  const kinds: DeviceKind[] = [
    ...(enabledTypes.includes('totp') ? ['totp' as const] : []),
    ...(enabledTypes.includes('hwkey_otp') ? ['hotp' as const] : []),
  ]
  /** What a user with one authenticator app costs, in operations of the token. */
  const usualCandidates = 2 * rules.totpDriftSteps + 1

  return async (userId, code) => {
    if (!codeForm.test(code)) return undefined
    const devices = await devicesOf(store.read, userId ?? nobody, ...kinds)
    const now = clock.now()
    for (const device of devices)
      if (device.kind === 'totp' && clockWentBack(device, now, rules)) await alarm('otp.clock_back', device)
    const candidates = devices.flatMap((device) => candidatesOf(device, now, rules))
    // All of them, whichever is right: the time must not tell.
    const [right] = await Promise.all([
      Promise.all(candidates.map(({ device, movingFactor }) => isCodeAt(hsm, device, movingFactor, code))),
      sparedWork(hsm, usualCandidates - candidates.length),
    ])
    const found = candidates.find(({ fresh }, at) => fresh && right[at])
    return found && { ...found.advance, deviceId: found.device.id, userId: found.device.userId, warnings: {} }
  }
}
