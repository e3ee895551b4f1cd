import { capabilityBits } from '../session/own-capability.ts'

/** The bits of a user's status (`GET /utils/statusvalues`) that administrators choose. */
export type ChosenBit = keyof typeof capabilityBits
export const chosenNames: readonly ChosenBit[] = ['createVault', 'admin', 'audit', 'changePassphrase', 'escrow']

const activeBit = 7
/** Status of a new user: Read and Active. */
export const newStatus = 1 | (1 << activeBit)

const hasBit = (status: number, bit: number): boolean => (status & (1 << bit)) !== 0
const withBit = (status: number, bit: number, isSet: boolean): number =>
  isSet ? status | (1 << bit) : status & ~(1 << bit)

export const isActive = (status: number): boolean => hasBit(status, activeBit)
export const activated = (status: number): number => withBit(status, activeBit, true)
/** The present status with those bits changed that the person changed between `before` and `after`. */
export const turned = (now: number, before: number, after: number): number => {
  const bits = before ^ after
  return (now & ~bits) | (after & bits)
}
export const holds = (status: number, name: ChosenBit): boolean => hasBit(status, capabilityBits[name])
export const holding = (status: number, name: ChosenBit, isSet: boolean): number =>
  withBit(status, capabilityBits[name], isSet)
