import { z } from 'zod'
import { milliseconds, path, port, positive } from './value-shapes.ts'

const syslog = z
  .strictObject({
    host: z.string().min(1).describe('Name or address of the syslog receiver; its certificate must be for it.'),
    port: port.default(6514).describe('Its port for syslog over TLS (RFC 5425).'),
    ca: path.describe('PEM file with the CA of its certificate.'),
    certificate: path.optional().describe('PEM file with the certificate that the receiver asks for.'),
    key: path.optional().describe('PEM file with the private key of that certificate.'),
  })
  .refine(({ certificate, key }) => (certificate === undefined) === (key === undefined), {
    error: 'give both certificate and key, or neither',
  })

const timestamp = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe('Address of a time-stamp authority (RFC 3161).'),
  ca: path.describe('PEM file with the CAs above the certificates that sign its time stamps.'),
  serverCa: path.optional().describe('PEM file with the CA of its web server, where the system does not know it.'),
  intervalMs: milliseconds.default(3_600_000).describe('Least time between two time stamps.'),
})

const witness = z
  .strictObject({
    syslog: syslog.optional().describe('A syslog receiver that is sent each signed head.'),
    timestamp: timestamp.optional().describe('An authority that time-stamps the newest head of each chain.'),
  })
  .refine((kinds) => kinds.syslog !== undefined || kinds.timestamp !== undefined, {
    error: 'give syslog or timestamp, or both',
  })

const forward = z.strictObject({
  syslog: syslog.describe('The syslog receiver.'),
  format: z
    .enum(['json', 'cef'])
    .default('json')
    .describe('Of the text of each message: json, as in the trail, or cef.'),
})

export const audit = z.strictObject({
  directory: path.describe('Folder of the audit trail; one chain of files per process that writes.'),
  machine: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, 'must be a lower-case letter and up to 15 lower-case letters and digits')
    .optional()
    .describe(
      'Name of this machine, put before the names of its chains: needed, and different, where several daemons share a database. A second one without it does not start.',
    ),
  sealIntervalMs: milliseconds
    .default(5_000)
    .describe('Longest time between a record and the signature that covers it.'),
  sealRecords: positive.default(1_000).describe('Most records that one signature waits for.'),
  segmentBytes: z
    .number()
    .int()
    .min(65_536)
    .default(64 * 1024 * 1024)
    .describe('Size at which a file of a chain is closed and the next begun.'),
  forward: forward.optional().describe('A syslog receiver that is sent every record, over TLS, at least once.'),
  witness: witness.optional().describe('Who outside this machine is told the signed ends of the trail.'),
})
