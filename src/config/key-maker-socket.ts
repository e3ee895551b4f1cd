import { dirname, join } from 'node:path'

/** The unix socket of the token host that generates RSA keys: `hsm.keyMakerSocket` or its default. */
export function keyMakerSocketOf({
  sockets,
  keyMakerSocket,
}: {
  readonly sockets: readonly string[]
  readonly keyMakerSocket?: string | undefined
}): string {
  return keyMakerSocket ?? join(dirname(sockets[0] ?? ''), 'key-maker.sock')
}
