import { readSecret } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { openToken } from '../../hsm/pkcs11/connection.ts'
import { finalize, loadModule } from '../../hsm/pkcs11/module.ts'
import { listObjects, vaultKeyLabel } from '../../hsm/pkcs11/root-objects.ts'
import { parseTokenUri } from '../../hsm/pkcs11/token-uri.ts'

/**
 * CKA_ID (hexadecimal) of every vault key in the token, which this process opens itself. Throws `hsm.unavailable`, and
 * TokenFailure (`fatal`) when the PIN is refused: so it must be known to be right before.
 */
export function vaultKeyIds({ hsm }: Config): string[] {
  const lib = loadModule({ path: hsm.module, softhsmConf: hsm.softhsmConf })
  try {
    const { session } = openToken(lib, parseTokenUri(hsm.token), () => readSecret(hsm.pinFile))
    return listObjects(session)
      .filter(({ label }) => label === vaultKeyLabel)
      .map(({ id }) => id)
  } finally {
    finalize(lib)
  }
}
