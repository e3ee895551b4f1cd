import { z } from 'zod'
import { addressRange, milliseconds, path, port } from './value-shapes.ts'

export const smartcard = z
  .strictObject({
    enabled: z.boolean().default(true).describe('False turns smartcards off without deleting the section.'),
    port: port.default(8443).describe('Port of the second listener, which asks for a client certificate.'),
    clientCa: path
      .optional()
      .describe(
        'PEM file with the CAs that issue the cards; without it a registered certificate is accepted from any issuer.',
      ),
    intermediates: path.optional().describe('PEM file with CAs between those and the cards.'),
    crls: z
      .array(path)
      .default([])
      .describe('Files with revocation lists, PEM or DER, read again when they change; each CA in use needs one.'),
    crlWarningMs: milliseconds
      .default(172_800_000)
      .describe('How long before a revocation list expires the journal warns.'),
    ocsp: z
      .enum(['off', 'soft', 'hard'])
      .default('off')
      .describe(
        'Whether to ask the responder of the CA; when it does not answer, soft lets the card pass and hard refuses it.',
      ),
    ocspResponder: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Address of the responder, in place of the one that a certificate names.'),
    ocspTimeoutMs: milliseconds.max(30_000).default(3_000).describe('How long the responder may take.'),
    ocspCacheMs: milliseconds.default(300_000).describe('How long an answer of the responder is believed at most.'),
    requireClientAuth: z
      .boolean()
      .default(true)
      .describe(
        'Whether a certificate must name clientAuth as a use; false also admits those that name no use at all.',
      ),
    proxies: z
      .array(addressRange)
      .default([])
      .describe('Addresses and ranges of TLS proxies in front, whose certificate header is believed.'),
    proxyHeader: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'must be the name of a header')
      .default('Client-Cert')
      .describe(
        'Header in which they forward the client certificate: as RFC 9440 has it, or as PEM with percent-encoding (nginx: $ssl_client_escaped_cert).',
      ),
  })
  .refine(({ clientCa, crls, ocsp }) => clientCa !== undefined || (crls.length === 0 && ocsp === 'off'), {
    error: 'crls and ocsp need clientCa: what a CA says can only be believed by its certificate',
  })
  .refine(({ clientCa, proxies }) => clientCa !== undefined || proxies.length === 0, {
    error: 'proxies need clientCa: without it the certificates that they forward cannot be checked',
  })

/** The settings for certificates if the configuration has no section `smartcard`. */
export const smartcardDefaults = smartcard.parse({})

export type SmartcardConfig = z.infer<typeof smartcard>
