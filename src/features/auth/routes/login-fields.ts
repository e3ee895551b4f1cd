import { z } from 'zod'

/** A pass phrase, a key or a one-time password, right or wrong. */
export const secret = z.string().max(1024)

/** Every name of a login type that clients send. */
export const loginType = z.enum(['totp', 'hwkey_otp', 'yubikey_otp', 'smartcard', 'smc_rest'])
