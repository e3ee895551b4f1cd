import type { Config } from '../../config/schema.ts'
import { tokenLocationOf } from '../../hsm/server/token-location.ts'

/** How this process reaches the token of a configuration by itself. */
export const locationOf = (config: Config) => ({
  ...tokenLocationOf(config),
  tokenDirectory: config.hsm.tokenDirectory,
})

export function isSameToken(one: Config, other: Config): boolean {
  const [here, there] = [one, other].map(({ hsm }) => JSON.stringify([hsm.module, hsm.token, hsm.softhsmConf]))
  return here === there
}
