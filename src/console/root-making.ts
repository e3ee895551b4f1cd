import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import type { RootCreationOptions } from '../hsm/pkcs11/root-creation.ts'
import { tokenLocationOf } from '../hsm/server/token-location.ts'
import type { Invocation } from './invocation.ts'

/** The location of a token that this process opens itself, and the folder that must be synced after a change. */
export const ownTokenOf = (config: Config) => ({
  ...tokenLocationOf(config),
  tokenDirectory: config.hsm.tokenDirectory,
})

/** Options for operations that create or import root keys. */
export const rootCreationOf = ({ build }: Pick<Invocation, 'build'>, config: Config): RootCreationOptions => ({
  ...ownTokenOf(config),
  movable: config.hsm.movable,
  ceremony: join(build, 'hsm/ceremony'),
})
