import { dirname, join } from 'node:path'
import type { Config } from './schema.ts'

/** The unix socket of the token host that generates RSA keys: `hsm.keyMakerSocket` or its default. */
export function keyMakerSocketOf({
  sockets,
  keyMakerSocket,
}: Pick<Config['hsm'], 'sockets' | 'keyMakerSocket'>): string {
  return keyMakerSocket ?? join(dirname(sockets[0] ?? ''), 'key-maker.sock')
}
