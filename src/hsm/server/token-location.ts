import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import type { TokenLocation } from '../pkcs11/token-opening.ts'
import { createFilePin, type PinSources } from './file-pin.ts'
import { refusedPinsBeside } from './refused-pins.ts'

/** The token in the configuration, for every process of Strongroom that logs in to it. */
export function tokenLocationOf(config: Config): TokenLocation {
  const { module, token: uri, softhsmConf, tokenDirectory } = config.hsm
  return { module, uri, softhsmConf, tokenDirectory, pin: createFilePin(pinSourcesOf(config)) }
}

export const pinSourcesOf = (config: Config): PinSources => ({
  pinFile: config.hsm.pinFile,
  refusedPins: refusedPinsBeside(keeperOf(config).state),
})
