import { isIP } from 'node:net'
import { z } from 'zod'

/**
 * Every option of the appliance: its shape, its default and a sentence about it. `config/README.md` and
 * `config/strongroom.schema.json` are written from this file. Secrets are never options: only the paths of files that hold them.
 */
const path = z.string().min(1).meta({ format: 'path' })
const port = z.number().int().min(0).max(65_535)
const milliseconds = z.number().int().positive()

const http = z.strictObject({
  host: z.string().default('0.0.0.0').describe('Address to listen on.'),
  port: port.default(443).describe('Port of the API. 0 lets the system choose one (for tests).'),
  acceptChunked: z
    .boolean()
    .default(false)
    .describe(
      'Accept request bodies with Transfer-Encoding: chunked; the interface forbids them, some published clients send them.',
    ),
  maxBodyBytes: z
    .number()
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(2 * 1024 * 1024)
    .describe('Largest JSON body, in bytes.'),
  maxConnections: z
    .number()
    .int()
    .positive()
    .default(4096)
    .describe('Largest number of connections open at once, per worker.'),
  requestTimeoutMs: milliseconds.default(30_000).describe('How long a client may take to send a request.'),
  keepAliveTimeoutMs: milliseconds.default(75_000).describe('How long an idle connection is kept.'),
  drainTimeoutMs: milliseconds
    .default(15_000)
    .describe('How long calls under way may take to finish when the daemon stops.'),
  workers: z.number().int().min(0).max(256).default(0).describe('Worker processes; 0 means one per core.'),
})

const tls = z.strictObject({
  certificate: path.describe('PEM file with the server certificate, followed by its intermediates.'),
  key: path.describe('PEM file with the private key of the server certificate.'),
  minVersion: z.enum(['TLSv1.2', 'TLSv1.3']).default('TLSv1.2').describe('Oldest TLS version to accept.'),
})

const hsm = z.strictObject({
  module: path.describe('PKCS#11 module (shared library) of the token.'),
  token: z
    .string()
    .startsWith('pkcs11:')
    .describe('RFC 7512 URI that names the token by label and, best, serial: pkcs11:token=strongroom;serial=…'),
  pinFile: path.describe('File with the user PIN; a systemd credential in production.'),
  sockets: z.array(path).min(1).describe('Unix sockets of the token hosts; one host per core for SoftHSM2.'),
  spawn: z
    .boolean()
    .default(true)
    .describe('Whether the daemon starts the token hosts itself; false where systemd runs strongroom-token@.service.'),
  softhsmConf: path.optional().describe('softhsm2.conf to hand to the module as SOFTHSM2_CONF; for SoftHSM2 only.'),
  tokenDirectory: path
    .optional()
    .describe(
      'Folder where a software token keeps its objects; it is synced to the disk after an object is made, because SoftHSM2 does not.',
    ),
  vaultKeys: z
    .enum(['token', 'wrapped'])
    .default('token')
    .describe(
      'Where the data keys of new vaults lie: token, as objects that never leave it; wrapped, in the database, for more vaults than the token holds objects.',
    ),
  handles: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Unwrapped keys that each host keeps ready (about 8 KiB each).'),
  deadlineMs: milliseconds
    .default(10_000)
    .describe('How long the token may take for one operation before the host is given up.'),
  queue: z
    .number()
    .int()
    .positive()
    .default(4096)
    .describe('Operations that may wait for a host; more are refused with 503.'),
})

const store = z
  .strictObject({
    sqlite: path.optional().describe('SQLite database file (the default kind of store).'),
    postgresUrlFile: path.optional().describe('File that holds a postgres:// URL, for several daemons side by side.'),
  })
  .refine((kinds) => (kinds.sqlite === undefined) !== (kinds.postgresUrlFile === undefined), {
    error: 'give exactly one of sqlite and postgresUrlFile',
  })

