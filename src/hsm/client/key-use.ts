import { type BatchItem, batchFields, readOutcomes, referenceFields } from '../protocol/batch-frame.ts'
import type { KeyUse, Outcome, RewrapItem, SignatureScheme } from '../key-use.ts'
import type { Calls } from './calls.ts'

const nothing = Buffer.alloc(0)

export function createKeyUse({ fields, bytes, flag }: Calls): KeyUse {
  const many = async (
    operation: 'encryptMany' | 'decryptMany' | 'rewrapMany',
    items: readonly BatchItem[],
  ): Promise<readonly Outcome[]> =>
    items.length === 0 ? [] : readOutcomes(await fields(operation, batchFields(items)), items.length)

  return {
    encrypt: (key, plaintext, aad) => bytes('encrypt', [...referenceFields(key), plaintext, aad ?? nothing]),
    encryptRandom: (key, count, aad) =>
      bytes('encryptRandom', [...referenceFields(key), Buffer.from(String(count)), aad ?? nothing]),
    decrypt: (key, ciphertext, aad) => bytes('decrypt', [...referenceFields(key), ciphertext, aad ?? nothing]),
    async rewrap(item) {
      const [outcome] = await many('rewrapMany', [rewrapItem(item)])
      return resultOf(outcome)
    },
    encryptMany: (items) =>
      many(
        'encryptMany',
        items.map(({ key, plaintext, aad }) => ({ references: [key], fields: [plaintext, aad ?? nothing] })),
      ),
    decryptMany: (items) =>
      many(
        'decryptMany',
        items.map(({ key, ciphertext, aad }) => ({ references: [key], fields: [ciphertext, aad ?? nothing] })),
      ),
    rewrapMany: (items) => many('rewrapMany', items.map(rewrapItem)),
    sign: (key, scheme, input) => bytes('sign', [...referenceFields(key), ...schemeFields(scheme), input]),
    verifySignature: (key, scheme, input, signature) =>
      flag('verifySignature', [...referenceFields(key), ...schemeFields(scheme), input, signature]),
    hmac: (key, data) => bytes('hmac', [...referenceFields(key), data]),
    verifyHmac: (key, data, mac) => flag('verifyHmac', [...referenceFields(key), data, mac]),
    decryptOtpBlock: (key, block, privateIdCheck) =>
      bytes('decryptOtpBlock', [...referenceFields(key), block, privateIdCheck]),
    otpHmac: (key, data) => bytes('otpHmac', [...referenceFields(key), data]),
  }
}

function rewrapItem({ from, to, ciphertext, aad, newAad }: RewrapItem): BatchItem {
  return { references: [from, to], fields: [ciphertext, aad ?? nothing, newAad ?? nothing] }
}

function resultOf(outcome: Outcome | undefined): Buffer {
  if (outcome === undefined) throw new RangeError('a batch without an outcome')
  if ('fault' in outcome) throw outcome.fault
  return outcome.result
}

function schemeFields({ hash, padding, saltBytes }: SignatureScheme): Buffer[] {
  return [Buffer.from(hash), Buffer.from(padding ?? 'pss'), Buffer.from(saltBytes === undefined ? '' : `${saltBytes}`)]
}
