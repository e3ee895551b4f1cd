import { readSecret } from '../../config/loader.ts'
import { randomBase62 } from '../../encoding/base62.ts'
import type { PinLimits } from '../../hsm/pkcs11/pin-setting.ts'
import { UsageError } from '../exit-code.ts'
import { firstLine, nameAnother, type Terminal } from '../output/terminal.ts'

export interface NewPinFlags {
  readonly newPinFile?: string
  readonly ask?: true
}

const pinLetters = 24

/** A random PIN of letters and digits, as in `softhsm/init-token`: 24 characters have 142 bits. */
export function randomPin({ most }: Pick<PinLimits, 'most'> = { most: pinLetters }): string {
  return randomBase62(Math.min(pinLetters, most))
}

/** The PIN that the operator gives; undefined if a random one is wanted. @throws UsageError */
export async function givenPin(terminal: Terminal, { newPinFile, ask }: NewPinFlags): Promise<string | undefined> {
  if (newPinFile !== undefined && ask === true) throw new UsageError('Give --new-pin-file or --ask, not both.')
  if (newPinFile === '-') return firstLine(await terminal.standardInput())
  if (newPinFile !== undefined) return readSecret(newPinFile, nameAnother)
  if (ask !== true) return undefined
  if (!terminal.isInteractive) throw new UsageError('There is no terminal to ask: give --new-pin-file FILE.')
  const pin = await terminal.askSecret('New PIN: ')
  if ((await terminal.askSecret('New PIN again: ')) !== pin)
    throw new UsageError('The two PINs differ: nothing was changed, try again.')
  return pin
}
