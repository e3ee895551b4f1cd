import { z } from 'zod'
import { path, whole } from './value-shapes.ts'

const name = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 characters of ASCII without blanks')
const audiences = z.array(name).min(1).max(16)

/** An issuer of JWTs with which service accounts log in, for example a Kubernetes cluster or a CI system. */
const issuer = z
  .strictObject({
    issuer: name.describe('As its JWTs name it (iss), usually an https address.'),
    jwksFile: path
      .optional()
      .describe('File with its public keys (a JWK set), which the keeper reads itself at each login.'),
    jwksUrl: z
      .url({ protocol: /^https$/ })
      .optional()
      .describe('Address of its public keys, in place of a file: workers fetch them, and the keeper takes their word.'),
    jwksCa: path.optional().describe('PEM file with the CAs of that server, where the system does not hold them.'),
    audience: audiences
      .optional()
      .describe('Audiences of its JWTs, one of which each must name; service.audience otherwise.'),
  })
  .refine(({ jwksFile, jwksUrl }) => (jwksFile === undefined) !== (jwksUrl === undefined), {
    error: 'an issuer needs its keys by one way: jwksFile or jwksUrl',
  })
  .refine(({ jwksUrl, jwksCa }) => jwksUrl !== undefined || jwksCa === undefined, { error: 'jwksCa needs jwksUrl' })

/** Settings of service accounts, which applications use that run unattended. */
export const service = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether service accounts may log in.'),
  sessionMs: whole(60_000, 86_400_000)
    .default(3_600_000)
    .describe('How long a session of a service account lasts; the application logs in again before it ends.'),
  sessionsPerAccount: whole(1, 1_000_000)
    .default(10_000)
    .describe('Most sessions a service account may have open; a further login ends the oldest.'),
  allowStatic: z
    .boolean()
    .default(false)
    .describe(
      'Whether service accounts may log in by a static key, for machines that can neither hold a certificate nor sign: anyone who reads the key can log in until it is removed.',
    ),
  audience: audiences
    .default(['strongroom'])
    .describe('How signed assertions name this appliance (aud); each must name one of these.'),
  issuers: z
    .array(issuer)
    .max(16)
    .refine((issuers) => new Set(issuers.map((one) => one.issuer)).size === issuers.length, {
      error: 'each issuer once',
    })
    .default([])
    .describe(
      'Issuers of JWTs by which service accounts log in (service_federated), such as Kubernetes and CI systems.',
    ),
})

export type ServiceConfig = z.infer<typeof service>
export type IssuerConfig = z.infer<typeof issuer>
