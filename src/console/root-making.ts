import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import type { RootCreationOptions } from '../hsm/pkcs11/root-creation.ts'
import { tokenLocationOf } from '../hsm/server/token-location.ts'
import type { Invocation } from './invocation.ts'

/** Options for operations that create or import root keys. */
export const rootCreationOf = ({ build }: Pick<Invocation, 'build'>, config: Config): RootCreationOptions => ({
  ...tokenLocationOf(config),
  movable: config.hsm.movable,
  ceremony: join(build, 'hsm/ceremony'),
})
