import pkcs11 from 'pkcs11js'
import { TokenFailure } from './failure.ts'
import { secretKeyRows } from './key-kinds.ts'
import { generatedTemplate, unwrappedTemplate } from './key-templates.ts'
import { keyWrap } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

const row = secretKeyRows['aes256-gcm']

const readableTemplate = unwrappedTemplate(row).map((attribute) => {
  if (attribute.type === pkcs11.CKA_SENSITIVE) return { ...attribute, value: false }
  return attribute.type === pkcs11.CKA_EXTRACTABLE ? { ...attribute, value: true } : attribute
})

/**
 * Whether this KEK has an effective unwrap template, so that it never unwraps a key as a readable one. Found by a try,
 * not by reading attributes.
 */
export function hidesKeys(session: Pkcs11Session, kek: KeyHandle): boolean {
  const key = session.generate(row.generation, generatedTemplate(row))
  try {
    session.destroy(session.unwrap(keyWrap, kek, session.wrap(keyWrap, kek, key), readableTemplate))
    return false
  } catch (error) {
    if (error instanceof TokenFailure && error.remedy === 'data') return true
    throw error
  } finally {
    session.destroy(key)
  }
}
