import type { Config } from '../../config/schema.ts'

export function isSameToken(one: Config, other: Config): boolean {
  const [here, there] = [one, other].map(({ hsm }) => JSON.stringify([hsm.module, hsm.token, hsm.softhsmConf]))
  return here === there
}
