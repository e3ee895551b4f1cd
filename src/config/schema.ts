import { z } from 'zod'
import { audit } from './audit-section.ts'
import { backup } from './backup-section.ts'
import { http } from './http-section.ts'
import { keeper, keeperOf } from './keeper-section.ts'
import { keyMakerSocketOf } from './key-maker-socket.ts'
import { links } from './links-section.ts'
import { login, otp, session, users } from './login-sections.ts'
import { monitor } from './monitor-section.ts'
import { smartcard, type SmartcardConfig } from './smartcard-section.ts'
import { processes } from './processes-section.ts'
import { quotas } from './quotas-section.ts'
import { service } from './service-section.ts'
import { warnings } from './warnings-section.ts'
import { milliseconds, path, port, positive, whole } from './value-shapes.ts'

const tls = z.strictObject({
  certificate: path.describe('PEM file with the server certificate, followed by its intermediates.'),
  key: path.describe('PEM file with the private key of the server certificate.'),
  minVersion: z.enum(['TLSv1.2', 'TLSv1.3']).default('TLSv1.2').describe('Oldest TLS version to accept.'),
})

const hsmSection = z.strictObject({
  module: path.describe('PKCS#11 module (shared library) of the token.'),
  token: z
    .string()
    .startsWith('pkcs11:')
    .describe('RFC 7512 URI that names the token by label and, best, serial: pkcs11:token=strongroom;serial=…'),
  pinFile: path.describe('File with the user PIN; a systemd credential in production.'),
  sockets: z
    .array(path)
    .min(1)
    .describe(
      'Unix sockets of the token hosts. For SoftHSM2 one on one core, two on two or three, on more cores half as many as there are cores, at most eight; setup chooses in this way. For a network HSM one or two.',
    ),
  keyMakerSocket: path
    .optional()
    .describe(
      'Unix socket of the token host that makes RSA keys and does nothing else; without it, key-maker.sock in the folder of the first of hsm.sockets.',
    ),
  rsaKeysAhead: whole(0, 64).default(4).describe('RSA keys of each size that are made before they are asked for.'),
  keeper: keeper
    .optional()
    .describe(
      'The keeper, which decides and seals. Where it is missing, its sockets lie beside hsm.sockets, and its file beside hsm.tokenDirectory.',
    ),
  spawn: z
    .boolean()
    .default(true)
    .describe('Whether the daemon starts keeper and token hosts itself; false where systemd runs them.'),
  softhsmConf: path.optional().describe('softhsm2.conf to hand to the module as SOFTHSM2_CONF; for SoftHSM2 only.'),
  tokenDirectory: path
    .optional()
    .describe(
      'Folder where a software token keeps its objects: it is synced to the disk after an object is made, and the file of the token itself is copied before each login, because SoftHSM2 does neither.',
    ),
  movable: z
    .boolean()
    .default(false)
    .describe(
      'Whether root keys and the keys of vaults that are made from now on may leave the token, wrapped by a key that the security officer makes a trusted one: so that "strongroom migrate token" can move them to another token.',
    ),
  vaultKeys: z
    .enum(['token', 'wrapped'])
    .default('token')
    .describe(
      'Where the data keys of new vaults lie: token, as objects that never leave it; wrapped, in the database, for more vaults than the token holds objects.',
    ),
  handles: whole(1, 1_000_000)
    .default(10_000)
    .describe('Unwrapped keys that each host keeps ready (some 10 KiB each).'),
  deadlineMs: milliseconds
    .default(10_000)
    .describe(
      'How long the token may take for one operation before the host is given up; above 50000 raise WatchdogSec= of its units, too, by which systemd kills after 60 s.',
    ),
  queue: positive.default(4096).describe('Operations that may wait for a host; more are refused with 503.'),
})

/** In bytes. Node cuts a longer path off, and two sockets may become one (unix(7)). */
const longestSocketPath = 107
const hsm = hsmSection.superRefine((section, context) => {
  const { socket, operatorSocket } = keeperOf({ hsm: section })
  const long = [...section.sockets, keyMakerSocketOf(section), socket, operatorSocket].find(
    (name) => Buffer.byteLength(name) > longestSocketPath,
  )
  if (long === undefined) return
  const message = `the path of a socket has ${longestSocketPath} bytes at most (unix(7)): choose a shorter folder than that of ${long}`
  context.addIssue({ code: 'custom', message })
})