const audit = z.strictObject({
  directory: path.describe('Folder of the audit trail; one chain of files per process that writes.'),
  machine: z
    .string()
    .regex(/^[a-z0-9]{1,16}$/, 'must be 1 to 16 lower-case letters and digits')
    .optional()
    .describe(
      'Name of this machine, put before the names of its chains: needed, and different, where several daemons share a database.',
    ),
  sealIntervalMs: milliseconds
    .default(5_000)
    .describe('Longest time between a record and the signature that covers it.'),
  sealRecords: z.number().int().positive().default(1_000).describe('Most records that one signature waits for.'),
  segmentBytes: z
    .number()
    .int()
    .min(65_536)
    .default(64 * 1024 * 1024)
    .describe('Size at which a file of a chain is closed and the next begun.'),
})

const session = z.strictObject({
  idleTimeoutMs: milliseconds
    .default(3_600_000)
    .describe('How long a session lives after its last call; told to clients as `timeout`.'),
  absoluteTimeoutMs: milliseconds.default(86_400_000).describe('How long a session lives at most.'),
  rotation: z
    .enum(['compatible', 'strict'])
    .default('compatible')
    .describe(
      'compatible: a replaced token stays good until the session ends; strict: for 30 seconds, and its use after that ends the session.',
    ),
  rotateAfterMs: milliseconds.default(900_000).describe('Age at which a session token is replaced.'),
  rotateAfterUses: z
    .number()
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .describe('Calls after which a session token is replaced, give or take a sixteenth per worker; 0 means never.'),
  perUser: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(20)
    .describe('Most sessions a user may have open; a further login ends the oldest.'),
})

const login = z.strictObject({
  types: z
    .array(z.enum(['totp', 'hwkey_otp']))
    .min(1)
    .default(['totp', 'hwkey_otp'])
    .describe('Second factors that are enabled.'),
  freeAttempts: z.number().int().min(1).max(100).default(10).describe('Failed logins before delays begin.'),
  firstDelayMs: milliseconds.default(1_000).describe('The first delay; each further failure doubles it.'),
  longestDelayMs: milliseconds.default(900_000).describe('Where the doubling ends.'),
  passphrasePolicy: z
    .literal([2, 5, 7, 8, 13, 16, 17])
    .default(17)
    .describe('Password policy that new pass phrases of users must conform to, by its id in /utils/policies.'),
  passphraseMaxAgeMs: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Age from which a login tells its user to change the pass phrase; 0 means never.'),
  argon2: z
    .strictObject({
      memoryKiB: z
        .number()
        .int()
        .min(8_192)
        .max(4_194_304)
        .default(19_456)
        .describe('Memory of one pass-phrase hash, in KiB.'),
      passes: z.number().int().min(1).max(100).default(2).describe('Passes over that memory.'),
      concurrency: z
        .number()
        .int()
        .min(1)
        .max(3)
        .default(1)
        .describe(
          'Logins at once per worker; further ones wait. More than 3 would leave no thread to the audit trail.',
        ),
      queue: z
        .number()
        .int()
        .min(1)
        .max(10_000)
        .default(200)
        .describe('Logins that may wait per worker; more are refused with 429.'),
    })
    .prefault({})
    .describe('Cost of checking a pass phrase (argon2id, RFC 9106).'),
})

const otp = z.strictObject({
  hotpLookAhead: z
    .number()
    .int()
    .min(0)
    .max(10)
    .default(10)
    .describe('How many codes of a HOTP token may have been made and not used.'),
  hotpResyncWindow: z
    .number()
    .int()
    .min(10)
    .max(1_000)
    .default(100)
    .describe('How far ahead two consecutive codes are looked for when a HOTP token is resynchronised.'),
  totpDriftSteps: z
    .number()
    .int()
    .min(0)
    .max(3)
    .default(1)
    .describe('How many time steps the clock of a TOTP device may differ, either way, from where it was last seen.'),
  totpLargestDriftSteps: z
    .number()
    .int()
    .min(0)
    .max(20)
    .default(5)
    .describe('How many time steps it may wander from the clock of the appliance in all.'),
})

