import { z } from 'zod'
import { addressRange, milliseconds, port, positive, whole } from './value-shapes.ts'

const httpSection = z.strictObject({
  host: z.string().default('0.0.0.0').describe('Address to listen on.'),
  port: port.default(443).describe('Port of the API. 0 lets the system choose one (for tests).'),
  acceptChunked: z
    .boolean()
    .default(false)
    .describe(
      'Accept request bodies with Transfer-Encoding: chunked; the interface forbids them, some published clients send them.',
    ),
  maxBodyBytes: whole(1024, 64 * 1024 * 1024)
    .default(2 * 1024 * 1024)
    .describe('Largest JSON body, in bytes.'),
  maxUnidentifiedBytes: whole(1024 * 1024, 1024 * 1024 * 1024)
    .default(16 * 1024 * 1024)
    .describe(
      'Most bytes that each worker holds of request bodies whose callers it does not know yet, with their headers; beyond, the address that holds most is answered with 503.',
    ),
  maxIdentifiedBytes: whole(4 * 1024 * 1024, 4 * 1024 * 1024 * 1024)
    .default(128 * 1024 * 1024)
    .describe(
      'Most bytes that each worker holds of request bodies of callers with a session, from their first byte until they are answered; beyond, and beyond half of it for one user, the oldest body of the user with most that is still on its way is answered with 503.',
    ),
  maxConnections: positive
    .default(4096)
    .describe(
      'Largest number of connections open at once, per worker and listener; for a new one the oldest idle one of the address with most is closed. As many may wait for a worker. A process that may open fewer than four times as many files holds fewer.',
    ),
  maxConnectionsPerAddress: positive
    .default(1024)
    .describe('The same for each client address; for the addresses of http.proxies only the total is bounded.'),
  requestTimeoutMs: milliseconds.default(30_000).describe('How long a client may take to send a request.'),
  answerTimeoutMs: milliseconds
    .default(30_000)
    .describe('How long a client may take to receive an answer, and a second more for each 16 KB of it.'),
  keepAliveTimeoutMs: milliseconds.default(75_000).describe('How long an idle connection is kept.'),
  drainTimeoutMs: milliseconds
    .default(15_000)
    .describe(
      'How long calls under way may take to finish when the daemon stops; above 20000 raise TimeoutStopSec= of the unit, too, by which systemd kills after 40 s.',
    ),
  shutdownDelayMs: whole(0, 10_000)
    .default(0)
    .describe(
      'How long a daemon that is stopping continues to serve before it refuses connections, so that a balancer in front sees that it is not ready; set 2000 behind a balancer.',
    ),
  workers: whole(0, 256).default(0).describe('Worker processes; 0 means one per core.'),
  unidentifiedCallsPerMinute: positive
    .default(1200)
    .describe(
      'Calls without a session that each client address may make to one worker in a minute, refused ones and failed logins among them; more are answered with 429. For the files of the web console ten times as many are allowed.',
    ),
  unidentifiedRecordsPerMinute: positive
    .default(60)
    .describe(
      'Such calls that the audit trail records one by one, for each client address, minute and worker; the others are recorded in one record with their count.',
    ),
  proxies: z
    .array(addressRange)
    .default([])
    .describe(
      'Addresses and ranges of proxies in front that write X-Forwarded-For: there the address of a client is read, for the delays after failed logins and the audit trail.',
    ),
})

/** The listener of the interface, and the limits of its callers. */
export const http = httpSection.refine(
  ({ maxBodyBytes, maxIdentifiedBytes }) => maxIdentifiedBytes >= 2 * maxBodyBytes,
  {
    error: 'maxIdentifiedBytes must be at least twice maxBodyBytes',
  },
)
