import { z } from 'zod'
import { Fault } from '../../../fault.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { readUpload } from '../../certificates/uploaded-certificate.ts'
import { nameTypes, type AskedCredential } from '../new-credential.ts'
import { jwkIn, longestKeyText } from '../public-key-text.ts'
import type { ServiceAccounts } from '../service-accounts.ts'
import {
  credentialRecord,
  credentialSchema,
  endField,
  serviceIdOf,
  ofOwner,
  onHoldSentence,
  serviceParams,
} from './service-record.ts'

const body = z.object({
  kind: z
    .enum(['certificate', 'ca', 'jwt', 'federated', 'static'])
    .describe(
      'Kind of the credential. certificate: one TLS client certificate; ca: every one that a CA issues to a name; jwt: a key by which the application signs assertions; federated: JWTs of an issuer of the configuration; static: a secret text, where the operator allows it.',
    ),
  name: z.string().describe('Name of the credential: 1 to 64 letters, digits, blanks and . _ - characters.'),
  expires: endField
    .optional()
    .describe('From when it is refused, RFC 3339 in UTC; or never. A certificate ends by itself too.'),
  certificate: z
    .string()
    .max(65_536)
    .optional()
    .describe('The certificate of the application (certificate) or of the CA (ca), PEM, of at most 64 KiB.'),
  san: z
    .object({
      type: z.enum(nameTypes).describe('Which of the subject alternative names.'),
      pattern: z
        .string()
        .describe('What one of them has to be: 1 to 128 characters, of which up to 8 are * for any characters.'),
    })
    .optional()
    .describe('Of a ca: to whom the certificates have to be issued.'),
  publickey: z
    .string()
    .max(longestKeyText)
    .optional()
    .describe(
      'Of a jwt: the public key, PEM or the JSON text of a JWK, of at most 8 KiB: Ed25519, P-256, or RSA of 2048 to 8192 bits.',
    ),
  kid: z
    .string()
    .optional()
    .describe('Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any.'),
  issuer: z
    .string()
    .optional()
    .describe('Of a federated one: the issuer, as `iss` of its JWTs names it and the configuration knows it.'),
  claims: z
    .record(
      z.string().describe('Name of a claim, of 1 to 128 characters.'),
      z.string().describe('What the claim has to be: 1 to 128 characters, of which up to 8 are * for any characters.'),
    )
    .optional()
    .describe(
      'Of a federated one: 1 to 16 claims, all of which have to fit; one pattern at least has another character than *.',
    ),
})

/** `POST /service/:serviceid/credential`. */
export const addCredential = (accounts: ServiceAccounts) =>
  endpoint({
    operation: 'service.credential.add',
    handler: 'ServiceHandler',
    method: 'POST',
    path: '/service/:serviceid/credential',
    summary: 'Add a credential to a service account',
    access: ofOwner(accounts),
    success: 201,
    faults: ['service.not_found', 'service.invalid', 'certificate.invalid'],
    reply: {
      callinfo: z.object({
        credential: credentialSchema.describe('The new credential.'),
        key: z
          .string()
          .optional()
          .describe('Of a static one: the key, of 43 characters. It is shown once and kept nowhere.'),
      }),
    },
    params: serviceParams,
    body,
    quota: 'files',
    async run({ params, body, caller, note, commit }) {
      const id = serviceIdOf(params.serviceid)
      const { service, putsOnHold, credential, key } = await accounts.addCredential(
        id,
        askedIn(body),
        caller.userId,
        (work) =>
          commit(async (tx) => {
            const made = await work(tx)
            note({ target: `service ${id}: ${body.kind} ${body.name.slice(0, 64)}` })
            return made
          }),
      )
      return {
        callinfo: { credential: credentialRecord(service, credential), ...(key !== undefined && { key }) },
        general: onHoldSentence(putsOnHold),
      }
    },
  })

/** The members of the body that each kind uses. @throws Fault `request.invalid`, `certificate.invalid` */
function askedIn(given: z.infer<typeof body>): AskedCredential {
  const { kind, name, expires, certificate, san, publickey, kid, issuer, claims } = given
  const expiresAt = expires ?? null
  if (kind === 'jwt') {
    if (publickey === undefined) throw missing('publickey', kind)
    return { kind, name, expiresAt, publicKey: jwkIn(publickey), kid: kid ?? null }
  }
  if (kind === 'federated') {
    if (issuer === undefined) throw missing('issuer', kind)
    if (claims === undefined) throw missing('claims', kind)
    return { kind, name, expiresAt, issuer, claims }
  }
  if (kind === 'static') return { kind, name, expiresAt }
  if (certificate === undefined) throw missing('certificate', kind)
  const read = readUpload(Buffer.from(certificate))
  if (kind === 'certificate') return { kind, name, expiresAt, certificate: read }
  if (san === undefined) throw missing('san', kind)
  return { kind, name, expiresAt, certificate: read, san }
}

const missing = (member: string, kind: string): Fault =>
  new Fault('request.invalid', `${member} is missing: a credential of the kind ${kind} needs it.`)

/** `DELETE /service/:serviceid/credential/:credentialid`. */
export const removeCredential = (accounts: ServiceAccounts) =>
  endpoint({
    operation: 'service.credential.remove',
    handler: 'ServiceHandler',
    method: 'DELETE',
    path: '/service/:serviceid/credential/:credentialid',
    summary: 'Remove a credential of a service account, and end its sessions',
    access: ofOwner(accounts),
    faults: ['service.not_found', 'service.credential_unknown'],
    reply: { callinfo: messageSchema },
    params: serviceParams.extend({ credentialid: z.string().describe('Id of the credential, 16 hexadecimal digits.') }),
    async run({ params: { serviceid, credentialid }, caller, commit }) {
      const id = serviceIdOf(serviceid)
      await accounts.removeCredential(id, credentialid, caller.userId, commit)
      return { callinfo: { message: 'Credential removed' } }
    },
  })