const store = z
  .strictObject({
    sqlite: path.optional().describe('SQLite database file (the default kind of store).'),
    postgresUrlFile: path.optional().describe('File that holds a postgres:// URL, for several daemons side by side.'),
  })
  .refine((kinds) => (kinds.sqlite === undefined) !== (kinds.postgresUrlFile === undefined), {
    error: 'give exactly one of sqlite and postgresUrlFile',
  })

const transparent = z.strictObject({
  allowExport: z.boolean().default(false).describe('Whether a new key may be exported when its creator does not say.'),
  allowBackup: z.boolean().default(true).describe('Whether a new key may be backed up when its creator does not say.'),
  allowDelete: z.boolean().default(true).describe('Whether a new key may be deleted when its creator does not say.'),
  recoveryWindowMs: milliseconds
    .default(2_592_000_000)
    .describe('How long a deleted key can be taken back before it is destroyed.'),
  invocationLease: whole(1, 2 ** 24)
    .default(65_536)
    .describe(
      'AES-GCM encryptions that a worker reserves per key version at a time; a crash forgets at most one lease.',
    ),
  versionsInToken: whole(0, 1_000_000)
    .default(1_000)
    .describe(
      'Versions of keys with residency `token` that all vaults together may have; SoftHSM2 takes the longer for each new object the more it holds. Rotations by age go on.',
    ),
  versionsPerKey: whole(2, 1_000_000)
    .default(10_000)
    .describe(
      'Versions that a key may have by rotations that are asked for; older ones can be trimmed. Rotations by age or count go on.',
    ),
})

const objects = z.strictObject({
  recoveryWindowMs: milliseconds
    .default(2_592_000_000)
    .describe(
      'How long a deleted object stays in the trash of its vault, from where it can be taken back, before it is destroyed.',
    ),
})

const files = z.strictObject({
  maxBytes: whole(1024, 4 * 1024 * 1024 * 1024)
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
  requestsPerSecond: whole(1, 1_000_000)
    .default(50)
    .describe('What one client address may ask of one worker; more is answered with 429.'),
})

const log = z.strictObject({
  level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Least severe messages to write.'),
})

/**
 * All options of the appliance, with shape, default and description. `config/README.md` and
 * `config/strongroom.schema.json` are generated from it. No option is a secret: options only name files with secrets.
 */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('Path of strongroom.schema.json, for editors.'),
  http: http.prefault({}).describe('The API listener.'),
  tls: tls.describe('Server certificate; read again on SIGHUP.'),
  hsm: hsm.describe('The PKCS#11 token and the processes that hold it.'),
  processes: processes
    .optional()
    .describe(
      'The users that the processes run under if root starts the daemon and hsm.spawn is true. Without this section all run under the user who starts the daemon, and workers can read the PIN.',
    ),
  store: store.describe('The database: exactly one of the two kinds.'),
  audit: audit.describe('The audit trail.'),
  backup: backup.optional().describe('Backups by the timer: see "strongroom backup run".'),
  session: session.prefault({}).describe('Login sessions.'),
  login: login.prefault({}).describe('The login.'),
  users: users.prefault({}).describe('Accounts.'),
  service: service.prefault({}).describe('Service accounts: applications that run unattended (docs/applications.md).'),
  otp: otp.prefault({}).describe('One-time passwords.'),
  smartcard: smartcard
    .optional()
    .describe('Login by smartcard (TLS client certificates). Off where the section is missing.'),
  transparent: transparent.prefault({}).describe('The encryption facility.'),
  objects: objects.prefault({}).describe('Objects in vaults.'),
  files: files.prefault({}).describe('Uploaded files.'),
  links: links.prefault({}).describe('One-time links.'),
  quotas: quotas
    .prefault({})
    .describe(
      'Limits on expensive operations of one user; all users together may have ten times as much. More is answered with 429.',
    ),
  validator: validator.prefault({}).describe('The validator of hardware-token OTPs, a listener of its own.'),
  monitor: monitor.prefault({}).describe('Health and metrics (docs/monitoring.md), a plain HTTP listener of its own.'),
  warnings: warnings.prefault({}).describe('What the daemon warns of in its journal, unasked.'),
  log: log.prefault({}).describe('The journal.'),
})

export type Config = z.infer<typeof configSchema>

/** The smartcard settings; undefined if smartcards are disabled. */
export function enabledSmartcard({ smartcard: settings }: Config): SmartcardConfig | undefined {
  return settings?.enabled ? settings : undefined
}
