import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import type { RootCreationOptions } from '../hsm/pkcs11/root-creation.ts'
import { tokenLocationOf } from '../hsm/server/token-location.ts'
import type { Invocation } from './invocation.ts'

/** How this process reaches the token of a configuration by itself, and has the change on the disk. */
export const ownTokenOf = (config: Config) => ({
  ...tokenLocationOf(config),
  tokenDirectory: config.hsm.tokenDirectory,
})

/** For what makes or takes in root keys. */
export const rootCreationOf = ({ build }: Pick<Invocation, 'build'>, config: Config): RootCreationOptions => ({
  ...ownTokenOf(config),
  movable: config.hsm.movable,
  ceremony: join(build, 'hsm/ceremony'),
})
