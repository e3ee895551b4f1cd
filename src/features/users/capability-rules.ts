import {
  allCapabilities,
  capabilityBits,
  holds,
  type Capabilities,
  type Capability,
} from '../../access/capabilities.ts'
import { Fault } from '../../fault.ts'

/**
 * What a bitmap may say, whoever writes it. An escrow account is read by others when its time comes; it must not be
 * able to name those who do.
 * @throws Fault `user.invalid`
 */
export function checkCapabilities(capabilities: Capabilities): void {
  if ((capabilities & ~allCapabilities) !== 0 || capabilities < 0)
    throw new Fault('user.invalid', `status may hold these bits only: ${Object.values(capabilityBits).join(', ')}.`)
  if (holds(capabilities, 'escrow') && holds(capabilities, 'admin'))
    throw new Fault('user.invalid', 'status: an escrow account (bit 4) cannot be an administrator (bit 2).')
}

/**
 * Nobody raises himself: one's own rights can only be given up, and what restrains can only be put on.
 * @throws Fault `user.invalid`
 */
export function checkOwnChange(current: Capabilities, next: Capabilities): void {
  const changed = current ^ next
  const restrains: Capability = 'changePassphrase'
  const raised = changed & (next ^ (1 << capabilityBits[restrains]))
  if (raised !== 0)
    throw new Fault(
      'user.invalid',
      'status: of your own capabilities you can only give up some; ask another administrator.',
    )
}
