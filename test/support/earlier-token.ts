import pkcs11, { type Template } from 'pkcs11js'
import { withPin } from './pin-session.ts'
import type { TestToken } from './token.ts'

/**
 * Replaces the root objects of a new token by those of release 0.2.0: they can be copied and used by all mechanisms of
 * their type, and the backup KEK has no unwrap template. The strict KEK stays.
 */
export function asOfRelease020(token: TestToken): void {
  withPin(token, ({ lib, session, objects }) => {
    for (const { handle, label } of objects)
      if (label.startsWith('strongroom.') && !label.startsWith('strongroom.kek.strict.'))
        lib.C_DestroyObject(session, handle)
    const secret = (label: string, mechanism: number, template: Template) =>
      lib.C_GenerateKey(session, { mechanism }, [
        { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
        { type: pkcs11.CKA_VALUE_LEN, value: 32 },
        ...template,
        ...lasting(label),
      ])
    for (const role of ['kek.exportable', 'kek.backup'])
      secret(`strongroom.${role}.v1`, pkcs11.CKM_AES_KEY_GEN, [...usage({ wrap: true, unwrap: true })])
    for (const role of ['backup-seal', 'seal', 'pepper'])
      secret(`strongroom.${role}.v1`, pkcs11.CKM_GENERIC_SECRET_KEY_GEN, [...usage({ sign: true })])
    lib.C_GenerateKeyPair(
      session,
      { mechanism: pkcs11.CKM_EC_KEY_PAIR_GEN },
      [
        { type: pkcs11.CKA_EC_PARAMS, value: Buffer.from('06082a8648ce3d030107', 'hex') },
        ...publicHalf('strongroom.audit.v1'),
      ],
      [...usage({ sign: true }), ...lasting('strongroom.audit.v1')],
    )
    lib.C_GenerateKeyPair(
      session,
      { mechanism: pkcs11.CKM_RSA_PKCS_KEY_PAIR_GEN },
      [
        { type: pkcs11.CKA_MODULUS_BITS, value: 3072 },
        { type: pkcs11.CKA_PUBLIC_EXPONENT, value: Buffer.from('010001', 'hex') },
        ...publicHalf('strongroom.transport.v1'),
      ],
      [...usage({ decrypt: true, unwrap: true }), ...lasting('strongroom.transport.v1')],
    )
  })
}

type Usage = 'encrypt' | 'decrypt' | 'sign' | 'wrap' | 'unwrap'

function usage(allowed: Partial<Record<Usage, true>>): Template {
  return [
    { type: pkcs11.CKA_DECRYPT, value: allowed.decrypt === true },
    { type: pkcs11.CKA_SIGN, value: allowed.sign === true },
    { type: pkcs11.CKA_UNWRAP, value: allowed.unwrap === true },
    { type: pkcs11.CKA_DERIVE, value: false },
    ...(allowed.wrap === true ? [{ type: pkcs11.CKA_WRAP, value: true }] : []),
  ]
}

function lasting(label: string): Template {
  return [
    ...object(label, { isPrivate: true }),
    { type: pkcs11.CKA_SENSITIVE, value: true },
    { type: pkcs11.CKA_EXTRACTABLE, value: false },
  ]
}

function publicHalf(label: string): Template {
  return object(label, { isPrivate: false })
}

function object(label: string, { isPrivate }: { readonly isPrivate: boolean }): Template {
  return [
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_PRIVATE, value: isPrivate },
    { type: pkcs11.CKA_MODIFIABLE, value: false },
    { type: pkcs11.CKA_LABEL, value: label },
    { type: pkcs11.CKA_ID, value: Buffer.from(label) },
  ]
}