/** `192.0.2.7` or `192.0.2.0/24`, likewise for IPv6; a range of all addresses would trust everybody. */
function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  const inRange = prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
  return bits > 0 && inRange && more.length === 0
}

const smartcard = z
  .strictObject({
    enabled: z.boolean().default(true).describe('False turns smartcards off without deleting the section.'),
    port: port.default(8443).describe('Port of the second listener, which asks for a client certificate.'),
    clientCa: path
      .optional()
      .describe(
        'PEM file with the CAs that issue the cards; without it a registered certificate is believed whoever issued it.',
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
      .array(z.string().refine(isAddressRange, { error: 'must be an IP address or a range such as 192.0.2.0/24' }))
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
    error: 'proxies need clientCa: without it nobody could check what they forward',
  })

const transparent = z.strictObject({
  allowExport: z.boolean().default(false).describe('Whether a new key may be exported when its creator does not say.'),
  allowBackup: z.boolean().default(true).describe('Whether a new key may be backed up when its creator does not say.'),
  allowDelete: z.boolean().default(true).describe('Whether a new key may be deleted when its creator does not say.'),
  recoveryWindowMs: milliseconds
    .default(2_592_000_000)
    .describe('How long a deleted key can be taken back before it is destroyed.'),
  invocationLease: z
    .number()
    .int()
    .min(1)
    .max(2 ** 24)
    .default(65_536)
    .describe(
      'AES-GCM encryptions that a worker reserves per key version at a time; a crash forgets at most one lease.',
    ),
})

const objects = z.strictObject({
  recoveryWindowMs: milliseconds
    .default(2_592_000_000)
    .describe('How long a deleted object is kept, where nobody sees it, before it is destroyed.'),
})

const files = z.strictObject({
  maxBytes: z
    .number()
    .int()
    .min(1024)
    .max(4 * 1024 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe(
      'Largest file that can be uploaded, in bytes; a slow client may need a longer http.requestTimeoutMs too.',
    ),
  readPatienceMs: milliseconds
    .default(10_000)
    .describe(
      'How long the download of a file waits while each worker has files of twice maxBytes in memory; then it gets 429.',
    ),
})

const validator = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Whether other programs may have OTPs of hardware tokens checked (Yubico validation protocol 2.0).'),
  host: z.string().default('0.0.0.0').describe('Address to listen on.'),
  port: port.default(8444).describe('Port of the validator; HTTPS with the certificate of the API.'),
  requestsPerSecond: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(50)
    .describe('What one client address may ask of one worker; more is answered with 429.'),
})

const log = z.strictObject({
  level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Least severe messages to write.'),
})

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('Path of strongroom.schema.json, for editors.'),
  http: http.prefault({}).describe('The API listener.'),
  tls: tls.describe('Server certificate; read again on SIGHUP.'),
  hsm: hsm.describe('The PKCS#11 token and the processes that hold it.'),
  store: store.describe('The database: exactly one of the two kinds.'),
  audit: audit.describe('The audit trail.'),
  session: session.prefault({}).describe('Login sessions.'),
  login: login.prefault({}).describe('The login.'),
  otp: otp.prefault({}).describe('One-time passwords.'),
  smartcard: smartcard
    .optional()
    .describe('Login by smartcard (TLS client certificates). Off where the section is missing.'),
  transparent: transparent.prefault({}).describe('The encryption facility.'),
  objects: objects.prefault({}).describe('Objects in vaults.'),
  files: files.prefault({}).describe('Uploaded files.'),
  validator: validator.prefault({}).describe('The validator of hardware-token OTPs, a listener of its own.'),
  log: log.prefault({}).describe('The journal.'),
})

export type Config = z.infer<typeof configSchema>

/** What holds for certificates where the configuration says nothing of smartcards. */
export const smartcardDefaults = smartcard.parse({})

export type SmartcardConfig = z.infer<typeof smartcard>

/** The smartcard settings of an appliance that serves smartcards. */
export function enabledSmartcard({ smartcard: settings }: Config): SmartcardConfig | undefined {
  return settings?.enabled ? settings : undefined
}
