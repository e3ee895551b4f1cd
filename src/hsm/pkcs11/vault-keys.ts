import { randomBytes } from 'node:crypto'
import pkcs11, { type Template } from 'pkcs11js'
import { cipherOnly, usageAttributes } from './key-kinds.ts'
import { withDirectorySync } from './directory-sync.ts'
import { aesKeyGen } from './mechanisms.ts'
import { lastingTemplate, noticeChanges, vaultKeyLabel } from './root-objects.ts'
import type { Token } from './token.ts'

const idBytes = 16

/**
 * Makes the data key of a vault as a token object and resolves to its CKA_ID in hexadecimal. The key is on the disk when this
 * returns, where `tokenDirectory` names the folder of a software token. A repeat leaves an unused key behind, no more.
 */
export function createVaultKey(token: Token, tokenDirectory: string | undefined): string {
  return withDirectorySync(tokenDirectory, () =>
    token.run(({ session }) => {
      const id = randomBytes(idBytes)
      noticeChanges(session)
      session.generate(aesKeyGen, [...vaultKey, ...lastingTemplate(vaultKeyLabel, id)])
      return id.toString('hex')
    }),
  )
}

/** A key that is not there is no error. */
export function destroyVaultKey(token: Token, id: string, tokenDirectory: string | undefined): void {
  withDirectorySync(tokenDirectory, () =>
    token.run(({ session }) => {
      const found = session.find([
        { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
        { type: pkcs11.CKA_LABEL, value: vaultKeyLabel },
        { type: pkcs11.CKA_ID, value: Buffer.from(id, 'hex') },
      ])
      for (const handle of found) session.destroy(handle)
    }),
  )
}

const vaultKey: Template = [
  { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
  { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_AES },
  { type: pkcs11.CKA_VALUE_LEN, value: 32 },
  ...usageAttributes(cipherOnly),
]
