import { z } from 'zod'
import { flag } from '../../../http/contract/flag.ts'
import { Fault } from '../../../fault.ts'
import type { Hash } from '../../../hsm/key-kind.ts'
import type { SigningRequest } from '../signatures.ts'
import { readCiphertext, type Ciphertext } from '../ciphertext.ts'
import { bytesOf } from './parameters.ts'

const hashNames: Readonly<Record<string, Hash>> = { 'sha2-256': 'sha256', 'sha2-384': 'sha384', 'sha2-512': 'sha512' }

/** Members of the calls that sign and verify. */
export const signingMembers = {
  input: z.string(),
  prehashed: flag.default(false),
  hash_algorithm: z.enum(['sha2-256', 'sha2-384', 'sha2-512']).optional(),
  signature_algorithm: z.enum(['pss', 'pkcs1v15']).optional(),
  marshaling_algorithm: z.enum(['asn1', 'jws']).default('asn1'),
}

type SigningBody = z.output<z.ZodObject<typeof signingMembers>>

/** @throws Fault `request.invalid` */
export function readSigning(body: SigningBody): SigningRequest {
  return {
    input: bytesOf('input', body.input),
    prehashed: body.prehashed,
    hash: body.hash_algorithm && hashNames[body.hash_algorithm],
    padding: body.signature_algorithm,
    form: body.marshaling_algorithm === 'jws' ? 'raw' : 'asn1',
  }
}

/** A signature or HMAC has the form of a ciphertext: the version that made it, and base64. @throws Fault `signature.malformed` */
export function readSignature(text: string): Ciphertext {
  try {
    return readCiphertext(text)
  } catch (error) {
    throw error instanceof Fault
      ? new Fault(
          'signature.malformed',
          'A signature or HMAC begins with service:v and its key version, for example service:v1:.',
        )
      : error
  }
}
